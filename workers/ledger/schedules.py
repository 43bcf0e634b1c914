"""Stores schedules by name, what is due of each, and its last job; the beat process knows the times."""

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
    """Let every schedule be replaced."""


class ScheduleBook:
    """All schedules.

    Args:
        client: the ledger's Redis.
    """

    def __init__(self, client: redis.Redis) -> None:
        self._client = client

    def find(self, name: str) -> Schedule | None:
        """Return a schedule; None if there is none of this name."""
        text = cast("str | None", self._client.hget(SCHEDULES, name))
        return Schedule.read_stored(text) if text else None

    def save(self, schedule: Schedule, check: Check = no_check) -> None:
        """Store a schedule, where nothing is wrong with replacing the one of its name."""

        def write(pipeline: Pipeline) -> None:
            text = cast("str | None", pipeline.hget(SCHEDULES, schedule.name))
            check(Schedule.read_stored(text) if text else None)
            pipeline.multi()
            pipeline.hset(SCHEDULES, schedule.name, schedule.model_dump_json(context=STORED))

        self._client.transaction(write, SCHEDULES)

    def remove(self, name: str) -> bool:
        """Forget a schedule; False if there is none of this name. A job that it began goes on."""
        self._client.hdel(SCHEDULED, name)
        self.forget_runs(name)
        return bool(self._client.hdel(SCHEDULES, name))

    def all(self) -> list[Schedule]:
        """Return all schedules by name."""
        texts = cast("dict[str, str]", self._client.hgetall(SCHEDULES))
        return [Schedule.read_stored(text) for _name, text in sorted(texts.items())]

    def watched(self) -> bool:
        """Return whether a beat process runs, or ran a minute ago."""
        return bool(self._client.exists(BEAT_LOCK))

    def due_runs(self, name: str) -> DueRuns:
        """Return what a schedule is to begin, and when it began nothing."""
        return _read(cast("str | None", self._client.hget(DUE_RUNS, name)))

    def all_due_runs(self) -> dict[str, DueRuns]:
        """Return the same by name, of the schedules that were ever due."""
        texts = cast("dict[str, str]", self._client.hgetall(DUE_RUNS))
        return {name: _read(text) for name, text in sorted(texts.items())}

    def change(self, name: str, changed: Callable[[DueRuns], DueRuns]) -> None:
        """Replace what is due of a schedule by what `changed` makes of it, which may be called again."""

        def write(pipeline: Pipeline) -> None:
            runs = changed(_read(cast("str | None", pipeline.hget(DUE_RUNS, name))))
            pipeline.multi()
            pipeline.hset(DUE_RUNS, name, runs.model_dump_json(context=STORED))

        # redis-py types the function as one that takes a pipeline of any.
        self._client.transaction(write, DUE_RUNS)

    def forget_runs(self, name: str) -> None:
        """Forget what is due of a schedule, and what became of the times before."""
        self._client.hdel(DUE_RUNS, name)

    def note_begun(self, name: str, job_id: str, before: str) -> bool:
        """Remember which job a schedule begins; False if it has begun another since `before` was read."""

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
        """Return the job that a schedule began last; empty if it began none."""
        return cast("str | None", self._client.hget(SCHEDULED, name)) or ""


def _read(text: str | None) -> DueRuns:
    return DueRuns.read_stored(text) if text else DueRuns()
