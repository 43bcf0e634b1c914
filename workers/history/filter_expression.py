"""Filters over the columns of history, as conditions of DuckDB: values stay values, and no text becomes SQL.

The language is that of metadata (`core.metadata.filter`), two-valued: what is empty fits nothing but `not`.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from functools import reduce
from typing import TYPE_CHECKING, Any

from hopline.errors import InvalidInput
from workers.core.metadata.filter import Both, Comparison, Either, Filter, Not

if TYPE_CHECKING:
    from collections.abc import Iterable

    from duckdb import Expression

TEXTS = ("id", "kind", "collection", "caller", "state", "reason", "parent", "request_id")
NUMBERS = ("epoch", "seconds", "calls", "prompt_tokens", "completion_tokens", "tokens", "cost", "dead")
MOMENTS = ("created", "ended")
LISTS = ("steps", "failed_steps")
PARAM, TAG = "param_", "tag_"
FIELDS_IN_WORDS = ", ".join((*TEXTS, *NUMBERS, *MOMENTS, *LISTS, f"{PARAM}NAME", f"{TAG}NAME"))
_DAY = timedelta(days=1)


def expression_of(tree: Filter) -> Expression:
    """Return a filter as a condition.

    Raises:
        InvalidInput: a field that history does not have, or an operator that does not fit it.
    """
    match tree:
        case Both():
            return all_of(expression_of(part) for part in tree.parts)
        case Either():
            return any_of(expression_of(part) for part in tree.parts)
        case Not():
            return ~expression_of(tree.part)
    if tree.op == "!=":
        return ~_test(tree.model_copy(update={"op": "="}))
    return _test(tree)


def all_of(conditions: Iterable[Expression]) -> Expression:
    """Return the condition that all of these hold."""
    return reduce(lambda left, right: left & right, conditions)


def any_of(conditions: Iterable[Expression]) -> Expression:
    """Return the condition that any of these is true."""
    return reduce(lambda left, right: left | right, conditions)


def holds(condition: Expression) -> Expression:
    """Return whether a condition is true; a comparison with an empty value is false."""
    from duckdb import CaseExpression  # noqa: PLC0415 - as below

    return CaseExpression(condition, constant(value=True)).otherwise(constant(value=False))


def texts_of_errors() -> Expression:
    """Return the errors of a job as one text."""
    return call("array_to_string", _each_error("error"), constant(" "))


def column(name: str) -> Expression:
    """Return a column."""
    from duckdb import ColumnExpression  # noqa: PLC0415 - 0.1 s, only for who searches

    return ColumnExpression(name)


def constant(value: Any) -> Expression:
    """Return a value."""
    from duckdb import ConstantExpression  # noqa: PLC0415 - as above

    return ConstantExpression(value)


def call(function: str, *arguments: Expression) -> Expression:
    """Return a DuckDB function applied to arguments."""
    from duckdb import FunctionExpression  # noqa: PLC0415 - as above

    return FunctionExpression(function, *arguments)


def all_collections() -> Expression:
    """Return the names of all collections that a job read; a row of before names its own alone."""
    own = call("list_value", column("collection"))
    return call("list_concat", own, column("collections"))


def lists_of(name: str) -> Expression:
    """Return the texts of a column that holds several: the steps, or those in which items were given up."""
    return call("map_keys", column("steps")) if name == "steps" else _each_error("step")


def _each_error(field: str) -> Expression:
    from duckdb import LambdaExpression  # noqa: PLC0415 - as above

    value = call("struct_extract", column("each"), constant(field))
    return call("list_transform", column("errors"), LambdaExpression("each", value))


def _test(test: Comparison) -> Expression:
    value = column_of(test.field)
    if test.op == "exists":
        filled = value.isnotnull()
        if test.field in LISTS:
            return filled & (call("len", value) > constant(0))
        return filled & (value != constant("")) if test.field in TEXTS else filled  # none is stored as ""
    if test.field in LISTS:
        if test.op != "has":
            raise InvalidInput("where", test.field, f'{test.field} has "…": it is a list')
        return call("list_contains", value, constant(test.value))
    if test.op == "has":
        raise InvalidInput("where", test.field, "compared with `has` for one of: " + ", ".join(LISTS))
    values = test.value if isinstance(test.value, tuple) else (test.value,)
    operator = "=" if test.op == "in" else test.op
    met = any_of(_compared(test.field, value, operator, each) for each in values)
    return holds(met)


def column_of(field: str) -> Expression:
    """Return the expression for a field of a filter.

    Raises:
        InvalidInput: history has no such field.
    """
    if field == "tokens":
        return column("prompt_tokens") + column("completion_tokens")
    if field in LISTS:
        return lists_of(field)
    if field in (*TEXTS, *NUMBERS, *MOMENTS):
        return column(field)
    if field.startswith(PARAM):
        path = f'$."{field.removeprefix(PARAM)}"'
        return call("json_extract_string", column("params"), constant(path))
    if field.startswith(TAG):
        return call("map_extract_value", column("tags"), constant(field.removeprefix(TAG)))
    raise InvalidInput("where", field, f"one of: {FIELDS_IN_WORDS}")


def _compared(field: str, column: Expression, operator: str, value: Any) -> Expression:
    if field in MOMENTS and isinstance(value, date):
        return _on_day(column, operator, value)
    is_number = isinstance(value, int | float)
    if field in NUMBERS:
        return _ordered(column, operator, value) if is_number else constant(value=False)
    if operator != "=":
        raise InvalidInput("where", f"{field} {operator}", f"= or in: {field} is a text")
    return column == constant(str(value))


def _on_day(column: Expression, operator: str, day: date) -> Expression:
    """Compare a moment with a day in UTC, as a whole."""
    begin = datetime(day.year, day.month, day.day, tzinfo=UTC)
    first, behind = constant(begin.timestamp()), constant((begin + _DAY).timestamp())
    match operator:
        case "=":
            return (column >= first) & (column < behind)
        case "<":
            return column < first
        case "<=":
            return column < behind
        case ">":
            return column >= behind
        case _:
            return column >= first


def _ordered(column: Expression, operator: str, value: float) -> Expression:
    other = constant(value)
    match operator:
        case "=":
            return column == other
        case "<":
            return column < other
        case "<=":
            return column <= other
        case ">":
            return column > other
        case _:
            return column >= other
