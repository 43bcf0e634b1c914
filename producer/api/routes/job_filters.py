"""Which jobs a request means: as parameters of a list, and as the body of an act on many."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import Query
from pydantic import AwareDatetime, BeforeValidator, Field, StringConstraints

from hopline.allowed_values import InWords
from hopline.models.collections import CollectionName
from hopline.models.jobs import JobState, JobTags, Verb
from hopline.models.tags import MOST_TAGS, TAG_PATTERN, TAG_WORDS, parse_tags
from producer.api.schemas import Body
from producer.service.job_acts.acts import JobFilter, check_change
from producer.service.job_acts.replays import Change


def no_number(value: Any) -> Any:
    """Refuse a number, which would be taken for seconds since 1970: a date-time is asked for."""
    if value is None or isinstance(value, datetime):
        return value
    if not isinstance(value, str) or ("T" not in value.upper() and " " not in value):
        raise ValueError("a date and time")
    return value


_Moment = Annotated[
    AwareDatetime,
    BeforeValidator(no_number),
    InWords("a date and time with its zone, such as 2026-11-20T08:00:00Z"),
]
_Kind = Annotated[str, StringConstraints(max_length=50)]
_Step = Annotated[str, StringConstraints(min_length=1, max_length=100)]
_Error = Annotated[str, StringConstraints(min_length=1, max_length=200)]
_Tag = Annotated[str, StringConstraints(pattern=TAG_PATTERN), InWords(TAG_WORDS)]
_STEP = "Only jobs with items of a step, such as ingest.extract."
_ERROR = "Only jobs of whose errors this is a part."


def listed_filter(
    state: JobState | None = None,
    kind: Annotated[_Kind | None, Query()] = None,
    collection: CollectionName | None = None,
    tag: Annotated[
        list[_Tag],
        Query(max_length=MOST_TAGS, description="Only jobs with this tag: NAME=VALUE; may be repeated."),
    ] = [],  # noqa: B006 - FastAPI copies it
    step: Annotated[_Step | None, Query(description=_STEP)] = None,
    error: Annotated[_Error | None, Query(description=_ERROR)] = None,
    since: Annotated[_Moment | None, Query(description="Only jobs submitted then or later.")] = None,
    until: Annotated[_Moment | None, Query(description="Only jobs submitted then or before.")] = None,
) -> JobFilter:
    """Return which jobs a list asks for."""
    return JobFilter(
        state=state,
        kind=kind,
        collection=collection,
        tags=parse_tags(tag),
        step=step,
        error=error,
        since=since,
        until=until,
    )


class JobsMeant(Body):
    """Jobs that an act is meant for; what is not given is not asked for, and something must be."""

    state: JobState | None = None
    kind: _Kind | None = None
    collection: CollectionName | None = None
    tags: JobTags = {}
    step: _Step | None = Field(default=None, description=_STEP)
    error: _Error | None = Field(default=None, description=_ERROR)
    since: _Moment | None = Field(default=None, description="Submitted then or later.")
    until: _Moment | None = Field(default=None, description="Submitted then or before.")

    def filter(self) -> JobFilter:
        """Return the same for the service."""
        return JobFilter.model_validate(self.model_dump())


class ReplayRequest(Body):
    """What is other in a replay."""

    params: dict[str, Any] = Field(
        default={},
        description="Parameters of the question to change; null stands for the default.",
        examples=[{"max_depth": 4}],
    )
    key: Annotated[str, StringConstraints(max_length=200)] = Field(
        default="", description="Another one makes another replay with the same parameters."
    )

    def change(self) -> Change:
        """Return the same for the service.

        Raises:
            InvalidInput: a question has no such parameter, or it cannot have such a value.
        """
        return Change.of(self.params, self.key)


class JobsAct(ReplayRequest):
    """An act on many jobs; only a replay has parameters and a key."""

    verb: Verb = Field(
        description="cancel: those that run; retry: those that ended with something to do again; replay: "
        "questions that have ended and are no replays."
    )
    filter: JobsMeant
    dry_run: bool = Field(default=False, strict=True, description="Only say which jobs these are.")

    def change(self) -> Change:
        """Return what is other in each replay.

        Raises:
            InvalidInput: as of one; or the act is no replay.
        """
        change = super().change()
        check_change(self.verb, change)
        return change
