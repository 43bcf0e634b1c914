"""Which workers are there: each says so in Redis every second, and is forgotten when it stops."""

from __future__ import annotations

import redis

from workers.queues import QUEUES

_SECONDS = 6.0  # without a sign of life; a killed worker is counted for so long
_KEY = "hop:workers:"  # zset per queue: worker → until when it counts, by Redis's clock


def stay(client: redis.Redis, queue: str, worker: str) -> None:
    """Say that a worker takes from a queue."""
    now = _now(client)
    pipeline = client.pipeline(transaction=False)
    pipeline.zadd(_KEY + queue, {worker: now + _SECONDS})
    pipeline.zremrangebyscore(_KEY + queue, "-inf", now)
    pipeline.execute()


def leave(client: redis.Redis, queue: str, worker: str) -> None:
    """Say that a worker takes nothing any more."""
    client.zrem(_KEY + queue, worker)


def workers_by_queue(client: redis.Redis) -> dict[str, int]:
    """Return how many workers take from each queue."""
    now = _now(client)
    pipeline = client.pipeline(transaction=False)
    for queue in QUEUES:
        pipeline.zcount(_KEY + queue, f"({now!r}", "+inf")
    return dict(zip(QUEUES, pipeline.execute(), strict=True))


def _now(client: redis.Redis) -> float:
    seconds, micros = client.time()
    return seconds + micros / 1_000_000
