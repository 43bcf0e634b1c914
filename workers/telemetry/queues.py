"""Measures the queues: their lengths, and the age of their oldest messages."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import orjson
import redis

from workers.adapters.redis.lua import lua_source
from workers.core.records import Frozen

QUEUES = ("interactive", "bulk", "quarantine")
SUBMISSIONS = "submissions"  # what other services put in; it holds messages, and no items of ours
PRIORITIES = 10  # 0 to 9; 0 is served first
SENT_AT = "sent_at"  # a message's header: when it was sent, seconds since the epoch
FAIR_QUEUE = "bulk"  # that tenants share: few of its messages lie in its lists, the others wait by tenant
HELD = "unacked"  # kombu's hash of the messages that workers hold
WEIGHTS = "hop:weights"  # hash: "key ID" or "collection NAME" -> its weight; what has none counts 1
_FAIR = f"hop:fair:{FAIR_QUEUE}"
FAIR_HELD = f"{_FAIR}:held"  # set: tags of its messages that workers hold
_LAST = (2, 5, PRIORITIES - 1)  # the last priority of jobs of high, normal and low priority
_SEPARATOR = "\x06\x16"  # kombu's, between a queue's name and a priority that is not 0


class QueueState(Frozen):
    """One queue as it stands."""

    depth: int  # messages that no worker has taken
    oldest_seconds: float | None = None  # of the message that waits longest; None where none says


def queue_lists(queue: str) -> list[str]:
    """Return the Redis lists that make up a queue, most urgent first; the oldest message is a list's last."""
    return [queue, *(f"{queue}{_SEPARATOR}{priority}" for priority in range(1, PRIORITIES))]


def count_lists(queue: str) -> list[str]:
    """Return the Redis lists whose lengths make up that of a queue, with what waits by tenant."""
    waiting = [f"{_FAIR}:waiting:{number}" for number, _ in enumerate(_LAST, 1)]
    return queue_lists(queue) + (waiting if queue == FAIR_QUEUE else [])


def fair_keys() -> list[str]:
    """Return the keys of the queue that tenants share, in the order of its scripts."""
    return [_FAIR, WEIGHTS, HELD, FAIR_HELD, *queue_lists(FAIR_QUEUE)]


def fair_args() -> list[str]:
    """Return what each of its scripts has as its last argument."""
    return [orjson.dumps(_LAST).decode()]


def queue_depths(client: redis.Redis) -> dict[str, int]:
    """Return queue -> messages that no worker has taken, in one round trip.

    Args:
        client: of the broker's Redis.
    """
    pipeline = client.pipeline(transaction=False)
    _ask_lengths(pipeline)
    return _depths(pipeline.execute())


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
    classes = sum(last < priority for last in _LAST) + 1
    lists = queue_lists(queue)
    for name in lists[: priority + 1] + count_lists(queue)[PRIORITIES : PRIORITIES + classes]:
        pipeline.llen(name)
    return sum(pipeline.execute())


def queue_states(client: redis.Redis) -> tuple[dict[str, QueueState], int]:
    """Return the state of each queue, and how many messages workers hold, in one round trip.

    A message is held from when a worker takes it until the item is done; all queues' are counted together.
    """
    pipeline = client.pipeline(transaction=False)
    _ask_lengths(pipeline)
    pipeline.hlen(HELD)
    _ask_oldest(pipeline)
    replies = pipeline.execute()
    counts = len(_counts())
    depths, sent = _depths(replies[:counts]), _oldest(replies[counts + 1 :])
    now = time.time()
    states = {}
    for queue in QUEUES:
        times = [at for (name, _), at in sent.items() if name == queue]
        oldest = max(0.0, now - min(times)) if times else None
        states[queue] = QueueState(depth=depths[queue], oldest_seconds=oldest)
    return states, replies[counts]


def oldest_sent(client: redis.Redis, seconds: float) -> dict[tuple[str, int], float]:
    """Return (queue, priority) -> when its oldest message was sent, of those that waited longer than seconds.

    In seconds since the epoch, by the clock of who sent it.
    """
    pipeline = client.pipeline(transaction=False)
    _ask_oldest(pipeline)
    latest = time.time() - seconds
    return {name: at for name, at in _oldest(pipeline.execute()).items() if at < latest}


def _counts() -> list[tuple[str, str]]:
    return [(queue, name) for queue in QUEUES for name in count_lists(queue)]


def _ask_lengths(pipeline: Any) -> None:
    for _, name in _counts():
        pipeline.llen(name)


def _depths(lengths: Sequence[int]) -> dict[str, int]:
    depths = dict.fromkeys(QUEUES, 0)
    for (queue, _), length in zip(_counts(), lengths, strict=True):
        depths[queue] += length
    return depths


def _ask_oldest(pipeline: Any) -> None:
    """Ask for the oldest message of each list, and of what waits by tenant for each of the shared queue."""
    for queue in QUEUES:
        for name in queue_lists(queue):
            pipeline.lindex(name, -1)
    keys = fair_keys()
    shared = lua_source("workers.limits", "fair_prelude") + "\n"
    pipeline.eval(shared + lua_source("workers.telemetry", "oldest_fair"), len(keys), *keys, *fair_args())


def _oldest(replies: Sequence[Any]) -> dict[tuple[str, int], float]:
    """Return (queue, priority) -> when its oldest message was sent, where there is one that says so."""
    *lists, waiting = replies
    names = [(queue, priority) for queue in QUEUES for priority in range(PRIORITIES)]
    names += [(FAIR_QUEUE, priority) for priority in range(PRIORITIES)]
    oldest: dict[tuple[str, int], float] = {}
    for name, text in zip(names, [*lists, *waiting], strict=True):
        at = _sent_at(text)
        if at is not None:
            oldest[name] = min(at, oldest.get(name, at))
    return oldest


def _sent_at(message: str | bytes | None) -> float | None:
    """Return when a message was sent; None if there is none, or it does not say."""
    if not message:
        return None
    try:
        at = orjson.loads(message)["headers"][SENT_AT]
    except (orjson.JSONDecodeError, KeyError, TypeError, IndexError):
        return None
    return float(at) if isinstance(at, int | float) and not isinstance(at, bool) else None
