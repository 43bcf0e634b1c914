"""Presence of workers: each reports to Redis every second, and expires when it stops."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import orjson
import redis

from workers.telemetry.queues import QUEUES, SUBMISSIONS

_SERVED = (*QUEUES, SUBMISSIONS)
_REMEMBERED_SECONDS = 86_400  # that a queue is known to have had a worker which is gone
_SECONDS = 6.0  # without a sign of life; a killed worker is counted for so long
_TOLD_SECONDS = 300  # how long what a worker says of its settings is kept; it says so every minute
_SETTINGS = "hop:workers:settings:"  # + worker → JSON of its settings' digests
_KEY = "hop:workers:"  # zset per queue: worker → until when it counts, by Redis's clock
_BLIND = "hop:workers:blind:"  # the same of those that do not see the blob store


def stay(client: redis.Redis, queue: str, worker: str, *, sees_store: bool = True) -> None:
    """Report a worker's presence for a queue, and whether it sees the shared blob store."""
    now = _now(client)
    pipeline = client.pipeline(transaction=False)
    pipeline.zadd(_KEY + queue, {worker: now + _SECONDS})
    pipeline.zadd(_BLIND + queue, {worker: 0.0 if sees_store else now + _SECONDS})
    pipeline.zremrangebyscore(_BLIND + queue, "-inf", now)
    pipeline.zremrangebyscore(_KEY + queue, "-inf", now - _REMEMBERED_SECONDS)
    pipeline.execute()


def leave(client: redis.Redis, queue: str, worker: str) -> None:
    """Report that a worker takes no further work."""
    client.zadd(_KEY + queue, {worker: _now(client)})
    client.zrem(_BLIND + queue, worker)


def had_worker(client: redis.Redis, queue: str) -> bool:
    """Return whether a worker was there for a queue within the last day, however it ended."""
    return bool(client.zcount(_KEY + queue, _now(client) - _REMEMBERED_SECONDS, "+inf"))


def workers_by_queue(client: redis.Redis) -> dict[str, int]:
    """Return how many workers are there for each queue."""
    return _count(client, _KEY)


def blind_by_queue(client: redis.Redis) -> dict[str, int]:
    """Count, by queue, the workers that do not see the blob store and take no bulk work."""
    return _count(client, _BLIND)


def workers_there(client: redis.Redis) -> dict[str, list[str]]:
    """Return queue → names of the workers serving it; a killed worker stays listed for some seconds."""
    now = _now(client)
    pipeline = client.pipeline(transaction=False)
    for queue in _SERVED:
        pipeline.zrangebyscore(_KEY + queue, f"({now!r}", "+inf")
    return dict(zip(_SERVED, pipeline.execute(), strict=True))


def _count(client: redis.Redis, key: str) -> dict[str, int]:
    now = _now(client)
    pipeline = client.pipeline(transaction=False)
    for queue in _SERVED:
        pipeline.zcount(key + queue, f"({now!r}", "+inf")
    return dict(zip(_SERVED, pipeline.execute(), strict=True))


def tell_settings(client: redis.Redis, worker: str, digests: Mapping[str, str]) -> None:
    """Publish the digests of a worker's settings; they expire after some minutes.

    Args:
        client: a Redis client.
        worker: its name among those of its queue.
        digests: setting → a short hash of its value.
    """
    client.set(_SETTINGS + worker, orjson.dumps(dict(digests)), ex=_TOLD_SECONDS)


def settings_of_workers(client: redis.Redis) -> dict[str, dict[str, str]]:
    """Return worker → digests of its settings, for the workers that have published them."""
    workers = [worker for names in workers_there(client).values() for worker in names]
    texts = (
        cast("list[str | None]", client.mget([_SETTINGS + worker for worker in workers])) if workers else []
    )
    return {worker: orjson.loads(text) for worker, text in zip(workers, texts, strict=True) if text}


def _now(client: redis.Redis) -> float:
    seconds, micros = client.time()
    return seconds + micros / 1_000_000
