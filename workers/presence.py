"""Which workers are there: each says so in Redis every second, and is forgotten when it stops."""

from __future__ import annotations

import redis

from workers.queues import QUEUES

_SECONDS = 6.0  # without a sign of life; a killed worker is counted for so long
_KEY = "hop:workers:"  # zset per queue: worker → until when it counts, by Redis's clock
_BLIND = "hop:workers:blind:"  # the same of those that do not see the blob store


def stay(client: redis.Redis, queue: str, worker: str, *, sees_store: bool = True) -> None:
    """Say that a worker is there for a queue, and whether it sees the blob store that the others use."""
    now = _now(client)
    pipeline = client.pipeline(transaction=False)
    pipeline.zadd(_KEY + queue, {worker: now + _SECONDS})
    pipeline.zadd(_BLIND + queue, {worker: 0.0 if sees_store else now + _SECONDS})
    pipeline.zremrangebyscore(_BLIND + queue, "-inf", now)
    pipeline.zremrangebyscore(_KEY + queue, "-inf", now)
    pipeline.execute()


def leave(client: redis.Redis, queue: str, worker: str) -> None:
    """Say that a worker takes nothing any more."""
    client.zrem(_KEY + queue, worker)
    client.zrem(_BLIND + queue, worker)


def workers_by_queue(client: redis.Redis) -> dict[str, int]:
    """Return how many workers are there for each queue."""
    return _count(client, _KEY)


def blind_by_queue(client: redis.Redis) -> dict[str, int]:
    """Return how many of each queue's workers do not see the blob store, and so do none of the bulk work."""
    return _count(client, _BLIND)


def _count(client: redis.Redis, key: str) -> dict[str, int]:
    now = _now(client)
    pipeline = client.pipeline(transaction=False)
    for queue in QUEUES:
        pipeline.zcount(key + queue, f"({now!r}", "+inf")
    return dict(zip(QUEUES, pipeline.execute(), strict=True))


def _now(client: redis.Redis) -> float:
    seconds, micros = client.time()
    return seconds + micros / 1_000_000
