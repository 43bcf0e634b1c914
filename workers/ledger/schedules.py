"""Stores schedules by name, their due runs and last jobs; the beat process knows the times."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import redis
from redis.client import Pipeline

from hopline.models.schedules import Schedule
from hopline.models.times import STORED
from workers.core.jobs.schedules import DueRuns
from workers.core.redis_keys import BEAT_LOCK, DUE_RUNS, SCHEDULED, SCHEDULES

Check = Callable[[Schedule | None], None]  # raises where a stored one is not to be replaced


def no_check(_stored: Schedule | None) -> None:
    """Allow every schedule to be replaced."""


class ScheduleBook:
    """All schedules.

    Args:
        client: the ledger's Redis.
    """

    def __init__(self, client: redis.Redis) -> None:
        self._client = client

    def find(self, name: str) -> Schedule | None:
        """Return a schedule; None if there is none with this name."""
        text = cast("str | None", self._client.hget(SCHEDULES, name))
        return Schedule.read_stored(text) if text else None

    def save(self, schedule: Schedule, check: Check = no_check) -> None:
        """Store a schedule if `check` allows replacing the one with its name."""

        def write(pipeline: Pipeline) -> None:
            text = cast("str | None", pipeline.hget(SCHEDULES, schedule.name))
            check(Schedule.read_stored(text) if text else None)
            pipeline.multi()
            pipeline.hset(SCHEDULES, schedule.name, schedule.model_dump_json(context=STORED))

        self._client.transaction(write, SCHEDULES)

    def remove(self, name: str) -> bool:
        """Delete a schedule; False if there is none with this name. A job that it started continues."""
        self._client.hdel(SCHEDULED, name)
        self.forget_runs(name)
        return bool(self._client.hdel(SCHEDULES, name))

    def all(self) -> list[Schedule]:
        """Return all schedules, ordered by name."""
        texts = cast("dict[str, str]", self._client.hgetall(SCHEDULES))
        return [Schedule.read_stored(text) for _name, text in sorted(texts.items())]

    def watched(self) -> bool:
        """Return whether a beat process is running, or was a minute ago."""
        return bool(self._client.exists(BEAT_LOCK))

    def due_runs(self, name: str) -> DueRuns:
        """Return the run that a schedule is to start, and the times at which it started nothing."""
        return _read(cast("str | None", self._client.hget(DUE_RUNS, name)))

    def all_due_runs(self) -> dict[str, DueRuns]:
        """Return the same by name, for all schedules that were ever due."""
        texts = cast("dict[str, str]", self._client.hgetall(DUE_RUNS))
        return {name: _read(text) for name, text in sorted(texts.items())}

    def change(self, name: str, changed: Callable[[DueRuns], DueRuns]) -> None:
        """Replace a schedule's due runs by the return value of `changed`, which may be called repeatedly."""

        def write(pipeline: Pipeline) -> None:
            runs = changed(_read(cast("str | None", pipeline.hget(DUE_RUNS, name))))
            pipeline.multi()
            pipeline.hset(DUE_RUNS, name, runs.model_dump_json(context=STORED))

        # redis-py types the function as one that takes a pipeline of any.
        self._client.transaction(write, DUE_RUNS)

    def forget_runs(self, name: str) -> None:
        """Delete a schedule's due run, and the outcomes of earlier times."""
        self._client.hdel(DUE_RUNS, name)

    def note_begun(self, name: str, job_id: str, before: str) -> bool:
        """Record which job a schedule starts; False if it has started another one since `before` was read."""

        def note(pipeline: Pipeline) -> bool:
            known = cast("str | None", pipeline.hget(SCHEDULED, name)) or ""
            pipeline.multi()
            if known not in {before, job_id}:
                return False
            pipeline.hset(SCHEDULED, name, job_id)
            return True

        # redis-py types the function as one that returns nothing.
        return bool(self._client.transaction(note, SCHEDULED, value_from_callable=True))  # type: ignore[arg-type]

    def begun(self, name: str) -> str:
        """Return the job that a schedule started last; "" if it has started none."""
        return cast("str | None", self._client.hget(SCHEDULED, name)) or ""


def _read(text: str | None) -> DueRuns:
    return DueRuns.read_stored(text) if text else DueRuns()
