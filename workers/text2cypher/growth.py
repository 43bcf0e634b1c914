"""Refuses statements in which a value can grow without bound within one row."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import NamedTuple

from workers.core.errors import CypherRefused
from workers.text2cypher.functions import MEMBERS, NUMBERS, SAME, TEXTS
from workers.text2cypher.lexer import refusal
from workers.text2cypher.syntax import Part, Sort, words

# How often a list or map is put into another, or summed, in a whole statement: two, then three, are six times
# as much. The server compares 16 million values in some six seconds, at which it looks at no clock.
_MOST_HELD = 5
_MOST_NESTED = 2  # comprehensions
_COMPARED = words("= <> < > <= >=")
_OF_TEXTS = words("CONTAINS STARTS ENDS =~")
_SUMS = words("+ ||")
_STORED_LISTS = (
    "lists that are stored, nodes(path), relationships(path), labels, keys; instead of others collect what is"
    " wanted, as in collect(m.title), with WHERE before it, or UNWIND them"
)
_ROWS = "UNWIND, then conditions and aggregations"
# Characters, classes of characters, ends, and a choice between whole expressions: nothing that a matcher
# could try in several ways. Brackets would make a choice of choices.
_FLAG = r"\(\?i\)"
_ONE = r"[^\\()\[\]{}*+?|]|\\[dDsSwWbB]|\\[^\w\s]|\[\^?(?:[^\\\[\]&]|\\[dDsSwW]|\\[^\w\s])+\]"
_PLAIN = re.compile(rf"(?:{_FLAG})?(?:{_ONE})*(?:\|(?:{_ONE})*)*", re.DOTALL)
_REPEATED = re.compile(r"(?<!\\)[*+{]|(?<!\\)(?<!\()\?")


def check_growth(text: str, statement: Part) -> None:
    """Refuse values that grow, and work within one expression that multiplies.

    Raises:
        CypherRefused: the message names the first such form and an alternative.
    """
    _Growth(text).query(statement, {})


class _Growth:
    """Follows the kinds of values through a statement."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._within = 0  # comprehensions around this place
        self._taken_in = 0  # lists and maps, by others
        self._kinds: dict[Sort, Callable[[Part, Scope], Kind]] = {
            "literal": lambda part, _: Kind(STORED if part.name == "string" else NUMBER),
            "parameter": lambda *_: Kind(STORED),
            "variable": self._variable,
            "property": lambda part, scope: self.kind(part.parts[0], scope).entry(),
            "index": self._index,
            "star": lambda part, scope: self.kind(part.parts[0], scope).entry(),  # of a projection
            "list": self._list,
            "map": self._map,
            "projection": self._map,
            "each": self._each,
            "along": self._along,
            "case": self._case,
            "call": self._call,
            "operation": self._operation,
            "pattern": self._pattern,
            "subquery": self._subquery,
        }

    def query(self, query: Part, outer: Scope) -> dict[str, Kind]:
        """Return the columns that a query returns."""
        scope, columns = dict(outer), dict[str, Kind]()
        for clause in query.parts:
            match clause.name:
                case "UNION":
                    scope = dict(outer)
                case "MATCH" | "OPTIONAL MATCH":
                    self._match(clause.own("pattern"), scope)
                case "UNWIND":
                    scope[_name(clause.parts[0])] = self.kind(clause.parts[0].parts[0], scope).member()
                case "CALL":
                    scope |= self.query(clause.parts[0].parts[0], scope)
                case "CALL procedure":
                    scope |= {_name(item): Kind(STORED) for item in clause.own("item")}
                case "WITH" | "RETURN":
                    scope = self._columns(clause, scope)
            if clause.name == "RETURN":
                columns = {name: merged([kind, *_held(columns, name)]) for name, kind in scope.items()}
            for where in clause.own("where"):
                self.kind(where, scope)
        return columns

    def _columns(self, clause: Part, scope: Scope) -> dict[str, Kind]:
        made = dict(scope) if clause.own("star") else {}
        made |= {_name(item): self.kind(item.parts[0], scope) for item in clause.own("item")}
        for part in clause.own("order"):
            self.kind(part, {**scope, **made})
        return made

    def _match(self, patterns: list[Part], scope: dict[str, Kind]) -> None:
        """Add the names of patterns to the scope, and check the patterns' contents."""
        parts = [part for pattern in patterns for part in pattern.own("node", "relationship")]
        for binding in (binding for part in (*patterns, *parts) for binding in part.own("binding")):
            scope[binding.name] = merged([Kind(STORED), *_held(scope, binding.name)])
        for part in parts:
            for content in part.own("map", "where"):
                self.kind(content, scope)

    def kind(self, part: Part, scope: Scope) -> Kind:
        """Return the kind of an expression's value; of what consists of several, the first one's."""
        if part.sort in self._kinds:
            return self._kinds[part.sort](part, scope)
        kinds = [self.kind(child, scope) for child in part.parts]
        return kinds[0]

    def _variable(self, part: Part, scope: Scope) -> Kind:
        if part.name not in scope and self._within:
            allowed = f"its own member, numbers and texts; {part.name} in a comparison alone; {_ROWS}"
            raise self._refused(part, f"{part.name} from outside a comprehension, used inside it", allowed)
        return scope.get(part.name, UNKNOWN)  # the server tells what is not defined

    def _index(self, part: Part, scope: Scope) -> Kind:
        kind, *_places = (self.kind(child, scope) for child in part.parts)
        return kind.entry() if kind.wraps[:1] in {"", "M"} else kind.member()

    def _list(self, part: Part, scope: Scope) -> Kind:
        if _is_written(part):
            return Kind(STORED if part.parts else NUMBER)
        return self._held(part, "L", [self.kind(member, scope) for member in part.parts])

    def _map(self, part: Part, scope: Scope) -> Kind:
        values = part.parts[1:] if part.sort == "projection" else part.parts
        return self._held(part, "M", [self.kind(value, scope) for value in values])

    def _held(self, part: Part, mark: str, kinds: list[Kind]) -> Kind:
        """Return the kind of a list, map or sum of values."""
        self._taken_in += sum(bool(kind.wraps) for kind in kinds)
        if self._taken_in > _MOST_HELD:
            raise self._refused(part, "too many nested lists and maps in one expression", f"{_MOST_HELD}")
        made = summed(kinds) if mark == "S" else wrapped(mark, merged(kinds))
        if made is None and mark == "S":
            allowed = "one sum of stored values, separate columns for the parts, toInteger(…) around numbers"
            raise self._refused(part, "a sum of sums", allowed)
        if made is None:
            raise self._refused(part, "lists and maps nested too deep", "separate columns")
        return made

    def _each(self, part: Part, scope: Scope) -> Kind:
        binding, source, *body = part.parts
        if self._within == _MOST_NESTED:
            raise self._refused(part, "comprehensions nested too deep", _ROWS)
        listed = self.kind(source, scope)
        if not listed.is_plain:
            raise self._refused(part, "a comprehension over a list that the statement made", _STORED_LISTS)
        inner = {name: kind for name, kind in scope.items() if kind == Kind(NUMBER)}
        self._within += 1
        kinds = [self.kind(expression, {**inner, binding.name: Kind(STORED)}) for expression in body]
        self._within -= 1
        if part.name != "[":
            return Kind(NUMBER)
        return self._held(part, "L", kinds[-1:]) if body and body[-1].sort != "where" else listed

    def _along(self, part: Part, scope: Scope) -> Kind:
        self._refuse_within(part)
        inner = dict(scope)
        self._match([part.parts[0]], inner)
        return self._held(part, "L", [self.kind(child, inner) for child in part.parts[1:]][-1:])

    def _pattern(self, part: Part, scope: Scope) -> Kind:
        self._refuse_within(part)
        self._match([part], dict(scope))
        return Kind(NUMBER)

    def _subquery(self, part: Part, scope: Scope) -> Kind:
        self._refuse_within(part)
        columns = self.query(part.parts[0], scope)
        return self._held(part, "L", list(columns.values())) if part.name == "COLLECT" else Kind(NUMBER)

    def _refuse_within(self, part: Part) -> None:
        if self._within:
            raise self._refused(part, "a pattern or subquery within a comprehension", "UNWIND, then MATCH")

    def _case(self, part: Part, scope: Scope) -> Kind:
        kinds = [(child.sort, self.kind(child, scope)) for child in part.parts]
        return merged(kind for sort, kind in kinds if sort == "value")

    def _operation(self, part: Part, scope: Scope) -> Kind:
        operands = [operand for operand in part.parts if operand.sort not in {"label", "denied"}]
        if part.name in _SUMS:
            operands = list(_operands(part))
            if all(map(_is_written, operands)):
                return Kind(STORED)
            return self._held(part, "S", [self.kind(operand, scope) for operand in operands])
        if part.name in _COMPARED:
            operands = self._without_outside(operands, scope)
        kinds = [self.kind(operand, scope) for operand in operands]
        if part.name in _OF_TEXTS:
            self._refuse_made(part, kinds)
        if part.name == "=~":
            self._check_regex(part.parts[1])
        return Kind(NUMBER)

    def _without_outside(self, operands: list[Part], scope: Scope) -> list[Part]:
        """Drop the outer variable that a comprehension compares with, as in `WHERE node <> start`."""
        others = [operand for operand in operands if operand.sort == "variable" and operand.name not in scope]
        return [operand for operand in operands if operand not in others] if len(others) == 1 else operands

    def _refuse_made(self, part: Part, kinds: list[Kind]) -> None:
        if not all(kind.is_plain for kind in kinds):
            what = f"{part.name} of a text or list that the statement made"
            raise self._refused(part, what, "stored texts, one at a time")

    def _check_regex(self, pattern: Part) -> None:
        if pattern.name != "string":
            allowed = "a literal text, or CONTAINS"
            raise self._refused(pattern, "a regular expression that is not a literal text", allowed)
        if fault := fault_of(pattern.token.text):
            allowed = "toLower(…) with CONTAINS, STARTS WITH or ENDS WITH"
            raise self._refused(pattern, f"a regular expression with {fault}", allowed)

    def _call(self, part: Part, scope: Scope) -> Kind:
        name, arguments = part.name.lower(), [argument for argument in part.parts if argument.sort != "star"]
        kinds = [self.kind(argument, scope) for argument in arguments] or [Kind(NUMBER)]
        if name in NUMBERS:
            return Kind(NUMBER)
        if name in SAME:
            return merged(kinds)
        if name in MEMBERS:
            return kinds[0].member()
        if name == "collect":
            return self._held(part, "L", kinds[:1])
        if name in TEXTS:
            self._check_text(part, arguments, kinds)
        return Kind(STORED, "L" if name == "split" else "")

    def _check_text(self, part: Part, arguments: list[Part], kinds: list[Kind]) -> None:
        self._refuse_made(part, kinds[:1])
        for argument, kind in list(zip(arguments, kinds, strict=False))[1:]:
            if kind != Kind(NUMBER) and not _is_written(argument):
                raise self._refused(
                    argument,
                    f"{part.name}() with an argument that is neither literal nor a number",
                    "literal texts, and numbers",
                )
        if part.name.lower() == "replace":
            searched, replacement = ([_length(argument) for argument in arguments[1:]] + [0, 0])[:2]
            if not searched or replacement > searched:
                allowed = "a literal text, replaced by one that is not longer"
                raise self._refused(
                    part, "replace() with texts that are not literal, or with a longer one", allowed
                )

    def _refused(self, part: Part, what: str, allowed: str) -> CypherRefused:
        return refusal(self._text, part.token.at, what, allowed)


def _name(item: Part) -> str:
    return item.parts[-1].name if item.parts and item.parts[-1].sort in {"binding", "variable"} else ""


def _held(scope: Scope, name: str) -> list[Kind]:
    return [scope[name]] if name in scope else []


def _operands(part: Part) -> Iterator[Part]:
    """Yield the operands of nested sums."""
    for operand in part.parts:
        if operand.sort == "operation" and operand.name in _SUMS:
            yield from _operands(operand)
        else:
            yield operand


def _is_written(part: Part) -> bool:
    """Return whether the value consists of literals and parameters only."""
    if part.sort in {"list", "map", "entry"} or part.name == "sign":
        return all(map(_is_written, part.parts))
    return part.sort in {"literal", "parameter"}


def _length(part: Part) -> int:
    """Return the length of a literal text; 0 for anything else."""
    return len(re.sub(r"\\.", "x", part.token.text[1:-1], flags=re.DOTALL)) if part.name == "string" else 0


def fault_of(literal: str) -> str:
    """Return why a regular expression is refused, empty if it is not.

    Args:
        literal: the literal in the statement, with its quotes.
    """
    pattern = re.sub(r"\\(.)", r"\1", literal[1:-1], flags=re.DOTALL)
    if _PLAIN.fullmatch(pattern):
        return ""
    return "a repetition" if _REPEATED.search(pattern) else "brackets, a back-reference or a look around"


# What is in a value, at most: what takes no more room than a number, as dates and true do; what lies in the
# graph or stands in the statement, as nodes, texts and stored lists do; several of these, joined to one text.
NUMBER, STORED, JOINED = 0, 1, 2
_DEEPEST = 3  # lists and maps within one another
_LISTS = frozenset("LS")


class Kind(NamedTuple):
    """The computation of a kind of value.

    Attributes:
        leaf: the largest that is in it.
        wraps: the lists (L), sums of lists (S) and maps (M) that the statement made around it, outermost
            first; X if it may be one or another. A stored list is not a wrap.
    """

    leaf: int
    wraps: str = ""

    @property
    def is_plain(self) -> bool:
        """Whether it is a value as stored, or a number."""
        return self.leaf <= STORED and not self.wraps

    def member(self) -> Kind:
        """Return the kind of a list's members; a value that is not a list is its own member."""
        return Kind(self.leaf, self.wraps[1:]) if self.wraps[:1] in _LISTS else self

    def entry(self) -> Kind:
        """Return the kind of a map's values, or of a node's properties."""
        if self.wraps[:1] == "M":
            return Kind(self.leaf, self.wraps[1:])
        return Kind(STORED) if self == Kind(NUMBER) else self  # the time zone of a date is a text


Scope = Mapping[str, Kind]
UNKNOWN = Kind(JOINED, "X")


def merged(kinds: Iterable[Kind]) -> Kind:
    """Return the kind of a value that is one of several."""
    return reduce(_either, kinds, Kind(NUMBER))


def _either(kind: Kind, other: Kind) -> Kind:
    if Kind(NUMBER) in {kind, other}:
        return max(kind, other)
    same = kind.wraps == other.wraps
    wraps = kind.wraps if same else "X" * max(len(kind.wraps), len(other.wraps))
    return Kind(max(kind.leaf, other.leaf), wraps)


def wrapped(mark: str, kind: Kind) -> Kind | None:
    """Return the kind of a list (L) or map (M) of values of a kind; None if that is too deep."""
    wraps = mark + kind.wraps
    return Kind(kind.leaf, wraps) if len(wraps) <= _DEEPEST else None


def summed(kinds: Sequence[Kind]) -> Kind | None:
    """Return the kind of a sum, of numbers, texts or lists; None if one of these is a sum already."""
    if all(kind == Kind(NUMBER) for kind in kinds):
        return Kind(NUMBER)
    if not any(kind.wraps for kind in kinds):
        return Kind(JOINED) if all(kind.is_plain for kind in kinds) else None
    if any(kind.wraps[:1] in {"S", "X"} for kind in kinds):
        return None
    return wrapped("S", merged(kind.member() for kind in kinds))
