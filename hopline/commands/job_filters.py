"""Options that say which jobs are meant, for listing them and for acting on many."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Annotated, cast

import typer

from hopline.commands.completion import complete_collection
from hopline.errors import InvalidInput
from hopline.models.jobs import JobFilter, JobState

MOST_JOBS = 2000  # that one command lists or acts on
_DURATION = re.compile(r"(\d{1,6}) ?(min|h|d)")
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
Until = Annotated[str | None, typer.Option("--until", help="Only jobs submitted then or before.")]
OfTag = Annotated[
    list[str] | None,
    typer.Option(
        "--tag", metavar="NAME=VALUE", help="Only jobs with this tag; may be repeated.", show_default=False
    ),
]
OfStep = Annotated[
    str | None, typer.Option("--step", help="Only jobs with items of a step, such as ingest.extract.")
]
OfError = Annotated[str | None, typer.Option("--error", help="Only jobs of whose errors this is a part.")]


def read_filter(
    *,
    state: JobState | None,
    kind: str | None,
    collection: str | None,
    tag: Sequence[str] | None = None,
    step: str | None = None,
    error: str | None = None,
    since: str | None = None,
    until: str | None = None,
) -> JobFilter:
    """Return the filter that options mean; what is not asked for is left out.

    Raises:
        InvalidInput: `since` or `until` is no time, or a tag is not valid.
    """
    from hopline.models.tags import parse_tags

    meant = JobFilter(
        state=state,
        kind=kind,
        collection=collection,
        tags=parse_tags(tag or ()),
        step=step,
        error=error,
        since=None if since is None else read_since(since),
        until=None if until is None else read_since(until, "until"),
    )
    return cast("JobFilter", {name: value for name, value in meant.items() if value})


def read_since(time_text: str, field: str = "since") -> datetime:
    """Return a time in this machine's zone unless it names one; `12h` is twelve hours ago.

    Raises:
        InvalidInput: it is no time.
    """
    text = time_text.strip()
    try:
        if _DURATION.fullmatch(text):
            return datetime.now().astimezone() - read_duration(text, field)
        return datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError):
        raise InvalidInput(field, time_text, _WHEN) from None


def read_duration(text: str, field: str) -> timedelta:
    """Return how long 30min, 12h or 7d is.

    Raises:
        InvalidInput: it is no duration.
    """
    match = _DURATION.fullmatch(text.strip())
    if not match:
        raise InvalidInput(field, text, "minutes, hours or days: 30min, 12h, 7d")
    return timedelta(**{_UNITS[match[2]]: int(match[1])})
