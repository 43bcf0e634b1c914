"""Admits and submits questions: those that come at the same time in the round trips of one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from starlette.concurrency import run_in_threadpool

from producer.api.admission import key_of_one, no_slot
from producer.api.groups import Groups
from producer.api.problems import Problem
from producer.service.questions import CheckedQuestion
from workers.core import ids
from workers.core.audit import current_actor

if TYPE_CHECKING:
    from producer.api.context import Api
    from workers.ledger.records import JobRecord

_UNDER_WAY = 2  # groups at most: while one waits for Redis, the next is prepared


class Submitted(NamedTuple):
    """The job of a question, and whether an earlier request with its idempotency key submitted it."""

    record: JobRecord
    is_replay: bool


class QuestionGroups:
    """What submits the questions of requests.

    Args:
        api: what it works with.
    """

    def __init__(self, api: Api) -> None:
        self._api = api
        self._groups: Groups[CheckedQuestion, Submitted] = Groups(self._submit_all, most=_UNDER_WAY)
        self._looking: dict[str, asyncio.Event] = {}  # collection → set once somebody has looked into it

    async def submit(self, question: CheckedQuestion) -> Submitted:
        """Submit a question; without an idempotency key it gets one of its own.

        Raises:
            Problem: too much waits, or the caller has as many jobs in flight as it may.
            KeyReused: its key was used for another request.
        """
        return await self._groups.do(question._replace(actor=current_actor()))

    async def require_documents(self, collection: str, look: Callable[[], None]) -> None:
        """Check that a collection has documents.

        Of requests that come together one looks first, and documents that it finds are there for all of them.
        What it does not find, each looks for itself.

        Args:
            collection: of a question.
            look: passes where the collection has documents, or the question needs none; called in a thread.
        """
        questions, other = self._api.service.questions, self._looking.get(collection)
        if questions.has_documents(collection):
            return
        if other is not None:
            await other.wait()
            if not questions.has_documents(collection):
                await run_in_threadpool(look)
            return
        looked = self._looking[collection] = asyncio.Event()
        try:
            await run_in_threadpool(look)
        finally:
            del self._looking[collection]
            looked.set()

    async def _submit_all(self, questions: Sequence[CheckedQuestion]) -> list[Submitted | Exception]:
        return await run_in_threadpool(_submit_admitted, self._api, questions)


class _Place(NamedTuple):
    """A question that is admitted."""

    question: CheckedQuestion
    took: str | None  # of its slot; None where its job exists already: it takes none

    @property
    def slot(self) -> tuple[str, str]:
        """The caller and the job that hold it."""
        caller = self.question.terms.caller
        return caller, ids.job_id(caller, self.question.key)


def _submit_admitted(api: Api, questions: Sequence[CheckedQuestion]) -> list[Submitted | Exception]:
    """Submit the questions that are admitted; why another is not, or what failed, stands in its place."""
    places = _admit(api, questions)
    admitted = [place for place in places if isinstance(place, _Place)]
    outcomes: list[JobRecord | Exception] = []
    try:
        if admitted:
            outcomes = api.service.questions.submit_all([place.question for place in admitted])
    finally:
        _settle(api, admitted, outcomes)
    following = iter(outcomes)
    return [_of(place, next(following)) if isinstance(place, _Place) else place for place in places]


def _of(place: _Place, outcome: JobRecord | Exception) -> Submitted | Exception:
    return outcome if isinstance(outcome, Exception) else Submitted(outcome, place.took != "taken")


def _admit(api: Api, questions: Sequence[CheckedQuestion]) -> list[_Place | Problem]:
    """Take a slot for each question whose job does not exist yet."""
    named = [each if each.key is not None else each._replace(key=key_of_one()) for each in questions]
    places: list[_Place | Problem] = [_Place(question, None) for question in named]
    new = _without_job(api, questions)
    try:
        if new:
            api.queue_bound.check()
    except Problem as problem:
        return [problem if nth in new else place for nth, place in enumerate(places)]
    wanted = [_Place(named[nth], None).slot for nth in new]
    for nth, took in zip(new, api.service.slots.take_all(wanted) if new else (), strict=True):
        places[nth] = no_slot(api) if took == "full" else _Place(named[nth], took)
    return places


def _without_job(api: Api, questions: Sequence[CheckedQuestion]) -> list[int]:
    """Return the places of questions that were not submitted before under their idempotency key."""
    repeated = {nth for nth, each in enumerate(questions) if each.is_known}
    keyed = {
        nth: (each.terms.caller, each.key)
        for nth, each in enumerate(questions)
        if each.key is not None and each.is_known is None
    }
    there = api.service.jobs.exist(list(keyed.values())) if keyed else []
    repeated |= {nth for nth, is_there in zip(keyed, there, strict=True) if is_there}
    return [nth for nth in range(len(questions)) if nth not in repeated]


def _settle(api: Api, places: Sequence[_Place], outcomes: Sequence[JobRecord | Exception]) -> None:
    """Give the slots of what was not submitted back; keep those that other requests took for the same job.

    Args:
        api: that admitted them.
        places: what was admitted.
        outcomes: of each; empty where submitting failed as a whole.
    """
    submitted = [not isinstance(outcome, Exception) for outcome in outcomes] or [False] * len(places)
    slots, settled = api.service.slots, list(zip(places, submitted, strict=True))
    slots.give_back([place.slot for place, stays in settled if not stays and place.took == "taken"])
    for place, stays in settled:
        if stays and place.took == "there":
            slots.keep(*place.slot)
