"""Folds a job's events into a timeline: when each item ran, how often, and how each attempt ended."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from pydantic import Field

from hopline.models.base import Frozen
from workers.core.events.catalogue import read_event
from workers.core.events.jobs import (
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
from workers.core.jobs.work import Event, EventData

Ending = Literal["running", "done", "failed", "deferred", "lost", "dead"]


class Attempt(Frozen):
    """One time that a worker had an item in hand; times are seconds since the timeline's start."""

    began: float = Field(ge=0)
    ended: float | None = None
    how: Ending = "running"
    why: str | None = None  # it failed, waits, or was given up
    tokens: int = 0  # of its model calls; known of one that was done
    worker: str | None = None  # NAME@HOST, as Flower shows it; None where it is not known


class TimedItem(Frozen):
    """An item with its attempts, the first one first."""

    item: str
    step: str
    phase: int
    opened: float = Field(ge=0)  # seconds until its phase was opened
    attempts: tuple[Attempt, ...]

    @property
    def began(self) -> float:
        """When its first attempt began."""
        return self.attempts[0].began

    @property
    def waited(self) -> float:
        """Seconds from its phase's opening to its first attempt; later hops wait for earlier ones too."""
        return max(0.0, self.began - self.opened)

    @property
    def tokens(self) -> int:
        """Tokens of the model calls that led to its result."""
        return sum(attempt.tokens for attempt in self.attempts)

    def ran(self, until: float) -> float:
        """Seconds that workers had it in hand; `until` ends an attempt that still runs."""
        return sum(
            (until if attempt.ended is None else attempt.ended) - attempt.began for attempt in self.attempts
        )


class Timeline(Frozen):
    """What a job did, and when."""

    started: float  # seconds since 1970, by the clock of Redis
    seconds: float = Field(ge=0)  # from the start to the end, or to the last event of a job that runs
    state: str | None  # it ended with; None while it runs
    items: tuple[TimedItem, ...]  # in the order in which they began
    closed: dict[int, str] = {}  # phase → why it took no more items
    cut: bool = False  # its first events are not kept any more: a job keeps a bounded number


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
        """Take an event; moment: seconds since 1970."""
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
            if attempts and attempts[-1].ended is None:  # its worker was lost, which is told with the next
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
            started=self._start or 0.0,
            seconds=self._now,
            state=self._state,
            items=tuple(sorted(items, key=lambda item: (item.began, item.item))),
            closed=self._closed,
            cut=self._cut,
        )


def _ending(event: ItemEvent) -> tuple[Ending, str | None] | None:
    """Return how an event ends an attempt, and why; None where it does not."""
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
