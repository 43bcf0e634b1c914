"""Replays: a question asked again with other parameters, beside the job that it replays."""

from __future__ import annotations

from typing import Any, Self

from pydantic import Field

from hopline.models.answers import Answer
from hopline.models.base import Frozen
from hopline.models.results import Job
from hopline.models.times import seconds_between

Changed = dict[str, tuple[Any, Any]]  # parameter → before and after, of those that are other


class ReplayCheck(Frozen):
    """The result of checking a replay without submitting it."""

    changed: Changed = Field(description="Parameters that would change, each with its old and new value.")


class Replay(Frozen):
    """A question's answer beside that of its replay."""

    question: str
    changed: Changed
    before: Answer
    after: Answer
    seconds: tuple[float | None, float | None]  # from submission to end; None while it runs
    # Documents that are cited before and not after, and the other way round; ids, in the order of citation.
    lost: tuple[str, ...]
    won: tuple[str, ...]

    @classmethod
    def of(cls, before: Job, after: Job, changed: Changed) -> Self:
        """Return a job and its replay side by side."""
        answers = Answer.of(before), Answer.of(after)
        lost, won = (_cited(answer) for answer in answers)
        return cls(
            question=str(before.params.get("question", "")),
            changed=changed,
            before=answers[0],
            after=answers[1],
            seconds=(_seconds(before), _seconds(after)),
            lost=tuple(name for name in lost if name not in won),
            won=tuple(name for name in won if name not in lost),
        )


def _cited(answer: Answer) -> list[str]:
    documents = (citation.document for citation in answer.citations)
    return list(dict.fromkeys(document.id for document in documents if document))


def _seconds(job: Job) -> float | None:
    return None if job.ended is None else round(seconds_between(job.created, job.ended), 3)
