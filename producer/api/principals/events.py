"""Limits the events of a job to what its caller may see."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool

from hopline.events.jobs import ItemBegun, JobEnded, JobRetried, JobSubmitted, PhaseClosed, PhaseOpened
from hopline.events.questions import AnswerRestarted, AnswerSentence, AnswerWritten
from producer.service.job_wait import read_events

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from hopline.models.jobs import Json
    from producer.api.context import Api
    from workers.core.jobs.work import Event, Job

_WRITTEN: Json = {"facts": {}, "dropped": 0, "missing": None, "reason": None, "analysis": None}
# Per event what stands for its fields. The other events name, or count, what was read on the way: a document
# may have been hidden since, and none of them says which it was.
_SHOWN: Mapping[str, Json] = MappingProxyType(
    {
        str(JobSubmitted.event): {},
        str(JobRetried.event): {},
        str(JobEnded.event): {},
        str(PhaseOpened.event): {"items": 1, "subjects": None},
        str(PhaseClosed.event): {"why": "its work was ended early"},
        str(ItemBegun.event): {"item": "", "worker": None},  # the first of each step
        str(AnswerSentence.event): {},
        str(AnswerRestarted.event): {},
        str(AnswerWritten.event): _WRITTEN,
    }
)


class SeenEvents:
    """The events of a question for some principals: its progress, and the sentences of its answer.

    Args:
        api: looks documents up.
        job: the question.
        principals: the principals who see the events.
    """

    def __init__(self, api: Api, job: Job, principals: Sequence[str]) -> None:
        self._api, self._job, self._principals = api, job, principals
        self._cited: set[str] = set()
        self._begun: set[str] = set()  # steps

    async def skip(self) -> None:
        """Record the citations of sentences that the reader already has, since later ones may repeat them."""
        after = "0"
        while entries := await read_events(self._api.waiting, self._job.id, after, None):
            self._cited |= _cited(event for _name, event in entries)
            after = entries[-1][0]

    async def shown(self, entries: Sequence[tuple[str, Event]]) -> list[tuple[str, Event]] | None:
        """Return the visible parts of some events; None if a sentence cites a hidden document."""
        known = [(name, shown_event(event)) for name, event in entries if self._is_shown(event)]
        self._cited |= _cited(event for _name, event in known)
        if any(event.name == AnswerSentence.event for _name, event in known):
            visible = self._api.service.documents.visible
            seen = await run_in_threadpool(visible, self._job.collections, self._cited, self._principals)
            if not self._cited <= seen:
                return None
        return known

    def _is_shown(self, event: Event) -> bool:
        if event.name != ItemBegun.event:
            return event.name in _SHOWN
        step = str(event.data.get("step"))
        is_first = step not in self._begun
        self._begun.add(step)
        return is_first


def shown_event(event: Event) -> Event:
    """Return an event without what the job read on the way."""
    fields = {name: value for name, value in _SHOWN[event.name].items() if name in event.data}
    return event.model_copy(update={"data": {**event.data, **fields}})


def _cited(events: Iterable[Event]) -> set[str]:
    """Return the ids of the documents that sentences cite; "" for citations of a graph."""
    return {
        str(citation.get("document", {}).get("id", ""))
        for event in events
        if event.name == AnswerSentence.event
        for citation in event.data.get("citations", ())
    }
