"""Books of history: ended jobs and audit events, each with keys in Redis, a folder and columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Generic, NamedTuple, TypeVar

from hopline.models.audit import AuditEvent
from hopline.models.history import HistoryRow
from workers.core.redis_keys import (
    AUDIT,
    AUDIT_LAST,
    AUDIT_SEALED,
    AUDIT_TURN,
    HISTORY,
    HISTORY_LAST,
    HISTORY_SEALED,
    HISTORY_TURN,
)
from workers.history.table import COLUMNS

RowOf = TypeVar("RowOf", HistoryRow, AuditEvent)


class Book(NamedTuple, Generic[RowOf]):
    """A kind of rows."""

    row: type[RowOf]
    folder: str  # of its files
    waiting: str  # key of the rows that wait
    last: str  # key of the number under which rows were sealed last
    sealed: str  # key of those numbers, and with one behind it of rows that were sealed
    turn: str  # key of the lock of who writes
    columns: Mapping[str, str]  # DuckDB's types
    order: str  # of the rows of a file


JOBS: Book[HistoryRow] = Book(
    HistoryRow,
    "history/jobs/",
    HISTORY,
    HISTORY_LAST,
    HISTORY_SEALED,
    HISTORY_TURN,
    COLUMNS,
    "ended, id, epoch",
)
EVENTS: Book[AuditEvent] = Book(
    AuditEvent,
    "history/audit/",
    AUDIT,
    AUDIT_LAST,
    AUDIT_SEALED,
    AUDIT_TURN,
    {
        "id": "VARCHAR",
        "began": "DOUBLE",
        "act": "VARCHAR",
        "kind": "VARCHAR",
        "target": "VARCHAR",
        "collection": "VARCHAR",
        "count": "BIGINT",
        "via": "VARCHAR",
        "key": "VARCHAR",
        "name": "VARCHAR",
        "acting": "VARCHAR[]",
        "address": "VARCHAR",
        "request_id": "VARCHAR",
        "outcome": "VARCHAR",
        "error": "VARCHAR",
    },
    "began, id, outcome",
)
