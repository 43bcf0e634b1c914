"""Jobs, as they are told."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, with_config
from typing_extensions import TypedDict

from hopline.allowed_values import InWords
from hopline.models.base import Frozen, Page
from hopline.models.collections import CollectionName
from hopline.models.tags import MOST_TAGS, TAG_PATTERN, TAG_WORDS, Tags, parse_tags
from hopline.models.times import Moment, Timestamp
from hopline.operation import Pairs

Json = dict[str, Any]

Priority = Literal["high", "normal", "low"]


class JobState(StrEnum):
    """The state of a job; all but RUNNING are terminal."""

    RUNNING = "running"
    DONE = "done"
    PARTIAL = "partial"
    ABSTAINED = "abstained"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Usage(Frozen):
    """What model calls took. Cost is in the currency of the prices set; None when no price is known."""

    model_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None

    def __add__(self, other: Usage) -> Usage:
        """Return the sum; a known cost and an unknown one add up to the known."""
        costs = [c for c in (self.cost, other.cost) if c is not None]
        return Usage(
            model_calls=self.model_calls + other.model_calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            cost=sum(costs) if costs else None,
        )


class Budget(Frozen):
    """Hard limits of a job's model use; None is no limit."""

    model_calls: int | None = Field(default=None, ge=0)
    tokens: int | None = Field(default=None, ge=0)
    cost: float | None = Field(default=None, ge=0)


# user: somebody asked for it; budget: a limit is used up; failures: too many of the first documents failed;
# hours: it is not the time of day that it may run at. The most important one comes first.
PauseKind = Literal["user", "budget", "failures", "hours"]


class Pause(Frozen):
    """A reason why a job and its children begin nothing new; a job may have one of each kind."""

    kind: PauseKind
    why: str  # a sentence for people: what is wrong and what resumes it
    since: Timestamp


class Parent(Frozen):
    """The item that a child job finishes."""

    job_id: str
    epoch: int
    item_id: str


class DeadLetter(Frozen):
    """An item that was given up, with its input and error."""

    item_id: str
    step: str
    phase: int
    error: str
    input: Json
    at: Timestamp  # when it was given up


JobTags = Annotated[
    Tags,
    Field(description="Of the job: lists and acts find it by them.", examples=[{"team": "legal"}]),
]


class Job(BaseModel):
    """A job."""

    id: str
    kind: str = Field(examples=["query", "batch", "document"])
    collection: str
    state: JobState
    priority: Priority
    tags: dict[str, str] = {}
    params: dict[str, Any]
    phase: int
    epoch: int = Field(description="Counts up with every retry.")
    created: Timestamp
    ended: Timestamp | None = None
    items: dict[str, int] = Field(description="Items admitted, by step.")
    done: dict[str, int] = Field(description="Items done, by step.")
    timings: dict[str, float] = Field(description="Seconds by step, summed over its items.")
    usage: Usage
    models: dict[str, Usage] = Field(
        default={}, description="The usage by model, of a job that has no parent."
    )
    budget: Budget
    leases_lost: int
    dead: int = Field(description="Dead letters.")
    dropped: int
    closed_for: str | None = None
    waits_for: str | None = Field(
        default=None,
        description="Why it makes no progress: the work that was deferred or, of a single job that no worker "
        "has begun, its place in the queue.",
    )
    pauses: tuple[Pause, ...] = Field(
        default=(), description="Why a batch or sync is paused; only when a single job is read."
    )
    deadline: Timestamp | None = Field(default=None, description="Until when it waits at most.")
    webhook: str | None = None
    request_id: str | None = None
    parent: Parent | None = None
    outcome: dict[str, Any] | None = Field(
        default=None,
        description="What it ended with: an answer (text, reason, missing, citations …), a report of "
        "documents, or the flow's own; none in lists.",
    )


NOBODY_BEGAN = (
    "no worker has begun this job yet: `hopline status` shows which run, `hopline worker` starts one"
)
JobId = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z0-9_.-]{1,200}$"),
    InWords("a job's id: 1 to 200 letters, digits, '-', '_' or '.'"),
    Field(description="As returned by the submission.", examples=["j0"]),
]
_Kind = Annotated[str, StringConstraints(max_length=50)]
_Step = Annotated[str, StringConstraints(min_length=1, max_length=100)]
_Error = Annotated[str, StringConstraints(min_length=1, max_length=200)]
_Tag = Annotated[str, StringConstraints(pattern=TAG_PATTERN), InWords(TAG_WORDS)]


@with_config(ConfigDict(extra="forbid"))
class JobFilter(TypedDict, total=False):
    """Which jobs are meant; what is not given, or null, is not asked for."""

    state: Annotated[JobState | None, Field(description="Only jobs in this state.")]
    kind: Annotated[_Kind | None, Field(description="Only jobs of a kind: query, document, batch, sync …")]
    collection: Annotated[CollectionName | None, Field(description="Only jobs of a collection.")]
    tags: Annotated[
        Tags,
        Pairs("tag", _Tag, parse_tags, MOST_TAGS),
        Field(description="Only jobs with all of these tags; in an address NAME=VALUE, once for each."),
    ]
    step: Annotated[
        _Step | None, Field(description="Only jobs with items of a step, such as ingest.extract.")
    ]
    error: Annotated[_Error | None, Field(description="Only jobs whose error contains this text.")]
    since: Annotated[Moment | None, Field(description="Only jobs submitted then or later.")]
    until: Annotated[Moment | None, Field(description="Only jobs submitted then or before.")]


class JobPage(Page):
    """Jobs, newest first."""

    jobs: list[Job]


class DeadLetters(BaseModel):
    """The items of a job that were given up."""

    dead_letters: list[DeadLetter]


Verb = Literal["cancel", "retry", "replay"]


class RefusedJob(Frozen):
    """A job that nothing could be done with."""

    id: str
    reason: str


class JobsActed(Frozen):
    """What became of an act on many jobs."""

    verb: Verb
    dry_run: bool
    matched: int  # jobs that the act fits; of more than 2,000 the newest are acted on
    done: int = 0
    # That were acted on, or would be; of a retry or a replay that was done, those that run now.
    jobs: tuple[str, ...] = ()
    refused: tuple[RefusedJob, ...] = ()
