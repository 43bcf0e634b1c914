"""Stores schedules by name with the last job of each; the beat process knows when they are due."""

from __future__ import annotations

from typing import cast

import redis
from redis.client import Pipeline

from workers.core.jobs.schedules import Schedule
from workers.ledger.keys import SCHEDULED, SCHEDULES


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

    def save(self, schedule: Schedule) -> None:
        """Store a schedule, in place of the one of its name."""
        self._client.hset(SCHEDULES, schedule.name, schedule.model_dump_json())

    def remove(self, name: str) -> bool:
        """Forget a schedule; False if there is none of this name. A job that it began goes on."""
        self._client.hdel(SCHEDULED, name)
        return bool(self._client.hdel(SCHEDULES, name))

    def all(self) -> list[Schedule]:
        """Return all schedules by name."""
        texts = cast("dict[str, str]", self._client.hgetall(SCHEDULES))
        return [Schedule.read_stored(text) for _name, text in sorted(texts.items())]

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
