"""Stores pauses that apply across jobs: of queues, steps, models and API keys."""

from __future__ import annotations

import random
import time
from typing import cast

import redis

from hopline.models.pauses import WorkKind, WorkPause
from hopline.models.times import STORED, seconds_between, timestamp
from workers.core.errors import WorkPaused
from workers.core.models.permits import Came, Cost, Line, Permit, Permits
from workers.core.redis_keys import WORK_PAUSED
from workers.limits.breakers import Held

SOONEST, LATEST = 5.0, 60.0  # seconds after which an item that was laid aside is looked at again


class WorkPauses:
    """The pauses of all workers; one instance per process, shared by its threads.

    Items already started are finished. Workers take nothing from a paused queue. For any other pause, an item
    is deferred when its message arrives, at growing intervals of up to about a minute, without counting an
    attempt.

    Args:
        client: the ledger's Redis.
        fresh_seconds: maximum age of this process's copy of the pauses.
        again: minimum and maximum seconds before a deferred item is checked again.
    """

    def __init__(
        self, client: redis.Redis, fresh_seconds: float = 0.5, again: tuple[float, float] = (SOONEST, LATEST)
    ) -> None:
        self._client = client
        self._fresh_seconds = fresh_seconds
        self._soonest, self._latest = again
        self._known: dict[tuple[str, str], WorkPause] = {}
        self._read = -fresh_seconds

    def pause(self, kind: WorkKind, name: str, by: str = "") -> bool:
        """Pause something; False if it is already paused."""
        seconds, micros = self._client.time()
        pause = WorkPause(kind=kind, name=name, since=timestamp(seconds + micros / 1_000_000), by=by)
        self._read = -self._fresh_seconds
        return bool(self._client.hsetnx(WORK_PAUSED, f"{kind} {name}", pause.model_dump_json(context=STORED)))

    def resume(self, kind: WorkKind, name: str) -> bool:
        """Resume something; False if it was not paused."""
        self._read = -self._fresh_seconds
        return bool(self._client.hdel(WORK_PAUSED, f"{kind} {name}"))

    def all(self) -> tuple[WorkPause, ...]:
        """Return all pauses, oldest first."""
        stored = cast("list[str]", self._client.hvals(WORK_PAUSED))
        return tuple(sorted(map(WorkPause.read_stored, stored), key=lambda pause: pause.since))

    def is_paused(self, kind: WorkKind, name: str) -> bool:
        """Return whether something is paused, as read at most `fresh_seconds` ago."""
        return (kind, name) in self._fresh()

    def holds(self, queue: str, step: str, caller: str) -> Held | None:
        """Return why an item must wait; None if it may run.

        Args:
            queue: queue of the item.
            step: step of the item.
            caller: id of the API key of its job.
        """
        known = self._fresh()
        for pause in (known.get(("queue", queue)), known.get(("step", step)), known.get(("key", caller))):
            if pause is not None:
                return Held(seconds=self._seconds(pause), why=f"{pause.kind} {pause.name} is paused")
        return None

    def check_model(self, model: str) -> None:
        """Check that a model may be called.

        Raises:
            WorkPaused: the model is paused.
        """
        pause = self._fresh().get(("model", model))
        if pause is not None:
            raise WorkPaused(f"model {model} is paused", retry_after=self._seconds(pause))

    def _fresh(self) -> dict[tuple[str, str], WorkPause]:
        if time.monotonic() - self._read >= self._fresh_seconds:
            self._read = time.monotonic()
            self._known = {(pause.kind, pause.name): pause for pause in self.all()}
        return self._known

    def _seconds(self, pause: WorkPause) -> float:
        """Return when an item is looked at again: the longer the pause, the later, and not all at once."""
        seconds = min(self._latest, max(self._soonest, seconds_between(pause.since) / 4))
        return seconds + random.uniform(0.0, seconds / 4)  # noqa: S311 - a spread, no secret


class PausablePermits:
    """Permits of one item that block calls of a paused model.

    Args:
        permits: permits of the item.
        pauses: the pauses.
    """

    def __init__(self, permits: Permits, pauses: WorkPauses) -> None:
        self._permits = permits
        self._pauses = pauses

    @property
    def waited(self) -> float:
        """Seconds that this item's calls have waited so far."""
        return self._permits.waited

    def take(self, line: Line, cost: Cost) -> Permit:
        """Wait for a permit and take it.

        Raises:
            WorkPaused: the model is paused.
        """
        self._pauses.check_model(line.model)
        return self._permits.take(line, cost)

    def give(
        self,
        permit: Permit,
        came: Came,
        used: Cost | None = None,
        retry_after: float | None = None,
        away: Exception | None = None,
    ) -> None:
        """Release the permit."""
        self._permits.give(permit, came, used, retry_after, away)
