"""Options that say which jobs are meant, for listing them and for acting on many."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from producer.commands.completion import complete_collection
from workers.core.errors import InvalidInput
from workers.core.jobs.work import JobState

if TYPE_CHECKING:
    from producer.client.hopline import Hopline
    from workers.ledger.records import JobRecord

MOST_JOBS = 2000  # that one command lists or acts on
_AGO = re.compile(r"(\d{1,6}) ?(min|h|d)")
_UNITS = {"min": "minutes", "h": "hours", "d": "days"}
_WHEN = "a time such as 2026-11-20 or 2026-11-20T08:00, or how long ago: 30min, 12h, 7d"

State = Annotated[JobState | None, typer.Option("--state", help="Only jobs that stand there.")]
Kind = Annotated[
    str | None, typer.Option("--kind", help="Only jobs of a kind: query, document, batch, sync …")
]
OfCollection = Annotated[
    str | None,
    typer.Option("--collection", "-c", help="Only jobs of a collection.", autocompletion=complete_collection),
]
Since = Annotated[
    str | None,
    typer.Option("--since", help="Only jobs submitted then or later: 2026-11-20, 2026-11-20T08:00, 12h, 7d."),
]


@dataclass(frozen=True)
class JobFilter:
    """Which jobs are meant; what is None is not asked for."""

    state: JobState | None
    kind: str | None
    collection: str | None
    since: datetime | None

    @classmethod
    def read(
        cls, state: JobState | None, kind: str | None, collection: str | None, since: str | None
    ) -> JobFilter:
        """Return the filter that options mean.

        Raises:
            InvalidInput: `since` is no time.
        """
        return cls(state, kind, collection, None if since is None else read_since(since))

    def __bool__(self) -> bool:
        return any(part is not None for part in (self.state, self.kind, self.collection, self.since))

    def jobs(self, client: Hopline, limit: int = MOST_JOBS) -> list[JobRecord]:
        """Return the newest of these jobs, newest first."""
        return client.jobs(
            limit, state=self.state, kind=self.kind, collection=self.collection, since=self.since
        )


def read_since(given: str) -> datetime:
    """Return a time in this machine's zone unless it names one; `12h` is twelve hours ago.

    Raises:
        InvalidInput: it is no time.
    """
    text = given.strip()
    try:
        if ago := _AGO.fullmatch(text):
            return datetime.now().astimezone() - timedelta(**{_UNITS[ago[2]]: int(ago[1])})
        return datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError):
        raise InvalidInput("since", given, _WHEN) from None
