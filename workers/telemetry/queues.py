"""Measures the queues: their lengths, and the age of their oldest messages."""

from __future__ import annotations

import time
from typing import Any

import orjson
import redis

from workers.core.records import Frozen

QUEUES = ("interactive", "bulk", "quarantine")
SUBMISSIONS = "submissions"  # what other services put in; it holds messages, and no items of ours
PRIORITIES = 10  # 0 to 9; 0 is served first
SENT_AT = "sent_at"  # a message's header: when it was sent, seconds since the epoch
_UNACKED = "unacked"  # kombu's hash of the messages that workers hold
_SEPARATOR = "\x06\x16"  # kombu's, between a queue's name and a priority that is not 0


class QueueState(Frozen):
    """One queue as it stands."""

    depth: int  # messages that no worker has taken
    oldest_seconds: float | None = None  # of the message that waits longest; None where none says


def queue_lists(queue: str) -> list[str]:
    """Return the Redis lists that make up a queue, most urgent first; the oldest message is a list's last."""
    return [queue, *(f"{queue}{_SEPARATOR}{priority}" for priority in range(1, PRIORITIES))]


def queue_depths(client: redis.Redis) -> dict[str, int]:
    """Return queue -> messages that no worker has taken, in one round trip.

    Args:
        client: of the broker's Redis.
    """
    pipeline = client.pipeline(transaction=False)
    for name in _all_lists():
        pipeline.llen(name)
    lengths = pipeline.execute()
    return {queue: sum(lengths[at : at + PRIORITIES]) for queue, at in _slices()}


def submissions_waiting(client: redis.Redis) -> int:
    """Return how many messages of other services no worker has taken.

    Args:
        client: of the broker's Redis.
    """
    pipeline = client.pipeline(transaction=False)
    for name in queue_lists(SUBMISSIONS):
        pipeline.llen(name)
    return sum(pipeline.execute())


def messages_before(client: redis.Redis, queue: str, priority: int) -> int:
    """Return how many messages are served before a new one of this priority, 0 to 9.

    Args:
        client: of the broker's Redis.
        queue: interactive, bulk or quarantine.
        priority: of the new message; 0 is served first.
    """
    pipeline = client.pipeline(transaction=False)
    for name in queue_lists(queue)[: priority + 1]:
        pipeline.llen(name)
    return sum(pipeline.execute())


def queue_states(client: redis.Redis) -> tuple[dict[str, QueueState], int]:
    """Return the state of each queue, and how many messages workers hold, in one round trip.

    A message is held from when a worker takes it until the item is done; all queues' are counted together.
    """
    pipeline = client.pipeline(transaction=False)
    for name in _all_lists():
        pipeline.llen(name)
    for name in _all_lists():
        pipeline.lindex(name, -1)
    pipeline.hlen(_UNACKED)
    *replies, held = pipeline.execute()
    lengths, oldest = replies[: len(QUEUES) * PRIORITIES], replies[len(QUEUES) * PRIORITIES :]
    now = time.time()
    states = {
        queue: QueueState(
            depth=sum(lengths[at : at + PRIORITIES]),
            oldest_seconds=_longest(now, oldest[at : at + PRIORITIES]),
        )
        for queue, at in _slices()
    }
    return states, held


def oldest_sent(client: redis.Redis, seconds: float) -> dict[tuple[str, int], float]:
    """Return (queue, priority) -> when its oldest message was sent, of those that waited longer than seconds.

    In seconds since the epoch, by the clock of who sent it.
    """
    names = [(queue, priority) for queue in QUEUES for priority in range(PRIORITIES)]
    pipeline = client.pipeline(transaction=False)
    for name in _all_lists():
        pipeline.lindex(name, -1)
    sent = zip(names, map(_sent_at, pipeline.execute()), strict=True)
    latest = time.time() - seconds
    return {name: at for name, at in sent if at is not None and at < latest}


def _all_lists() -> list[str]:
    return [name for queue in QUEUES for name in queue_lists(queue)]


def _slices() -> list[tuple[str, int]]:
    return [(queue, number * PRIORITIES) for number, queue in enumerate(QUEUES)]


def _longest(now: float, messages: list[Any]) -> float | None:
    sent = [at for at in map(_sent_at, messages) if at is not None]
    return max(0.0, now - min(sent)) if sent else None


def _sent_at(message: str | bytes | None) -> float | None:
    """Return when a message was sent; None if there is none, or it does not say."""
    if message is None:
        return None
    try:
        at = orjson.loads(message)["headers"][SENT_AT]
    except (orjson.JSONDecodeError, KeyError, TypeError, IndexError):
        return None
    return float(at) if isinstance(at, int | float) and not isinstance(at, bool) else None
