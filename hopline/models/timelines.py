"""Timelines of jobs: when each item waited and ran."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from hopline.models.base import Frozen
from hopline.models.times import Timestamp

Ending = Literal["running", "done", "failed", "deferred", "lost", "dead"]


class Attempt(Frozen):
    """One attempt of a worker at an item; times are seconds since the timeline's start."""

    began: float = Field(ge=0)
    ended: float | None = None
    how: Ending = "running"
    why: str | None = None  # it failed, waits, or was given up
    tokens: int = 0  # of its model calls; known of one that was done
    worker: str | None = None  # NAME@HOST, as Flower shows it; None where it is not known


class TimedItem(Frozen):
    """An item with its attempts in order."""

    item: str
    step: str
    phase: int
    opened: float = Field(ge=0)  # seconds until its phase was opened
    attempts: tuple[Attempt, ...]

    @property
    def began(self) -> float:
        """The time at which its first attempt began."""
        return self.attempts[0].began

    @property
    def waited(self) -> float:
        """Seconds from the opening of its phase to its first attempt, including earlier hops."""
        return max(0.0, self.began - self.opened)

    @property
    def tokens(self) -> int:
        """Tokens of the model calls that led to its result."""
        return sum(attempt.tokens for attempt in self.attempts)

    def ran(self, until: float) -> float:
        """Seconds that workers spent on the item; `until` is the end of an attempt that still runs."""
        return sum(
            (until if attempt.ended is None else attempt.ended) - attempt.began for attempt in self.attempts
        )


class Timeline(Frozen):
    """The course of a job over time."""

    started: Timestamp  # by the clock of Redis
    seconds: float = Field(ge=0)  # from the start to the end, or to the last event of a job that runs
    state: str | None  # it ended with; None while it runs
    items: tuple[TimedItem, ...]  # in the order in which they began
    closed: dict[int, str] = {}  # phase → why it took no more items
    cut: bool = False  # its first events are not kept any more: a job keeps a bounded number
