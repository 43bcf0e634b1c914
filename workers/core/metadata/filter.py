"""Filters on the metadata of documents: a small typed tree, the same in the language and as JSON.

Logic has two values. A comparison with a field that a document lacks, or with a value of another type, is
false, and so `not` of it is true; `!=` is short for `not … =`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Literal

from pydantic import Field

from hopline.errors import InvalidInput
from hopline.models.base import Frozen
from hopline.models.metadata import (
    KIND_WORDS,
    LONGEST_OF_LIST,
    WELL_KNOWN,
    Value,
    checked_name,
    kind_of,
    plain_text,
    shaped_value,
)

Operator = Literal["=", "!=", "<", "<=", ">", ">=", "has", "in", "exists"]
ORDERED: tuple[Operator, ...] = ("<", "<=", ">", ">=")
DEEPEST, MOST_TESTS = 20, 100
_MOST_VALUES = 100  # of an `in`


class Comparison(Frozen):
    """A test of one field."""

    field: str
    op: Operator
    # Of the operator `in` a tuple, of `has` a text also where it looks like a date, of `exists` none.
    value: str | int | float | date | tuple[str | int | float | date, ...] | None = None


class Both(Frozen):
    """Passes if all of several filters pass."""

    parts: tuple[Filter, ...] = Field(alias="and")


class Either(Frozen):
    """Passes if at least one of several filters passes."""

    parts: tuple[Filter, ...] = Field(alias="or")


class Not(Frozen):
    """The negation of a filter."""

    part: Filter = Field(alias="not")


Filter = Comparison | Both | Either | Not
for _model in (Both, Either, Not):
    _model.model_rebuild()


def comparison(field: str, operator: str, value: Any = None) -> Comparison:
    """Return a test of a field.

    Raises:
        InvalidInput: the value does not fit the operator or the field; names the value and what is allowed.
    """
    name = checked_name(field)
    place = f"where {name} {operator}"
    kinds = WELL_KNOWN.get(name, ())
    if operator == "exists":
        _check_nothing(place, value)
        return Comparison(field=name, op="exists")
    if operator == "has":
        if kinds and "list" not in kinds:
            raise InvalidInput(
                place, value, "another comparison: `has` needs a list, and the field is not one"
            )
        return Comparison(field=name, op="has", value=_text_of_list(place, value))
    if operator == "in":
        if not isinstance(value, list | tuple) or not 1 <= len(value) <= _MOST_VALUES:
            raise InvalidInput(place, value, f"1 to {_MOST_VALUES} values between brackets")
        return Comparison(field=name, op="in", value=tuple(_single(place, name, part) for part in value))
    if operator not in ("=", "!=", *ORDERED):
        raise InvalidInput("where", operator, "one of: =, !=, <, <=, >, >=, has, in, exists")
    if kinds == ("list",):
        raise InvalidInput(place, value, f'another comparison: the field is a list; use {name} has "…"')
    single = _single(place, name, value)
    if operator in ORDERED and kind_of(single) == "text":
        raise InvalidInput(place, value, "a number, or a date such as 2024-05-01: text has no order")
    return Comparison(field=name, op=operator, value=single)


def _check_nothing(place: str, value: Any) -> None:
    if value is not None:
        raise InvalidInput(place, value, "left out, because `exists` takes no value")


def _text_of_list(place: str, value: Any) -> str:
    text = plain_text(value) if isinstance(value, str) else ""
    if not 1 <= len(text) <= LONGEST_OF_LIST:
        raise InvalidInput(place, value, f"a text of 1 to {LONGEST_OF_LIST} characters")
    return text


def _single(place: str, name: str, value: Any) -> str | int | float | date:
    single = shaped_value(place, value)
    if isinstance(single, tuple):
        raise InvalidInput(place, value, "one text, number or date")
    kinds = WELL_KNOWN.get(name)
    if kinds and kind_of(single) not in kinds:
        raise InvalidInput(place, value, " or ".join(KIND_WORDS[kind] for kind in kinds if kind != "list"))
    return single


def bounded_filter(tree: Filter) -> Filter:
    """Return a filter after checking its size.

    Raises:
        InvalidInput: it is nested too deep, or has too many comparisons.
    """
    level, depth, tests = [tree], 0, 0
    while level:
        depth += 1
        tests += sum(isinstance(part, Comparison) for part in level)
        if depth > DEEPEST or tests > MOST_TESTS:
            allowed = f"at most {MOST_TESTS} comparisons, nested at most {DEEPEST} deep"
            raise InvalidInput("where", "a larger filter", allowed)
        level = [inner for part in level for inner in parts_of(part)]
    return tree


def parts_of(tree: Filter) -> Sequence[Filter]:
    """Return the immediate parts of a filter."""
    if isinstance(tree, Not):
        return (tree.part,)
    return tree.parts if isinstance(tree, Both | Either) else ()


def matches(tree: Filter, metadata: Mapping[str, Value]) -> bool:
    """Return whether a document with this metadata passes a filter."""
    match tree:
        case Both():
            return all(matches(part, metadata) for part in tree.parts)
        case Either():
            return any(matches(part, metadata) for part in tree.parts)
        case Not():
            return not matches(tree.part, metadata)
    held = metadata.get(tree.field)
    if tree.op == "!=":
        return not _holds("=", held, tree.value)
    return held is not None and _holds(tree.op, held, tree.value)


def _holds(operator: Operator, held: Any, value: Any) -> bool:
    if operator == "exists":
        return True
    if operator == "has":
        return isinstance(held, tuple) and value in held
    if operator == "in":
        return any(_holds("=", held, part) for part in value)
    if held is None or kind_of(held) != kind_of(value):
        return False
    if operator == "=":
        return bool(held == value)
    below, equal = held < value, held == value
    return bool({"<": below, "<=": below or equal, ">": not (below or equal), ">=": not below}[operator])
