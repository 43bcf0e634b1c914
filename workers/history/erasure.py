"""Erasure from history: the rows of a collection, or every text that contains a name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import orjson

from workers.history.filter_expression import (
    all_collections,
    any_of,
    call,
    column,
    constant,
    holds,
    texts_of_errors,
)
from workers.history.table import COLUMNS

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation, Expression

Erased = Callable[["DuckDBPyRelation"], "DuckDBPyRelation | None"]


def without_collection(name: str) -> Erased:
    """Return what leaves out the rows of jobs that read a collection."""

    def erased(rows: DuckDBPyRelation) -> DuckDBPyRelation | None:
        theirs = call("list_contains", all_collections(), constant(name))
        return rows.filter(~theirs) if _has(rows, theirs) else None

    return erased


def without_name(name: str) -> Erased:
    """Return what empties the texts of all rows that contain a name; their figures stay."""

    def erased(rows: DuckDBPyRelation) -> DuckDBPyRelation | None:
        names = _contains(name)
        return rows.select(*_emptied(names)) if _has(rows, names) else None

    return erased


def _has(rows: DuckDBPyRelation, condition: Expression) -> bool:
    return bool(rows.filter(condition).limit(1).fetchall())


def _contains(name: str) -> Expression:
    spellings = {name, orjson.dumps(name).decode()[1:-1]}  # as a text, and within JSON
    texts = [
        column("params").cast("VARCHAR"),
        column("outcome").cast("VARCHAR"),
        column("reason"),
        texts_of_errors(),
        call("array_to_string", call("map_values", column("tags")), constant(" ")),
    ]
    conditions = [
        call("contains", text, constant(spelling)) for text in texts for spelling in sorted(spellings)
    ]
    return holds(any_of(conditions))


def _emptied(names: Expression) -> list[Expression]:
    """Return all columns, those with texts empty in the rows that a condition names."""
    from duckdb import CaseExpression  # noqa: PLC0415 - 0.1 s, only for who erases

    nothing = constant(0)
    empty = {
        "params": constant("{}").cast("JSON"),
        "outcome": constant("{}").cast("JSON"),
        "reason": constant(""),
        "errors": call("list_slice", column("errors"), constant(1), nothing),
        "tags": call(
            "map_from_entries", call("list_slice", call("map_entries", column("tags")), constant(1), nothing)
        ),
    }
    kept: dict[str, Expression] = {name: column(name) for name in COLUMNS}
    for name, nothing_left in empty.items():
        kept[name] = CaseExpression(names, nothing_left).otherwise(column(name)).alias(name)
    return list(kept.values())
