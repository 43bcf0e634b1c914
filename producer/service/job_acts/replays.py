"""Replays: a question submitted again with changed parameters, to compare both results."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from hopline.errors import InvalidInput, still_running
from hopline.models.base import Frozen
from hopline.models.jobs import Json
from hopline.models.replays import Changed
from hopline.principals import LOCAL_CALLER, common
from producer.reports.outcomes import QUERY_KIND
from workers.core.ids import content_hash, job_id
from workers.core.jobs.params import QueryParams, parse_params, read_input
from workers.core.jobs.work import Terms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from producer.service.questions import Questions
    from workers.core.jobs.records import JobRecord

# What makes it the same question, and what names other jobs: no replay changes these.
_KEPT = frozenset({"question", "session", "conversation", "collections", "retry_of", "replay_of"})
CHANGEABLE = tuple(name for name in QueryParams.model_fields if name not in _KEPT)


class Change(Frozen):
    """Differences between a replay and the job that it replays."""

    params: Json = {}  # of the question; None stands for the default
    key: str = ""  # another one makes another replay of the same job with the same parameters

    @classmethod
    def of(cls, params: Mapping[str, object] | None, key: str | None) -> Change:
        """Return a change after checking its parameters.

        Raises:
            InvalidInput: a parameter is unknown, or its value is not valid.
        """
        changed = dict(params or {})
        for name, value in changed.items():
            if name not in CHANGEABLE:
                raise InvalidInput(f"params.{name}", value, f"one of: {', '.join(sorted(CHANGEABLE))}")
        values = {name: value for name, value in changed.items() if value is not None}
        try:
            parse_params(QueryParams, {**values, "question": "?"})
        except InvalidInput as error:
            field = f"params.{error.field}"
            raise InvalidInput(field, error.value, error.allowed, message=error.message) from error
        return cls(params=changed, key=key or "")


class CheckedReplay(NamedTuple):
    """A replay that may be submitted."""

    of: JobRecord
    params: QueryParams
    key: str  # idempotency key
    terms: Terms

    @property
    def job_id(self) -> str:
        """The id of its job."""
        return job_id(self.terms.caller, self.key)

    @property
    def collections(self) -> Sequence[str]:
        """The collections that it reads."""
        return self.of.job.collections


def can_replay(record: JobRecord) -> bool:
    """Return whether a bulk act may replay a job: an ended question that is not a replay itself."""
    return (
        record.job.kind == QUERY_KIND and record.ended is not None and not record.job.params.get("replay_of")
    )


def changed_params(record: JobRecord, change: Change) -> Changed:
    """Return the changed parameters of a replay: before and after.

    Raises:
        InvalidInput: the job is not a question's, or the parameters do not fit together.
    """
    after = parse_params(QueryParams, _params(record, change)).model_dump(mode="json")
    return _differences(record.job.params, after)


def checked_replay(questions: Questions, record: JobRecord, change: Change, terms: Terms) -> CheckedReplay:
    """Return a job's replay, with the job's priority and tags.

    It reads only what both the job's original principals and those of the terms may see.

    Args:
        questions: checks it like any other question.
        record: the job.
        change: the changed parameters.
        terms: caller and principals of the replay.

    Raises:
        InvalidInput: the job is not a question's, or a parameter is wrong.
        StateConflict: the job has not ended.
    """
    params, job = _params(record, change), record.job
    if record.ended is None:
        raise still_running(job.id)
    inherited: Json = {"priority": job.priority, "tags": job.tags}
    if job.principals is not None:
        inherited["principals"] = common(terms.principals, job.principals)
    if terms.principals is None and job.principals is not None:
        inherited["acted_by"] = terms.caller or LOCAL_CALLER
    terms = terms.model_copy(update=inherited)
    question = params.pop("question")
    checked = questions.check(question, job.collections, params, terms)
    return CheckedReplay(of=record, params=checked, key=_key(job.id, checked, change, terms), terms=terms)


def _differences(before: Json, after: Json) -> Changed:
    """Return the parameters that differ between two jobs of a question: before and after.

    A parameter that a job's version did not know has its default; one that is omitted if empty is None.
    """
    old, new = (read_input(QueryParams, params).model_dump(mode="json") for params in (before, after))
    pairs = {name: (old.get(name), new.get(name)) for name in CHANGEABLE}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def _params(record: JobRecord, change: Change) -> Json:
    job = record.job
    if job.kind != QUERY_KIND:
        message = f"job {job.id} is a {job.kind}: only questions are replayed, since they change nothing"
        raise InvalidInput("job", job.id, "a question's job", message=message)
    kept = read_input(QueryParams, job.params).model_dump(mode="json", exclude={"collections", "retry_of"})
    params = kept | change.params | {"replay_of": job.id}
    return {name: value for name, value in params.items() if value is not None}


def _key(replayed: str, params: QueryParams, change: Change, terms: Terms) -> str:
    """Return the idempotency key: the same change of the same job for the same principals is one replay."""
    material = [
        params.model_dump(mode="json"),
        change.key,
        sorted(terms.principals or ()),
        terms.principals is None,
    ]
    return f"replay of {replayed}, {content_hash(json.dumps(material, sort_keys=True))[:32]}"
