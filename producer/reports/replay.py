"""A replay beside the job that it replays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hopline.models.replays import Changed, Replay
from producer.reports.outcomes import answer_of
from workers.core.jobs.params import QueryParams, read_input

if TYPE_CHECKING:
    from hopline.models.answers import Answer
    from hopline.models.jobs import Json
    from workers.ledger.records import JobRecord

# What makes it the same question, and what names other jobs: no replay changes these.
_KEPT = frozenset({"question", "session", "collections", "retry_of", "replay_of"})
CHANGEABLE = tuple(name for name in QueryParams.model_fields if name not in _KEPT)


def replay_of(before: JobRecord, after: JobRecord) -> Replay:
    """Return two jobs of one question side by side."""
    answers = answer_of(before), answer_of(after)
    lost, won = (_cited(answer) for answer in answers)
    return Replay(
        question=str(before.job.params.get("question", "")),
        changed=differences(before.job.params, after.job.params),
        before=answers[0],
        after=answers[1],
        seconds=(_seconds(before), _seconds(after)),
        lost=tuple(name for name in lost if name not in won),
        won=tuple(name for name in won if name not in lost),
    )


def differences(before: Json, after: Json) -> Changed:
    """Return the parameters of a question that are other in two jobs: before, and after.

    One that a job's version did not know has its default; one that is left out where it is empty is None.
    """
    old, new = (read_input(QueryParams, params).model_dump(mode="json") for params in (before, after))
    pairs = {name: (old.get(name), new.get(name)) for name in CHANGEABLE}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def _cited(answer: Answer) -> list[str]:
    documents = (citation.document for citation in answer.citations)
    return list(dict.fromkeys(document.id for document in documents if document))


def _seconds(record: JobRecord) -> float | None:
    return None if record.ended is None else round(record.ended - record.created, 3)
