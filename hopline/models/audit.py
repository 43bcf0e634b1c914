"""Records of who did what."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from pydantic import Field

from hopline.models.base import Frozen, Page
from hopline.models.collections import CollectionName
from hopline.models.history import day_of
from hopline.models.times import Moment, Timestamp

Via = Literal["http", "mcp", "queue", "cli", "client", "schedule"]

# begun: its end is not known, as the process was killed, or it is under way; refused: by an error that the
# caller hears; failed: another error, or a server was away: part of the act, or all, may have been done.
Outcome = Literal["begun", "done", "refused", "failed"]

Act = Literal[
    "submit", "cancel", "retry", "replay", "pause", "resume", "create", "revoke", "change", "open", "set",
    "clear", "add", "remove", "erase", "edit", "restore", "show", "act-as",
]  # fmt: skip


class AuditEvent(Frozen):
    """One act; columns of the files are named after these fields (`history.books.EVENTS`)."""

    id: str
    began: Timestamp  # when it was begun
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


class AuditFilter(TypedDict, total=False):
    """Selects acts; fields that are not given, or None, select all."""

    since: Annotated[Moment | None, Field(description="Only acts that began at this time or later.")]
    until: Annotated[Moment | None, Field(description="Only acts that began before this time.")]
    who: Annotated[
        str, Field(max_length=300, description="Id or name of a key, an account, or a principal acted for.")
    ]
    act: Annotated[Act | None, Field(description="Only acts of this kind.")]
    kind: Annotated[
        str, Field(max_length=50, description="Only acts on this kind of object: key, schema, query …")
    ]
    target: Annotated[str, Field(max_length=200, description="Only acts on the object with this id or name.")]
    via: Annotated[Via | None, Field(description="Only acts through this interface.")]
    outcome: Annotated[Outcome | None, Field(description="Only acts with this outcome.")]
    collection: Annotated[CollectionName | None, Field(description="Only acts in this collection.")]


class AuditPage(Page):
    """Acts, newest first."""

    events: tuple[AuditEvent, ...]
