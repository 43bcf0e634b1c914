"""Lists and maps that hold others, clause after clause: one row may grow beyond what a server can send."""

from __future__ import annotations

from workers.text2cypher.lexer import refusal
from workers.text2cypher.syntax import Part, words

_MOST = 5000  # times that a row may come to hold what an earlier one held
_REPEATED = 100  # taken for the length of a list, where each member is given the same value
_OF_VARIABLE = 10  # the same, where that value is a property
_ONE = words(
    "AND OR XOR NOT = <> != < > <= >= =~ IN CONTAINS STARTS ENDS IS - * / % ^ sign count sum avg min max size"
    " length abs round floor ceil type id elementid date datetime duration exists EXISTS COUNT"
)


def check_carried(text: str, statement: Part) -> None:
    """Refuse values that come to hold one another many times.

    Raises:
        CypherRefused: they do.
    """
    product = 1
    for clause in statement.every("clause"):
        items = [part for part in clause.parts if part.sort == "item"]
        product *= max((_carried(item) for item in items), default=1)
        if product > _MOST:
            what = f"values that hold others {product} times over"
            raise refusal(text, clause.token.at, what, f"{_MOST}, by lists, maps and comprehensions")


def _carried(part: Part) -> int:
    """Return how many values are put together in it, at least one."""
    if part.name in _ONE and part.sort in {"operation", "call", "subquery"}:
        return 1
    inner = [_carried(one) for one in part.parts]
    match part.sort:
        case "list" | "map" | "projection":
            return max(1, sum(inner))
        case "operation":
            return max(1, sum(inner)) if part.name in {"+", "||"} else 1
        case "each" | "along" | "reduce":
            return max(inner, default=1) * _repeated(part)
        case "subquery":
            return 1  # its clauses count by themselves
    return max(inner, default=1)


def _repeated(part: Part) -> int:
    """Return how often a value from outside is repeated, for each member of a list."""
    own = {one.name for one in part.every("binding")}
    bodies = part.parts[4:] if part.sort == "reduce" else part.parts[-1:]
    if part.sort == "each" and len(part.parts) == 2:  # noqa: PLR2004 - a binding and its list: nothing is done
        return 1
    return max((_outer(body, own) for body in bodies), default=1)


def _outer(part: Part, own: set[str]) -> int:
    """Return the weight of the values from outside that a comprehension puts into each member."""
    if part.name in _ONE and part.sort in {"operation", "call", "subquery"}:
        return 1
    if part.sort in {"variable", "parameter"}:
        return 1 if part.name in own else _REPEATED
    if part.sort == "property" and part.parts[0].sort == "variable":
        return 1 if part.parts[0].name in own else _OF_VARIABLE
    return max((_outer(one, own) for one in part.parts), default=1)
