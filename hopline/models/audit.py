"""Who did what."""

from __future__ import annotations

from typing import Literal

from hopline.models.base import Frozen
from hopline.models.history import day_of

Via = Literal["http", "mcp", "queue", "cli", "client", "schedule"]

# begun: its end is not known, as the process was killed, or it is under way; refused: by an error that the
# caller is told; failed: another error, or a server was away: part of the act, or all, may have been done.
Outcome = Literal["begun", "done", "refused", "failed"]

Act = Literal[
    "submit", "cancel", "retry", "replay", "pause", "resume", "create", "revoke", "change", "open", "set",
    "clear", "add", "remove", "erase", "edit", "restore", "show", "act-as",
]  # fmt: skip


class AuditEvent(Frozen):
    """One act; columns of the files are named after these fields (`history.books.EVENTS`)."""

    id: str
    began: float  # seconds since the epoch, when it was begun
    act: Act
    kind: str  # of what it was done to: a kind of job, batch, sync, schedule, key, schema, documents …
    target: str = ""  # its id or name
    collection: str = ""
    count: int | None = None  # of what it was done to, where that may be several
    via: Via
    key: str = ""
    name: str = ""
    acting: tuple[str, ...] = ()
    address: str = ""
    request_id: str = ""
    outcome: Outcome = "begun"
    error: str = ""  # the class of the error, of what was refused or failed

    @property
    def day(self) -> str:
        """The day of the act in UTC, as 2026-10-01."""
        return day_of(self.began)


class AuditPage(Frozen):
    """Acts, newest first."""

    events: tuple[AuditEvent, ...]
    next: str = ""  # cursor of the page behind this one
