"""Ended jobs and their costs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, TypedDict

from pydantic import BeforeValidator, Field, StringConstraints

from hopline.allowed_values import InWords
from hopline.models.base import Frozen, Page
from hopline.models.collections import CollectionName
from hopline.models.jobs import JobState, Json, Usage
from hopline.models.times import Moment, Timestamp
from hopline.operation import Pairs

CostGroup = Literal["day", "key", "collection", "kind", "model"]
# What the jobs of a page are ordered by, the greatest first; ended: when.
HistoryOrder = Literal["ended", "cost", "tokens", "seconds"]
_LONGEST_WHERE = 4_000  # characters; an address that is longer, encoded, is not read at all
_Tag = Annotated[
    str, StringConstraints(max_length=300, pattern=r"^[^=]+="), InWords("NAME=VALUE, 300 characters at most")
]


def _read_tags(pairs: Sequence[str]) -> dict[str, str]:
    return {name: value for name, _, value in (pair.partition("=") for pair in pairs)}


class HistoryFilter(TypedDict, total=False):
    """Selects ended jobs; fields that are not given, or None, select all."""

    state: Annotated[JobState | None, Field(description="Only jobs that ended in this state.")]
    kind: Annotated[
        str | None, Field(max_length=50, description="Only jobs of this kind: query, document, batch, sync …")
    ]
    collection: Annotated[CollectionName | None, Field(description="Only jobs that read this collection.")]
    step: Annotated[
        str | None,
        Field(max_length=100, description="Only jobs that completed this step, or gave up an item of it."),
    ]
    error: Annotated[
        str,
        Field(
            max_length=200,
            description="Only jobs whose error or reason contains this text, ignoring case.",
        ),
    ]
    since: Annotated[Moment | None, Field(description="Only jobs that ended at this time or later.")]
    until: Annotated[Moment | None, Field(description="Only jobs that ended before this time.")]
    tags: Annotated[
        dict[str, str],
        Pairs("tag", _Tag, _read_tags, 20),
        Field(description="Only jobs with all of these tags; in a URL, NAME=VALUE, repeated for each."),
    ]
    where: Annotated[
        str,
        Field(
            max_length=_LONGEST_WHERE,
            description="A filter on the history's fields, as text or JSON, like metadata filters.",
            examples=['cost > 0.5 and steps has "ingest.extract"'],
        ),
    ]


def _read(stored: Any) -> Any:
    return json.loads(stored) if isinstance(stored, str) else stored


# Fields as JSON, which a column of the files holds as a text.
StoredJson = Annotated[Json, BeforeValidator(_read)]

# Names; a file that was written before there was such a column holds nothing there.
StoredNames = Annotated[tuple[str, ...], BeforeValidator(lambda stored: stored or ())]

StoredModels = Annotated[dict[str, Usage], BeforeValidator(lambda stored: stored or {})]


class JobError(Frozen):
    """Why an item of a job was given up."""

    step: str
    error: str


class HistoryRow(Frozen):
    """One end of a job; columns of the files are named after these fields (`history.table.COLUMNS`)."""

    id: str
    epoch: int  # a job that is retried ends once more
    kind: str
    collection: str
    collections: StoredNames = ()  # all that it read, its own first; none in a row of before: its own alone
    caller: str = ""  # the id of an API key
    state: JobState
    priority: str = "normal"
    created: Timestamp
    ended: Timestamp
    seconds: float  # between the two
    calls: int = 0  # of models
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None  # the job that has no parent has that of all its children
    # Model -> its part of these, of a job that has no parent; calls of earlier versions are in no part.
    models: StoredModels = {}
    steps: dict[str, int] = {}  # step -> items done
    timings: dict[str, float] = {}  # step -> seconds, summed over its items
    dead: int = 0  # items given up
    errors: tuple[JobError, ...] = ()  # of some of these
    reason: str = ""
    params: StoredJson = {}
    outcome: StoredJson = {}  # its figures
    parent: str = ""  # the job that it belongs to
    request_id: str = ""
    tags: dict[str, str] = {}

    @property
    def day(self) -> str:
        """The day of its end in UTC, as 2026-10-01."""
        return day_of(self.ended)


class HistoryPage(Page):
    """Ended jobs in the requested order, each with its last end."""

    jobs: tuple[HistoryRow, ...]


class Cost(Frozen):
    """Total cost of jobs; a child's cost is included in its parent's."""

    by: str  # the day (UTC), key, collection, kind or model; empty where there was none, or it is not known
    jobs: int
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None  # in the currency of the prices; None where no price was known


class Costs(Frozen):
    """Costs of groups of jobs, in order."""

    costs: tuple[Cost, ...]


class HistoryErased(Frozen):
    """The result of erasing something from history."""

    files: int = Field(description="Number of history files that were rewritten.")


def day_of(moment: datetime) -> str:
    """Return the day in UTC of a time."""
    return moment.astimezone(UTC).date().isoformat()
