"""Makes the history row that summarises how a job ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from hopline.models.history import HistoryRow, JobError
from hopline.models.jobs import Json
from workers.core.jobs.records import JobRecord

MOST_ERRORS = 20  # of a job
_LONGEST = 200  # characters of an error, a reason, an answer
_LONGEST_PARAMS = 4000  # characters of all parameters
# Parameters whose texts are names of things; others are what people wrote.
_NAMES = frozenset({
    "strategy", "session", "conversation", "retry_of", "replay_of", "uri", "source", "sources", "format",
    "name", "moved_from", "document_id", "label", "manifest", "digest", "via", "hours", "zone", "profile",
    "schedule", "undo",
})  # fmt: skip


def history_row(record: JobRecord, errors: Sequence[tuple[str, str]], *, texts: bool) -> HistoryRow:
    """Return the row of an ended job.

    Args:
        record: the job.
        errors: (step, error) of some dead letters.
        texts: whether to keep texts that people wrote, such as questions, and the beginning of answers.
    """
    job, outcome, usage = record.job, record.outcome or {}, record.usage
    ended = record.ended or record.created
    return HistoryRow(
        **_identity(record),
        priority=job.priority,
        ended=ended,
        seconds=round(ended - record.created, 3),
        calls=usage.model_calls,
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        cost=usage.cost,
        models=record.models,
        steps=record.done,
        timings=record.timings,
        dead=record.dead,
        errors=tuple(JobError(step=step, error=error[:_LONGEST]) for step, error in errors[:MOST_ERRORS]),
        reason=reason_of(record),
        params=_short(job.params if texts else _without_texts(job.params)),
        outcome=_short(_figures(outcome, texts=texts)),
        request_id=job.request_id,
        tags=job.tags,
    )


def reason_of(record: JobRecord) -> str:
    """Return why a job ended as it did, or closed early, in at most 200 characters; "" if unknown."""
    outcome = record.outcome or {}
    return str(outcome.get("reason") or outcome.get("error") or record.closed_for or "")[:_LONGEST]


def barest_row(record: JobRecord) -> HistoryRow:
    """Return the row of a job whose details are lost."""
    ended = record.ended or record.created
    return HistoryRow(**_identity(record), ended=ended, seconds=round(ended - record.created, 3))


def _identity(record: JobRecord) -> dict[str, Any]:
    job = record.job
    return {
        "id": job.id,
        "epoch": record.epoch,
        "kind": job.kind,
        "collection": job.collection,
        "collections": job.collections,
        "caller": job.caller,
        "state": record.state.value,
        "created": record.created,
        "parent": record.parent.job_id if record.parent else "",
    }


def _without_texts(params: Mapping[str, Any]) -> Json:
    kept = int | float | bool | None
    return {name: value for name, value in params.items() if name in _NAMES or isinstance(value, kept)}


def _figures(outcome: Mapping[str, Any], *, texts: bool) -> Json:
    """Return an outcome's numbers, those one level deeper included, and with `texts` how its texts begin."""
    figures: Json = {}
    for name, value in outcome.items():
        if isinstance(value, bool | int | float):
            figures[name] = value
        elif isinstance(value, Mapping):
            inner = {key: number for key, number in value.items() if isinstance(number, bool | int | float)}
            if inner:
                figures[name] = inner
        elif texts and isinstance(value, str):
            figures[name] = value[:_LONGEST]
    return figures


def _short(fields: Json) -> Json:
    """Return fields without those that make them too long."""
    kept: Json = {}
    for name, value in fields.items():
        longer = {**kept, name: value}
        if len(orjson.dumps(longer)) <= _LONGEST_PARAMS:
            kept = longer
    return kept
