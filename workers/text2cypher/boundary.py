"""Rewrites a Cypher statement so that it sees only a part of the graph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from hopline.models.graph_schema import quoted
from workers.text2cypher.cursor import OPENING
from workers.text2cypher.lexer import lex, refusal
from workers.text2cypher.syntax import Part, words

_NODE = "NODE"  # in a condition: stands for a node's variable
_STORED = frozenset(("literal", "variable", "property", "list"))
_OF_THE_STORE = frozenset(("id", "elementid"))

# Kinds of values that a variable can have: nodes, relationships, lists of these, paths.
_Kind = Literal["node", "relationship", "relationships", "path"]
# variable → (how it is written, what it is) of whatever it is or was made of, as long as that has a name.
_Known = Mapping[str, tuple[tuple[str, _Kind], ...]]
_COMPARING = words("= <> < > <= >= CONTAINS STARTS ENDS")  # of any two values; null where they cannot be
_JOINING = words("NOT AND OR XOR")


@dataclass(frozen=True)
class Boundary:
    """The part of a graph that a statement may see.

    Args:
        node: a condition in Cypher that its nodes meet, with NODE for the node's variable.
        types: types of its relationships.
        parameters: parameters of the condition.
    """

    node: str
    types: tuple[str, ...]
    parameters: Mapping[str, Any]

    def holds(self, variable: str) -> str:
        """Return the condition on a node."""
        return self.node.replace(_NODE, variable)


def bounded(text: str, statement: Part, boundary: Boundary) -> str:
    """Rewrite the statement to see only nodes within the boundary, to be run with its parameters.

    Every node of every pattern is held to the boundary's condition, those between the ends of longer paths
    among them, and a relationship without a type has one of the boundary's. What stands behind WHERE is
    looked at only for nodes that meet the condition: an error over a value from outside would tell of it.
    So is what stands behind the WHERE of a WITH, or of a subquery, of nodes from before: where a clause only
    passes them on, the server is free to look at all conditions together, in the order that it likes.

    Args:
        text: text of a statement that was checked, against names that the boundary holds.
        statement: its tree.
        boundary: the part of the graph it may see.

    Raises:
        CypherRefused: it has a form that cannot be confined to the boundary with certainty, or that reveals
            something outside it; the message names it and an alternative.
    """
    for part in statement.walk():
        _refuse(text, part)
    edits = _Edits(text, boundary)
    edits.query(statement)
    return edits.applied()


def _refuse(text: str, part: Part) -> None:
    what, allowed = "", ""
    if part.sort == "parameter":
        what, allowed = f"the parameter ${part.name}", "a literal value"
    elif part.sort == "clause" and part.name == "CALL procedure":
        what, allowed = "a procedure, which would reveal the whole database", "MATCH, labels(…), type(…)"
    elif part.sort == "clause" and part.own("star"):
        what, allowed = f"{part.name} *", f"{part.name} with each value by name"
    elif part.sort == "call" and part.name.lower() in _OF_THE_STORE:
        what, allowed = (
            f"{part.name}(…), whose numbers span the whole database",
            "names, as in a.name < b.name",
        )
    elif part.sort == "relationship" and part.own("denied"):
        what, allowed = "types that a relationship does not have", "the types that you want"
    elif part.sort in {"node", "relationship"} and part.own("where"):
        what, allowed = "WHERE within a pattern", "WHERE after the patterns"
    elif part.sort in {"node", "relationship"} and any(map(_is_computed, part.own("map"))):
        what, allowed = "a value computed within a pattern", "a literal value; conditions after WHERE"
    if what:
        raise refusal(text, part.token.at, what, allowed)


def _is_computed(properties: Part) -> bool:
    """Return whether a value is computed from other nodes' values rather than copied."""
    values = (entry.parts[0] for entry in properties.parts)
    return any(
        any(value.every("variable")) and not all(part.sort in _STORED for part in value.walk())
        for value in values
    )


class _Edits:
    """A text to insert into a statement, with its position."""

    def __init__(self, text: str, boundary: Boundary) -> None:
        self._text = text
        self._boundary = boundary
        self._types = "|".join(map(quoted, boundary.types))
        self._put: list[tuple[int, str, int]] = []  # offset, what is put there, characters that it replaces
        self._prefix = "n_"
        while self._prefix in text:
            self._prefix += "_"
        self._made = 0

    def applied(self) -> str:
        """Return the statement with all of it."""
        parts, at = list[str](), 0
        # In order at the same offset.
        for offset, put, replaced in sorted(self._put, key=lambda edit: edit[0]):
            parts += [self._text[at:offset], put]
            at = offset + replaced
        return "".join([*parts, self._text[at:]])

    def query(self, query: Part, outside: _Known = MappingProxyType({})) -> None:
        """Confine the patterns of a query, and its subqueries, to the boundary.

        Args:
            query: or a subquery.
            outside: variables from the surrounding query.
        """
        known = outside
        for clause in query.parts:
            patterns = clause.own("pattern")
            if patterns:
                if clause.token.key == "{":  # of EXISTS and COUNT, without a MATCH of its own
                    self._insert(clause.token.at + 1, " MATCH ")
                own = self._match(patterns, clause.own("where"), known)
                # What is optional may be null, and what stands behind its clause sees it done.
                known = {**known, **own} if clause.name == "MATCH" else known
                continue
            wheres = clause.own("where")
            self._within((part for part in clause.parts if part not in wheres), known)
            known = _after(clause, known, outside)
            for where in wheres:
                self._guard(where, known)

    def _within(self, parts: Iterable[Part], known: _Known) -> None:
        """Confine subqueries and patterns in expressions to the boundary."""
        for part in parts:
            made = self._made  # names made within an expression are its own: like ones are written alike
            if part.sort == "query":
                self.query(part, known)
            elif part.sort == "pattern":
                self._insert(part.token.at, "EXISTS { MATCH ")
                self._match([part], [], known)
                self._insert(part.end, " }")
            elif part.sort == "along":
                self._match(part.own("pattern"), part.own("where"), known)
                self._within(part.parts[-1:], known)
            else:
                if part.sort == "call" and part.own("pattern"):  # exists(…): what it holds says so itself
                    self._insert(part.token.at, "", len(part.token.text))
                self._within(part.parts, known)
            self._made = made

    def _match(self, patterns: list[Part], wheres: list[Part], known: _Known) -> _Known:
        """Confine patterns and their condition to the boundary; return their names."""
        own: dict[str, tuple[tuple[str, _Kind], ...]] = {}
        conditions: dict[str, None] = {}
        for pattern in patterns:
            conditions |= dict.fromkeys(self._pattern(pattern, known))
            own |= _named(pattern)
        held = " AND ".join(conditions)
        for where in wheres:
            self._insert(where.token.at + len(where.token.text), f" {held} AND")
            self._guard(where, {**known, **own})
        if not wheres:
            self._insert(patterns[-1].end, f" WHERE {held}")
        return own

    def _guard(self, where: Part, known: _Known) -> None:
        """Ensure that conditions which may fail are evaluated only on values within the boundary."""
        for part, begin, end in conjuncts(self._text, where):
            named = dict.fromkeys(variable.name for variable in part.every("variable", "binding"))
            made_of = dict.fromkeys(origin for name in named for origin in known.get(name, ()))
            if made_of and not never_fails(part):
                held = " AND ".join(self._condition(*origin) for origin in made_of)
                self._insert(begin, f" CASE WHEN {held} THEN (")
                self._within([part], known)
                self._insert(end, ") END ")
            else:
                self._insert(begin, " (")
                self._within([part], known)
                self._insert(end, ") ")

    def _condition(self, shown: str, kind: _Kind) -> str:
        """Return the conditions on a variable wherever it is in scope."""
        holds = self._boundary.holds
        each = f"{self._prefix}0"  # within the brackets of all(…) alone
        match kind:
            case "node":
                return holds(shown)
            case "relationship":
                return f"{holds(f'startNode({shown})')} AND {holds(f'endNode({shown})')}"
            case "relationships":
                ends = f"{holds(f'startNode({each})')} AND {holds(f'endNode({each})')}"
                return f"all({each} IN {shown} WHERE {ends})"
            case "path":
                return f"all({each} IN nodes({shown}) WHERE {holds(each)})"

    def _pattern(self, pattern: Part, known: _Known) -> Iterator[str]:
        """Name unnamed nodes, give relationships types; yield the conditions that must hold."""
        path = self._path(pattern)
        for part in pattern.own("node", "relationship"):
            self._within(part.own("map"), known)
        for node in pattern.own("node"):
            yield self._boundary.holds(self._shown(node))
        if path:
            yield self._condition(path, "path")
        for relationship in pattern.own("relationship"):
            self._type(relationship)

    def _path(self, pattern: Part) -> str:
        """Return the name of a variable-length path, generating one if needed; empty for other paths."""
        if not any(relationship.own("length") for relationship in pattern.own("relationship")):
            return ""
        for binding in pattern.own("binding"):
            return binding.token.text
        name = self._variable()
        self._insert(pattern.token.at, f"{name} = ")
        return name

    def _shown(self, node: Part) -> str:
        """Return a node's name, generating one if it has none."""
        for binding in node.own("binding"):
            return binding.token.text
        name = self._variable()
        self._insert(node.token.at + 1, name)
        return name

    def _type(self, relationship: Part) -> None:
        if relationship.own("label"):
            return
        if not self._types:
            what = "a relationship, but this collection has none"
            raise refusal(self._text, relationship.token.at, what, "only nodes")
        names = relationship.own("binding")
        at = names[0].token.at + len(names[0].token.text) if names else relationship.end
        is_open = self._text[relationship.end - 1] == "["
        self._insert(at, f":{self._types}" if is_open else f"[:{self._types}]")

    def _variable(self) -> str:
        self._made += 1
        return f"{self._prefix}{self._made}"

    def _insert(self, at: int, text: str, replaced: int = 0) -> None:
        self._put.append((at, text, replaced))


def _named(pattern: Part) -> dict[str, tuple[tuple[str, _Kind], ...]]:
    """Return the kinds of a pattern's variables."""
    origins: dict[str, tuple[tuple[str, _Kind], ...]] = {}
    for part in (pattern, *pattern.own("node", "relationship")):
        kind: _Kind = "node" if part.sort == "node" else "path"
        if part.sort == "relationship":
            kind = "relationships" if part.own("length") else "relationship"
        for binding in part.own("binding"):
            origins[binding.name] = ((binding.token.text, kind),)
    return origins


def _after(clause: Part, known: _Known, outside: _Known) -> _Known:
    """Return the variables known after a clause without patterns: those that WITH passes on, by new name."""
    if clause.name == "UNION":
        return outside
    bound = {binding.name for item in clause.own("item") for binding in item.own("binding")}
    if clause.name != "WITH":
        return {name: origins for name, origins in known.items() if name not in bound}
    items = [(item.parts[0], (*item.own("binding"), item.parts[0])[0]) for item in clause.own("item")]
    shown = {part.token.text: new.token.text for part, new in items if part.sort == "variable"}
    passed: dict[str, tuple[tuple[str, _Kind], ...]] = {}
    for part, new in items:
        made_of = (origin for old in part.every("variable") for origin in known.get(old.name, ()))
        passed[new.name] = tuple(dict.fromkeys((shown[old], kind) for old, kind in made_of if old in shown))
    return passed


class Conjunct(NamedTuple):
    """One of the conditions that AND joins."""

    part: Part
    begin: int  # offsets within the statement
    end: int


def conjuncts(text: str, where: Part) -> list[Conjunct]:
    """Return the top-level conditions after WHERE that AND joins."""
    begin = where.token.at + len(where.token.text)
    conditions = []
    for part, joined in _joined(text, where, where.parts[0]):
        end = joined.token.at if joined else where.end
        conditions.append(Conjunct(part, begin, end))
        begin = end + len("AND")
    return conditions


def _joined(
    text: str, where: Part, part: Part, after: Part | None = None
) -> Iterator[tuple[Part, Part | None]]:
    """Yield each condition with the AND that follows it."""
    if part.sort == "operation" and part.name == "AND" and not _is_bracketed(text, where, part):
        left, right = part.parts
        yield from _joined(text, where, left, part)
        yield right, after
    else:
        yield part, after


def _is_bracketed(text: str, where: Part, part: Part) -> bool:
    keys = [token.key for token in lex(text[where.token.at : part.token.at])]
    return sum(key in OPENING for key in keys) > sum(key in OPENING.values() for key in keys)


def never_fails(part: Part) -> bool:
    """Return whether a condition is true, false or null whatever the values are, and never an error."""
    if part.sort != "operation":
        return part.name in {"TRUE", "FALSE"}
    operands = [operand for operand in part.parts if operand.sort not in {"label", "denied"}]
    if part.name in _JOINING:
        return all(map(never_fails, operands))
    if part.name == "IN":
        return (
            _is_value(operands[0]) and operands[1].sort == "list" and all(map(_is_value, operands[1].parts))
        )
    return part.name in _COMPARING | {"IS"} and all(map(_is_value, operands))


def _is_value(part: Part) -> bool:
    """Return whether the value is a literal or stored."""
    return part.sort in {"literal", "variable"} or (
        part.sort == "property" and part.parts[0].sort == "variable"
    )
