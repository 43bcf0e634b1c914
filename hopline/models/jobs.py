"""Jobs as clients see them."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    with_config,
)
from typing_extensions import TypedDict

from hopline.allowed_values import InWords
from hopline.models.base import Frozen
from hopline.models.collections import CollectionName
from hopline.models.tags import MOST_TAGS, TAG_PATTERN, TAG_WORDS, Tags, parse_tags
from hopline.models.times import Moment, Timestamp
from hopline.operation import Pairs

Json = dict[str, Any]

Priority = Literal["high", "normal", "low"]


class JobState(StrEnum):
    """The state of a job. `queued`, until some of it has begun, is derived and never stored."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    PARTIAL = "partial"
    ABSTAINED = "abstained"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_terminal(self) -> bool:
        """Whether the job has ended; a retry may reopen it."""
        return self not in (JobState.QUEUED, JobState.RUNNING)


def _newer(value: Any, read: ValidatorFunctionWrapHandler) -> Any:
    """Treat a state that only a newer server knows as a terminal state that equals no other."""
    try:
        return read(value)
    except ValidationError:
        if not isinstance(value, str):
            raise
        state = str.__new__(JobState, value)
        state._value_ = value
        return state


ToldState = Annotated[JobState, WrapValidator(_newer)]


class Usage(Frozen):
    """Usage of model calls. Cost is in the currency of the configured prices; None if unknown."""

    model_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None

    def __add__(self, other: Usage) -> Usage:
        """Return the sum; an unknown cost counts as nothing beside a known one."""
        costs = [c for c in (self.cost, other.cost) if c is not None]
        return Usage(
            model_calls=self.model_calls + other.model_calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            cost=sum(costs) if costs else None,
        )


class Budget(Frozen):
    """Hard limits of a job's model use; None means no limit."""

    model_calls: int | None = Field(default=None, ge=0)
    tokens: int | None = Field(default=None, ge=0)
    cost: float | None = Field(default=None, ge=0)


# user: somebody asked for it; budget: a limit is used up; failures: too many of the first documents failed;
# hours: it is not the time of day that it may run at. The most important one comes first.
PauseKind = Literal["user", "budget", "failures", "hours"]


class Pause(Frozen):
    """A reason why a job and its children begin nothing new; a job has at most one of each kind."""

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
    Field(
        description="Tags of the job, by which lists and bulk actions find it.",
        examples=[{"team": "legal"}],
    ),
]


NOBODY_BEGAN = (
    "no worker has begun this job yet: `hopline status` shows which run, `hopline worker` starts one"
)
JobId = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z0-9_.-]{1,200}$"),
    InWords("a job's id: 1 to 200 letters, digits, '-', '_' or '.'"),
    Field(description="The job's id, as returned by the submission.", examples=["j0"]),
]
_Kind = Annotated[str, StringConstraints(max_length=50)]
_Step = Annotated[str, StringConstraints(min_length=1, max_length=100)]
_Error = Annotated[str, StringConstraints(min_length=1, max_length=200)]
_Tag = Annotated[str, StringConstraints(pattern=TAG_PATTERN), InWords(TAG_WORDS)]


@with_config(ConfigDict(extra="forbid"))
class JobFilter(TypedDict, total=False):
    """Selects jobs; fields that are not given, or null, select all."""

    state: Annotated[JobState | None, Field(description="Only jobs in this state.")]
    kind: Annotated[_Kind | None, Field(description="Only jobs of this kind: query, document, batch, sync …")]
    collection: Annotated[CollectionName | None, Field(description="Only jobs of this collection.")]
    tags: Annotated[
        Tags,
        Pairs("tag", _Tag, parse_tags, MOST_TAGS),
        Field(description="Only jobs with all of these tags; in a URL, NAME=VALUE, repeated for each."),
    ]
    step: Annotated[
        _Step | None, Field(description="Only jobs with items of this step, such as ingest.extract.")
    ]
    error: Annotated[_Error | None, Field(description="Only jobs whose error contains this text.")]
    since: Annotated[Moment | None, Field(description="Only jobs submitted at this time or later.")]
    until: Annotated[Moment | None, Field(description="Only jobs submitted at this time or earlier.")]


class DeadLetters(BaseModel):
    """The items of a job that were given up."""

    dead_letters: list[DeadLetter]


Verb = Literal["cancel", "retry", "replay"]


class RefusedJob(Frozen):
    """A job for which the action was refused."""

    id: str
    reason: str


class JobsActed(Frozen):
    """The result of an action on many jobs."""

    verb: Verb
    dry_run: bool
    matched: int  # jobs that the act fits; of more than 2,000 the newest are acted on
    done: int = 0
    # That were acted on, or would be; of a retry or a replay that was done, those that run now.
    jobs: tuple[str, ...] = ()
    refused: tuple[RefusedJob, ...] = ()
