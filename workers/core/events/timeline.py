"""Folds a job's events into a timeline: when each item ran, how often, and how each attempt ended."""

from __future__ import annotations

from collections.abc import Iterable

from hopline.events.catalogue import read_event
from hopline.events.jobs import (
    ItemBegun,
    ItemDead,
    ItemDeferred,
    ItemDone,
    ItemEvent,
    ItemFailed,
    JobEnded,
    LeaseLost,
    PhaseClosed,
    PhaseOpened,
)
from hopline.models.events import EventData
from hopline.models.timelines import Attempt, Ending, TimedItem, Timeline
from hopline.models.times import timestamp
from workers.core.jobs.work import Event


class _Fold:
    """Takes a job's events, oldest first."""

    def __init__(self) -> None:
        self._start: float | None = None
        self._now = 0.0
        self._phase, self._opened = 0, 0.0
        self._phases: dict[str, tuple[int, float]] = {}
        self._steps: dict[str, str] = {}
        self._attempts: dict[str, list[Attempt]] = {}
        self._state: str | None = None
        self._closed: dict[int, str] = {}
        self._cut = False

    def add(self, moment: float, name: str, event: EventData | None) -> None:
        """Add an event; moment: seconds since 1970."""
        if self._start is None:
            self._start, self._cut = moment, name != "job.submitted"
        self._now = max(self._now, moment - self._start)
        if isinstance(event, PhaseOpened):
            self._phase, self._opened = event.phase, self._now
        elif isinstance(event, PhaseClosed):
            self._closed[event.phase] = event.why
        elif isinstance(event, JobEnded):
            self._state = str(event.state)
        elif isinstance(event, ItemEvent):
            self._state = None  # of a job that was retried
            self._item(event)

    def _item(self, event: ItemEvent) -> None:
        attempts = self._attempts.setdefault(event.item, [])
        self._phases.setdefault(event.item, (self._phase, self._opened))
        self._steps[event.item] = event.step
        if isinstance(event, ItemBegun):
            if attempts and attempts[-1].ended is None:  # its worker was lost, which the next one shows
                attempts[-1] = attempts[-1].model_copy(update={"ended": self._now, "how": "lost"})
            attempts.append(Attempt(began=self._now, worker=event.worker))
            return
        ending = _ending(event)
        if ending is None:
            return
        how, why = ending
        if how == "dead" and attempts and attempts[-1].ended is not None:  # told after the failure itself
            attempts[-1] = attempts[-1].model_copy(update={"how": how, "why": why})
            return
        if not attempts or attempts[-1].ended is not None:
            attempts.append(Attempt(began=max(0.0, self._now - _seconds(event))))
        tokens = event.tokens if isinstance(event, ItemDone) else 0
        ended = {"ended": self._now, "how": how, "why": why, "tokens": tokens}
        attempts[-1] = attempts[-1].model_copy(update=ended)

    def result(self) -> Timeline:
        """Return the timeline so far."""
        items = (
            TimedItem(item=name, step=self._steps[name], phase=phase, opened=opened, attempts=tuple(attempts))
            for name, attempts in self._attempts.items()
            if attempts
            for phase, opened in (self._phases[name],)
        )
        return Timeline(
            started=timestamp(self._start or 0.0),
            seconds=self._now,
            state=self._state,
            items=tuple(sorted(items, key=lambda item: (item.began, item.item))),
            closed=self._closed,
            cut=self._cut,
        )


def _ending(event: ItemEvent) -> tuple[Ending, str | None] | None:
    """Return how an event ends an attempt, and why; None if it does not."""
    if isinstance(event, ItemDone):
        return "done", None
    if isinstance(event, ItemFailed):
        return "failed", event.error
    if isinstance(event, ItemDeferred):
        return "deferred", event.why
    if isinstance(event, ItemDead):
        return "dead", event.error
    if isinstance(event, LeaseLost):
        return "lost", None
    return None


def _seconds(event: ItemEvent) -> float:
    """Return how long an attempt took whose beginning was not told."""
    return (event.ms or 0) / 1000 if isinstance(event, ItemDone) else 0.0


def timeline_of(entries: Iterable[tuple[str, Event]]) -> Timeline:
    """Return the timeline of a job.

    Args:
        entries: all its events with their ids in the stream, MILLISECONDS-NUMBER, oldest first.
    """
    fold = _Fold()
    for entry_id, event in entries:
        fold.add(int(entry_id.partition("-")[0]) / 1000, event.name, read_event(event))
    return fold.result()
