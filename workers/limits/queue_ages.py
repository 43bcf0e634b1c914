"""Reports how long messages have waited: the oldest in each list, and of each tenant in the shared queue."""

from __future__ import annotations

import ast
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson
import redis

from hopline.models.base import Frozen
from workers.limits.fair_queue import fair_source
from workers.telemetry.queues import (
    FAIR_QUEUE,
    HELD,
    PRIORITIES,
    QUEUES,
    SENT_AT,
    fair_args,
    fair_keys,
    queue_depths,
    queue_lists,
    turns_keys,
)

MOST_TENANTS = 2000  # that are looked at: their messages are read in some milliseconds of Redis's time
_AT_ONCE = 100  # tenants that one script looks at: Redis does nothing else meanwhile
_LYING = 20  # messages of a list of the shared queue that are read; few lie there, as most wait by tenant

Times = Mapping[int, float]  # priority -> when the oldest message was sent, in seconds since the epoch


class QueueState(Frozen):
    """The current state of one queue."""

    depth: int  # messages that no worker has taken
    oldest_seconds: float | None = None  # of the message that waits longest; None where none says


class OldestSent(Frozen):
    """The sending times of the oldest messages, by the senders' clocks, where messages include them."""

    lists: Mapping[str, Times]  # queue -> of what lies in its lists
    tenants: Mapping[str, Times]  # of what waits for turns of the shared queue
    has_all_tenants: bool  # False: more wait than were looked at
    jobs: Mapping[int, Mapping[str, float] | None]  # shared queue: priority -> job -> sent; None: a long list

    def of_queue(self, queue: str) -> Iterator[float]:
        """Yield sending times of a queue's messages, including the oldest."""
        yield from self.lists[queue].values()
        if queue == FAIR_QUEUE:
            for times in self.tenants.values():
                yield from times.values()


def oldest_sent(client: redis.Redis, most_tenants: int = MOST_TENANTS, at_once: int = _AT_ONCE) -> OldestSent:
    """Return the oldest messages that no worker has taken.

    Args:
        client: client of the broker's Redis.
        most_tenants: maximum number of tenants examined.
        at_once: number of tenants examined per script call.
    """
    names = _waiting(client, most_tenants)  # first: what is let out meanwhile then lies in a list
    tenants = _of_tenants(client, names[:most_tenants], at_once)
    pipeline = client.pipeline(transaction=False)
    for queue in QUEUES:
        for name in queue_lists(queue):
            pipeline.lrange(name, -_LYING if queue == FAIR_QUEUE else -1, -1)
    replies = iter(pipeline.execute())
    lying = {queue: {priority: next(replies) for priority in range(PRIORITIES)} for queue in QUEUES}
    return OldestSent(
        lists={queue: _oldest(lists) for queue, lists in lying.items()},
        tenants=tenants,
        has_all_tenants=len(names) <= most_tenants,
        jobs={priority: _by_job(texts) for priority, texts in lying[FAIR_QUEUE].items()},
    )


def queue_states(client: redis.Redis) -> tuple[dict[str, QueueState], int]:
    """Return the state of each queue, and the number of messages held by workers.

    A message is held from the time a worker takes it until its item is finished; those of all queues are
    counted together.
    """
    depths, oldest, now = queue_depths(client), oldest_sent(client), time.time()
    states = {}
    for queue in QUEUES:
        first = min(oldest.of_queue(queue), default=None)
        age = None if first is None else max(0.0, now - first)
        states[queue] = QueueState(depth=depths[queue], oldest_seconds=age)
    held: Any = client.hlen(HELD)
    return states, int(held)


def _waiting(client: redis.Redis, most: int) -> list[str]:
    """Return the tenants that wait for turns, at most one more than are looked at in each class."""
    pipeline = client.pipeline(transaction=False)
    for name in turns_keys():
        pipeline.zrange(name, 0, most)
    return list(dict.fromkeys(_text(name) for part in pipeline.execute() for name in part))


def _of_tenants(client: redis.Redis, names: Sequence[str], at_once: int) -> dict[str, dict[int, float]]:
    look = client.register_script(fair_source("oldest_waiting"))
    times: dict[str, dict[int, float]] = {name: {} for name in names}
    for at in range(0, len(names), at_once):
        reply: Any = look(keys=fair_keys(), args=[*names[at : at + at_once], *fair_args()])
        for tenant, priority, sent in zip(reply[::3], reply[1::3], reply[2::3], strict=True):
            times[_text(tenant)][int(priority)] = float(sent)
    return times


def _oldest(lists: Mapping[int, Sequence[str | bytes]]) -> dict[int, float]:
    times = {priority: _sent_at(_headers(texts[-1])) for priority, texts in lists.items() if texts}
    return {priority: at for priority, at in times.items() if at is not None}


def _by_job(texts: Sequence[str | bytes]) -> dict[str, float] | None:
    """Return when the oldest message of each job in a list was sent; None if there may be more."""
    if len(texts) >= _LYING:
        return None
    oldest: dict[str, float] = {}
    for headers in map(_headers, texts):
        job_id, at = _job_of(headers), _sent_at(headers)
        if job_id is None or at is None:
            return None
        oldest[job_id] = min(at, oldest.get(job_id, at))
    return oldest


def _headers(message: str | bytes) -> Mapping[str, Any]:
    """Return a message's headers; none if it cannot be read."""
    try:
        headers = orjson.loads(message)["headers"]
    except (orjson.JSONDecodeError, KeyError, TypeError, IndexError):
        return {}
    return headers if isinstance(headers, Mapping) else {}


def _sent_at(headers: Mapping[str, Any]) -> float | None:
    """Return when a message was sent; None if it does not say."""
    at = headers.get(SENT_AT)
    return float(at) if isinstance(at, int | float) and not isinstance(at, bool) else None


def _job_of(headers: Mapping[str, Any]) -> str | None:
    """Return the job of one of our messages, which is its first argument; None if it is missing."""
    try:
        return str(ast.literal_eval(headers["argsrepr"])[0])
    except (KeyError, ValueError, SyntaxError, TypeError, IndexError):
        return None


def _text(name: str | bytes) -> str:
    return name.decode() if isinstance(name, bytes) else name
