"""Bounds on what is taken: jobs in flight of a key, messages that wait."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from producer.api.problems import Problem
from workers.core.work import JobState
from workers.ledger.keys import job_key
from workers.queues import queue_depths

if TYPE_CHECKING:
    import redis

    from producer.api.context import Api

_IN_FLIGHT = "hop:in-flight:"  # zset per API key: its jobs that have not ended, by when they were submitted
_DEPTH_SECONDS = 0.5  # how old the queues' depth may be
_CREATED_WITHIN = 60.0  # seconds from a slot's taking to its job's creation
_RETRY_JOBS = 2  # seconds
_RETRY_QUEUES = 5


class QueueBound:
    """Refuses work while too much of it waits; the depth is looked at twice a second.

    Args:
        client: of the broker's Redis.
        most: messages that may wait, over all queues.
    """

    def __init__(self, client: redis.Redis, most: int) -> None:
        self._client = client
        self._most = most
        self._depth, self._until = 0, 0.0

    def check(self) -> None:
        """Pass while there is room.

        Raises:
            Problem: too much waits.
        """
        if time.monotonic() > self._until:
            self._depth = sum(queue_depths(self._client).values())
            self._until = time.monotonic() + _DEPTH_SECONDS
        if self._depth > self._most:
            told = f"{self._depth} messages wait for workers, more than {self._most}: try again later"
            raise Problem(503, told, retry_after=_RETRY_QUEUES)


def take_slot(api: Api, caller: str, job_id: str) -> None:
    """Count a job that is about to be submitted as one in flight of this key.

    A job that is there already (the same idempotency key again) takes none. What has ended makes room when
    room is needed: nothing has to happen at a job's end, so a crash forgets nothing.

    Raises:
        Problem: the key has as many jobs in flight as it may.
    """
    client, most = api.services.redis, api.settings.api_jobs_in_flight
    slots = _IN_FLIGHT + caller
    pipeline = client.pipeline(transaction=False)
    pipeline.exists(job_key(job_id, "job"))
    pipeline.zadd(slots, {job_id: time.time()}, nx=True)
    pipeline.zcard(slots)
    there, added, taken = pipeline.execute()
    if there or not added or taken <= most:
        return
    if taken - _free(client, slots) > most:
        client.zrem(slots, job_id)
        told = (
            f"{most} jobs of this key are in flight, which is as many as may be (setting api_jobs_in_flight)"
        )
        raise Problem(429, told, retry_after=_RETRY_JOBS)


def _free(client: redis.Redis, slots: str) -> int:
    """Give back the slots of jobs that have ended, or never were; return how many."""
    held = cast("list[tuple[str, float]]", client.zrange(slots, 0, -1, withscores=True))
    pipeline = client.pipeline(transaction=False)
    for job_id, _ in held:
        pipeline.hget(job_key(job_id, "job"), "state")
    late = time.time() - _CREATED_WITHIN
    ended = _ended(held, pipeline.execute(), late)
    return client.zrem(slots, *ended) if ended else 0


def _ended(held: Sequence[tuple[str, float]], states: Sequence[str | None], late: float) -> list[str]:
    return [
        job_id
        for (job_id, since), state in zip(held, states, strict=True)
        if state != JobState.RUNNING and (state is not None or since < late)
    ]
