"""Tells which values of a row come from the graph rather than from the model's own statement."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from workers.core.errors import CypherRefused
from workers.core.graph.cypher import Value
from workers.text2cypher.lexer import Token, lex, significant
from workers.tools.tables import cell, is_entity

_AMOUNTS = frozenset(("LIMIT", "SKIP", "OFFSET"))  # how many rows: it reaches no cell
_PROJECTING = frozenset(("WITH", "UNWIND", "RETURN"))
_CLAUSES = _AMOUNTS | _PROJECTING | {"MATCH", "OPTIONAL", "WHERE", "ORDER", "UNION", "CALL"}
# Clauses through which no literal is followed: then all of a statement's literals count.
_UNFOLLOWED = frozenset(("UNION", "CALL", "LET", "FILTER", "FOREACH"))
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_COUNTING, _ADDING = frozenset(("COUNT", "EXISTS")), frozenset(("SUM", "AVG", "STDEV", "STDEVP"))
_CUTTING = frozenset(("ROUND", "SUBSTRING", "LEFT", "RIGHT"))  # their first argument alone is a value
# Statements with these names can build maps that look like nodes.
_OF_ENTITIES = frozenset(("properties", "path"))
_NAMED = 2  # tokens of AS and a name
_SHORTEST = 3  # characters of a text that can say something


def words_of(cypher: str) -> str:
    """Return a statement's texts and numbers in one text: a sentence may rest on those that the user typed.

    Args:
        cypher: the statement that ran; one that cannot be parsed here has no grounds.
    """
    _, _, whole = _columns(cypher)
    return " ".join([*whole.texts, *(f"{number:g}" for number in sorted(whole.numbers))])


class Column:
    """The literals that can reach the cells of one column.

    Args:
        tokens: the expression behind it, with the expressions of all names in it that WITH and UNWIND made.
    """

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.texts = [token.text[1:-1] for token in tokens if token.kind == "string"]
        self.numbers = {number for token in tokens if (number := _number(token)) is not None}

    def without(self, value: Any) -> str:
        """Return a scalar or an entity in words, without values from the statement."""
        if value is None or isinstance(value, Mapping):
            return cell(value) if value else ""
        if isinstance(value, int | float) and not isinstance(value, bool):
            return "" if float(value) in self.numbers else cell(value)
        remainder = str(cell(value))
        for text in sorted(self.texts, key=len, reverse=True):
            if len(text) >= _SHORTEST:
                remainder = re.sub(re.escape(text), " ", remainder, flags=re.IGNORECASE)
        return remainder.strip()


def _number(token: Token) -> float | None:
    if token.kind != "number":
        return None
    try:
        return float(token.text.replace("_", ""))
    except ValueError:
        return None  # hexadecimal, octal


@lru_cache(maxsize=64)
def _columns(cypher: str) -> tuple[bool, list[Column], Column]:
    """Return whether a statement forges nodes, its columns, and one of all its literals.

    There are no columns if they cannot be distinguished: with UNION, subqueries and `RETURN *`.
    """
    try:
        tokens = significant(lex(cypher))
    except CypherRefused:
        return False, [], Column(())
    forges = any(token.kind in {"word", "quoted"} and token.name in _OF_ENTITIES for token in tokens)
    returned = _returned(tokens)
    return forges, [Column(column) for column in returned], Column(_without_amounts(tokens))


def _without_amounts(tokens: Sequence[Token]) -> list[Token]:
    """Leave out how many rows are wanted: that reaches no cell."""
    before = [None, *tokens]
    return [
        token for last, token in zip(before, tokens, strict=False) if not last or last.key not in _AMOUNTS
    ]


def _returned(tokens: Sequence[Token]) -> list[list[Token]]:
    """Return the tokens of each column, with names replaced by their definitions."""
    clauses = list(_clauses(tokens))
    keys = [clause[0].key for clause in clauses]
    if keys.count("RETURN") != 1 or _UNFOLLOWED & {token.key for token in tokens}:
        return []
    known: dict[str, list[Token]] = {}
    is_matched = False  # and no list was unwound, which multiplies rows
    for clause in clauses:
        is_matched = (is_matched or clause[0].key == "MATCH") and "UNWIND" not in keys
        if clause[0].key not in _PROJECTING:
            continue
        items = [_item(part) for part in _split(clause[1:])]
        named = [(name, part) for name, part in items if part and part[0].key != "*"]
        if clause[0].key == "RETURN" and len(named) < len(items):
            return []
        items = named
        resolved = [(name, _resolved(part, known, is_matched=is_matched)) for name, part in items]
        if clause[0].key == "RETURN":
            return [part for _, part in resolved]
        known |= dict(resolved)
    return []


def _clauses(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """Yield the clauses of a statement from their keywords on, including ORDER BY, SKIP and LIMIT."""
    depth, clause = 0, list[Token]()
    for token in tokens:
        depth += (token.key in _OPENING) - (token.key in _CLOSING)
        compares = bool(clause) and clause[-1].key in {"STARTS", "ENDS"}  # … WITH
        if depth == 0 and token.key in _CLAUSES and clause and not compares:
            yield clause
            clause = []
        clause.append(token)
    if clause:
        yield clause


def _split(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """Yield the parts between commas outside brackets."""
    depth, part = 0, list[Token]()
    for token in tokens:
        depth += (token.key in _OPENING) - (token.key in _CLOSING)
        if depth == 0 and token.key == ",":
            yield part
            part = []
        elif token.key != "DISTINCT" or part:
            part.append(token)
    yield part


def _item(part: list[Token]) -> tuple[str, list[Token]]:
    """Return the name and the expression of a projected item."""
    if len(part) > _NAMED and part[-2].key == "AS":
        return part[-1].name, part[:-2]
    return (part[0].name if len(part) == 1 else ""), part


def _resolved(part: Sequence[Token], known: Mapping[str, list[Token]], *, is_matched: bool) -> list[Token]:
    """Return the tokens of an expression that can reach its value.

    A count of matched rows belongs to the graph, whatever is counted; so does a sum or an average of
    properties. Arguments for rounding or cutting a value do not reach a cell.
    """
    tokens: list[Token] = []
    at = 0
    while at < len(part):
        token, following = part[at], part[at + 1].key if at + 1 < len(part) else ""
        end = _end(part, at + 1) if following in {"(", "{"} else at
        if (
            is_matched
            and end > at
            and (token.key in _COUNTING or (token.key in _ADDING and _adds_properties(part[at:end], known)))
        ):
            at = end + 1
            continue
        if token.key in _CUTTING and end > at:
            first = next(_split(part[at + 2 : end]))
            tokens += _resolved(first, known, is_matched=is_matched)
            at = end + 1
            continue
        is_property = at > 0 and part[at - 1].key == "."
        is_name = token.kind in {"word", "quoted"} and not is_property and following not in {"(", ":"}
        tokens += known.get(token.name, [token]) if is_name else [token]
        at += 1
    return tokens


def _adds_properties(part: Sequence[Token], known: Mapping[str, list[Token]]) -> bool:
    """Return whether an aggregate uses only properties, 0, 1 and numbers in conditions."""
    tokens = [each for token in part for each in known.get(token.name, [token])]
    within = False
    for token in tokens:
        within = (within or token.key == "WHEN") and token.key != "THEN"
        if not within and (token.kind == "string" or _number(token) not in {None, 0.0, 1.0}):
            return False
    return any(token.key == "." for token in tokens)


def _end(part: Sequence[Token], opening: int) -> int:
    """Return where the bracket opened here closes."""
    depth = 0
    for at in range(opening, len(part)):
        depth += (part[at].key in _OPENING) - (part[at].key in _CLOSING)
        if depth == 0:
            return at
    return len(part) - 1


def grounds(values: Sequence[Value], cypher: str) -> str:
    """Return what of a row's values a sentence may rest on.

    Nodes, relationships and paths come from the graph, and so do properties and aggregates of matches. Texts
    and numbers that the statement itself puts into a column do not, nor do keys of maps: `RETURN 'anything'
    AS answer` finds nothing. Literals elsewhere, such as in a condition, do no harm.
    """
    forges, columns, whole = _columns(cypher)
    if len(columns) != len(values):
        columns = [whole] * len(values)
    texts = (
        column.without(leaf)
        for column, value in zip(columns, values, strict=True)
        for leaf in _leaves(value, forged=forges)
    )
    return " · ".join(filter(None, texts))


def _leaves(value: Any, *, forged: bool) -> Iterator[Any]:
    """Yield scalars and whole entities; of other maps their values."""
    if isinstance(value, list):
        for member in value:
            yield from _leaves(member, forged=forged)
    elif isinstance(value, Mapping) and (forged or not is_entity(value)):
        for member in value.values():
            yield from _leaves(member, forged=forged)
    else:
        yield value
