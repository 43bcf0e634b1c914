"""Keeps what is paused across jobs: queues, steps, models, API keys."""

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

    What an item has begun goes on to its end. Of a paused queue workers take nothing. An item of anything
    else is laid aside when its message comes, at growing intervals of about a minute at most, without an
    attempt counted.

    Args:
        client: the ledger's Redis.
        fresh_seconds: what this process knows of the pauses is never older.
        again: seconds after which an item that was laid aside is looked at again, the soonest and the latest.
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
        """Pause; False if it is paused already."""
        seconds, micros = self._client.time()
        pause = WorkPause(kind=kind, name=name, since=timestamp(seconds + micros / 1_000_000), by=by)
        self._read = -self._fresh_seconds
        return bool(self._client.hsetnx(WORK_PAUSED, f"{kind} {name}", pause.model_dump_json(context=STORED)))

    def resume(self, kind: WorkKind, name: str) -> bool:
        """Resume; False if it was not paused."""
        self._read = -self._fresh_seconds
        return bool(self._client.hdel(WORK_PAUSED, f"{kind} {name}"))

    def all(self) -> tuple[WorkPause, ...]:
        """Return all pauses, oldest first."""
        stored = cast("list[str]", self._client.hvals(WORK_PAUSED))
        return tuple(sorted(map(WorkPause.read_stored, stored), key=lambda pause: pause.since))

    def is_paused(self, kind: WorkKind, name: str) -> bool:
        """Return whether it is paused, from a reading at most half a second old."""
        return (kind, name) in self._fresh()

    def holds(self, queue: str, step: str, caller: str) -> Held | None:
        """Return why an item must wait; None if it may run.

        Args:
            queue: that serves it.
            step: that does it.
            caller: the id of the API key of its job.
        """
        known = self._fresh()
        for pause in (known.get(("queue", queue)), known.get(("step", step)), known.get(("key", caller))):
            if pause is not None:
                return Held(seconds=self._seconds(pause), why=f"{pause.kind} {pause.name} is paused")
        return None

    def check_model(self, model: str) -> None:
        """Pass where a model may be called.

        Raises:
            WorkPaused: it is.
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
    """Permits of one item that let no call of a paused model pass.

    Args:
        permits: of the item.
        pauses: which models are paused.
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
            WorkPaused: the model is.
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
