"""Searches the audit with DuckDB: stored events, and those that wait in Redis to be."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from hopline.models.audit import AuditEvent, AuditPage
from workers.core.audit import WantedAudit
from workers.history.books import EVENTS
from workers.history.filter_expression import all_of, call, column, constant
from workers.history.parts import Files
from workers.history.pending_rows import PendingRows
from workers.history.stored import StoredRows, behind
from workers.history.table import relation_of, relation_of_files

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckdb import DuckDBPyConnection, DuckDBPyRelation, Expression


class AuditSearch:
    """Searches the audit.

    Args:
        pending: the events that wait.
        files: the history's files.
    """

    def __init__(self, pending: PendingRows[AuditEvent], files: Files) -> None:
        self._stored = StoredRows(EVENTS, "the audit", pending, files, _union)

    def page(self, wanted: WantedAudit, *, before: str = "", limit: int = 50) -> AuditPage:
        """Return a page of events, newest first.

        Args:
            wanted: which events.
            before: the cursor that came with the page before; empty for the first.
            limit: how many at most.

        Raises:
            InvalidInput: the cursor is not valid.
            Transient: files were put together meanwhile, again and again.
        """
        condition = all_of([_condition(wanted), *([behind(before, "began")] if before else [])])

        def read(rows: DuckDBPyRelation) -> list[dict[str, Any]]:
            return _last_told(rows).filter(condition).order("began DESC, id DESC").limit(limit + 1).to_dicts()

        events = self._stored.read(wanted.since, read)
        last = events[limit - 1] if len(events) > limit else None
        page = tuple(map(AuditEvent.read_stored, events[:limit]))
        return AuditPage(events=page, next=f"{last['began']!r}:{last['id']}" if last else None)


def _union(
    connection: DuckDBPyConnection, live: Sequence[AuditEvent], files: Sequence[Path], folder: Path
) -> DuckDBPyRelation:
    waiting = relation_of(connection, live, folder, EVENTS.columns)
    return relation_of_files(connection, files, EVENTS.columns).union_by_name(waiting) if files else waiting


def _last_told(rows: DuckDBPyRelation) -> DuckDBPyRelation:
    """Return each event once in its latest state: only its beginning, if its end is unknown."""
    ended = rows.filter("outcome <> 'begun'").project("id").distinct().set_alias("ended")
    begun = rows.filter("outcome = 'begun'").set_alias("begun").join(ended, ["id"], how="anti")
    columns = ", ".join(f'"{name}"' for name in EVENTS.columns)
    whole = rows.filter("outcome <> 'begun'").project(columns)
    return whole.union_by_name(begun.project(columns)).distinct()


def _condition(wanted: WantedAudit) -> Expression:
    conditions = [
        column(name) == constant(value)
        for name in ("act", "kind", "target", "via", "outcome")
        if (value := getattr(wanted, name))
    ]
    if wanted.who:
        who = constant(wanted.who)
        acting = call("list_contains", column("acting"), who)
        conditions.append((column("key") == who) | (column("name") == who) | acting)
    if wanted.collections is not None:
        conditions.append(call("list_contains", constant(sorted(wanted.collections)), column("collection")))
    if wanted.since is not None:
        conditions.append(column("began") >= constant(wanted.since))
    if wanted.until is not None:
        conditions.append(column("began") < constant(wanted.until))
    return all_of([constant(value=True), *conditions])
