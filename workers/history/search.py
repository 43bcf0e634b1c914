"""Searches the history with DuckDB: ended jobs and their costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hopline.models.history import Cost, CostGroup, HistoryOrder, HistoryPage, HistoryRow
from workers.core.jobs.history import WantedHistory
from workers.history.books import JOBS
from workers.history.filter_expression import (
    all_collections,
    all_of,
    any_of,
    call,
    column,
    constant,
    expression_of,
    lists_of,
    texts_of_errors,
)
from workers.history.parts import Files
from workers.history.pending_rows import PendingRows
from workers.history.stored import Result, StoredRows, behind
from workers.history.table import COLUMNS, relation_of, relation_of_files

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation, Expression

_SUMMED = (
    "count(*) AS jobs, sum(calls)::BIGINT AS calls, sum(prompt_tokens)::BIGINT AS prompt_tokens, "
    "sum(completion_tokens)::BIGINT AS completion_tokens, sum(cost) AS cost"
)
_GROUPS: Mapping[CostGroup, str] = {
    "day": "strftime(make_timestamp((ended * 1000000)::BIGINT), '%Y-%m-%d')",
    "key": "caller",
    "collection": "collection",
    "kind": "kind",
    "model": "name",
}
# Fields of a model's part of a row, and the columns of the row that they are parts of.
_USED = {
    "model_calls": "calls",
    "prompt_tokens": "prompt_tokens",
    "completion_tokens": "completion_tokens",
    "cost": "cost",
}
_ORDERS: Mapping[HistoryOrder, str] = {
    "ended": "ended",
    "cost": "coalesce(cost, 0.0)",
    "tokens": "(prompt_tokens + completion_tokens)::DOUBLE",
    "seconds": "seconds",
}


class HistorySearch:
    """Searches stored rows, and rows waiting in Redis.

    Args:
        pending: the rows that wait.
        files: the history's files.
    """

    def __init__(self, pending: PendingRows[HistoryRow], files: Files) -> None:
        self._stored = StoredRows(JOBS, "history", pending, files, _union)

    def page(
        self, wanted: WantedHistory, *, before: str = "", limit: int = 50, order: HistoryOrder = "ended"
    ) -> HistoryPage:
        """Return a page of the ended jobs that are wanted.

        Args:
            wanted: which jobs.
            before: the cursor that came with the page before, in the same order; empty for the first.
            limit: how many at most.
            order: sort order.

        Raises:
            InvalidInput: the cursor or a field of the filter is not valid.
        """
        after = behind(before, "rank") if before else None

        def read(rows: DuckDBPyRelation) -> list[dict[str, Any]]:
            ranked = rows.project(f"*, {_ORDERS[order]} AS rank")
            left = ranked.filter(after) if after is not None else ranked
            return left.order("rank DESC, id DESC").limit(limit + 1).to_dicts()

        history_rows = self._read(wanted, read)
        last = history_rows[limit - 1] if len(history_rows) > limit else None
        ranks = [row.pop("rank") for row in history_rows]
        page = tuple(HistoryRow.read_stored(row) for row in history_rows[:limit])
        return HistoryPage(jobs=page, next=f"{ranks[limit - 1]!r}:{last['id']}" if last else None)

    def costs(self, wanted: WantedHistory, by: CostGroup) -> list[Cost]:
        """Return the costs of the selected jobs by day, API key, collection, kind or model.

        A job is counted with each model that it called.
        """

        def read(rows: DuckDBPyRelation) -> list[dict[str, Any]]:
            whole = rows.filter("parent = ''")
            if by == "model":
                whole = _by_model(whole)
            return whole.aggregate(f"{_GROUPS[by]} AS name, {_SUMMED}").order("name").to_dicts()

        return [Cost(by=row.pop("name"), **row) for row in self._read(wanted, read)]

    def _read(self, wanted: WantedHistory, read: Callable[[DuckDBPyRelation], Result]) -> Result:
        """Apply a function to the newest end of each selected job."""
        return self._stored.read(wanted.since, lambda rows: read(_newest(rows).filter(_condition(wanted))))


def _union(
    connection: DuckDBPyConnection, live: Sequence[HistoryRow], files: Sequence[Path], folder: Path
) -> DuckDBPyRelation:
    waiting = relation_of(connection, live, folder)
    if not files:
        return waiting
    stored = relation_of_files(connection, files)
    if live:
        moving = waiting.project("id, epoch").set_alias("moving")
        stored = stored.set_alias("stored").join(moving, ["id", "epoch"], how="anti")
    return stored.union_by_name(waiting)


def _newest(rows: DuckDBPyRelation) -> DuckDBPyRelation:
    """Return each job's last end; only jobs that were retried have several."""
    later = rows.filter("epoch > 1").aggregate("id, max(epoch) AS newest").set_alias("later")
    newest = rows.set_alias("each").join(later, ["id"], how="left")
    return newest.filter("newest IS NULL OR epoch = newest").project(", ".join(COLUMNS))


def _by_model(rows: DuckDBPyRelation) -> DuckDBPyRelation:
    """Return a row for each model that a job called, and one for its calls without a known model."""
    rest = ", ".join(f"'{field}': {_unnamed(name, field)}" for field, name in _USED.items())
    named = f"list_append(coalesce(map_entries(models), []), {{'key': '', 'value': {{{rest}}}}})"
    used = rows.project(f"unnest({named}, recursive := true)").filter("model_calls > 0")
    return used.project(", ".join(["key AS name", *(f"{field} AS {name}" for field, name in _USED.items())]))


def _unnamed(name: str, field: str) -> str:
    """Return a row's sum without those of its models; a cost is rounded to millionths."""
    named = f"list_sum(list_transform(map_values(models), lambda each: each.{field}))"
    return f"round({name} - coalesce({named}, 0), 6)" if name == "cost" else f"{name} - coalesce({named}, 0)"


def _condition(wanted: WantedHistory) -> Expression:
    """Return the filter condition on a job's last end."""
    conditions = [
        column(name) == constant(value)
        for name, value in (("state", wanted.state), ("kind", wanted.kind), ("caller", wanted.caller))
        if value
    ]
    if wanted.collections is not None:
        names = constant(sorted(wanted.collections))
        conditions.append(call("list_contains", names, column("collection")))
    if wanted.readable is not None:
        conditions.append(call("list_has_all", constant(sorted(wanted.readable)), all_collections()))
    if wanted.since is not None:
        conditions.append(column("ended") >= constant(wanted.since))
    if wanted.until is not None:
        conditions.append(column("ended") < constant(wanted.until))
    if wanted.step:
        step = constant(wanted.step)
        given_up = call("list_contains", lists_of("failed_steps"), step)
        conditions.append(call("list_contains", lists_of("steps"), step) | given_up)
    if wanted.error:
        conditions.append(_mentions(wanted.error))
    for name, value in wanted.tags.items():
        conditions.append(call("map_extract_value", column("tags"), constant(name)) == constant(value))
    if wanted.where is not None:
        conditions.append(expression_of(wanted.where))
    return all_of([constant(value=True), *conditions])


def _mentions(text: str) -> Expression:
    """Return whether the reason or an error contains a text, in any case."""
    part = constant(text.lower())
    return any_of(
        call("contains", call("lower", text), part) for text in (column("reason"), texts_of_errors())
    )
