"""Splits a Cypher condition into conjuncts, and finds those that can never raise an error."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from workers.text2cypher.cursor import OPENING
from workers.text2cypher.lexer import lex
from workers.text2cypher.syntax import Part, words

_COMPARING = words("= <> < > <= >= CONTAINS STARTS ENDS")  # of any two values; null where they cannot be
_JOINING = words("NOT AND OR XOR")


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
    """Yield each condition with the AND behind it."""
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
