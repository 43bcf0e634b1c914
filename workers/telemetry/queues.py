"""Names the queues' lists and measures their lengths."""

from __future__ import annotations

import orjson
import redis

OCR = "ocr"  # pages of documents that are pictures
QUEUES = ("interactive", "bulk", OCR, "quarantine")
BEHIND = ("bulk", OCR)  # queues that nobody waits for, and whose items need the blob store
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


def queue_lists(queue: str) -> list[str]:
    """Return the Redis lists that make up a queue, most urgent first; the oldest message is a list's last."""
    return [queue, *(f"{queue}{_SEPARATOR}{priority}" for priority in range(1, PRIORITIES))]


def count_lists(queue: str) -> list[str]:
    """Return the Redis lists whose lengths add up to a queue's, including those by tenant."""
    waiting = [f"{_FAIR}:waiting:{number}" for number, _ in enumerate(_LAST, 1)]
    return queue_lists(queue) + (waiting if queue == FAIR_QUEUE else [])


def turns_keys() -> list[str]:
    """Return the keys (zsets) of the tenants that wait for turns of the shared queue, one for each class."""
    return [f"{_FAIR}:turns:{number}" for number, _ in enumerate(_LAST, 1)]


def fair_keys() -> list[str]:
    """Return the keys of the queue that tenants share, in the order of its scripts."""
    return [_FAIR, WEIGHTS, HELD, FAIR_HELD, *queue_lists(FAIR_QUEUE)]


def fair_args() -> list[str]:
    """Return what each of its scripts has as its last argument."""
    return [orjson.dumps(_LAST).decode()]


def queue_depths(client: redis.Redis) -> dict[str, int]:
    """Return queue -> messages that no worker has taken, in one round trip.

    Args:
        client: Redis client of the broker.
    """
    pipeline = client.pipeline(transaction=False)
    names = [(queue, name) for queue in QUEUES for name in count_lists(queue)]
    for _, name in names:
        pipeline.llen(name)
    depths = dict.fromkeys(QUEUES, 0)
    for (queue, _), length in zip(names, pipeline.execute(), strict=True):
        depths[queue] += length
    return depths


def messages_waiting(client: redis.Redis, queue: str) -> int:
    """Return how many messages of a queue no worker has taken, other than the shared one's.

    Args:
        client: Redis client of the broker.
        queue: a queue such as `SUBMISSIONS`, with messages of other services.
    """
    pipeline = client.pipeline(transaction=False)
    for name in queue_lists(queue):
        pipeline.llen(name)
    return sum(pipeline.execute())


def messages_before(client: redis.Redis, queue: str, priority: int) -> int:
    """Return how many messages are served before a new one of this priority, 0 to 9.

    Args:
        client: Redis client of the broker.
        queue: one of `QUEUES`.
        priority: priority of the new message; 0 is served first.
    """
    pipeline = client.pipeline(transaction=False)
    classes = sum(last < priority for last in _LAST) + 1
    lists = queue_lists(queue)
    for name in lists[: priority + 1] + count_lists(queue)[PRIORITIES : PRIORITIES + classes]:
        pipeline.llen(name)
    return sum(pipeline.execute())
