"""A queue that tenants share, with workers of a fixed number of threads, by the scripts alone."""

from collections import Counter
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import orjson
import redis

from workers.adapters.redis.lua import lua_source
from workers.core.jobs.messages import Message
from workers.limits.fair_queue import arrivals_source, fair_source, put_args, put_source
from workers.telemetry.queues import FAIR_HELD, FAIR_QUEUE, HELD, WEIGHTS, fair_args, fair_keys, queue_lists

NORMAL = 5  # the priority of a message that begins a document of a normal job
_TAKE = fair_source() + lua_source("workers.transport", "booking", "take")
_ARRIVALS = arrivals_source()
_INDEX = "unacked_index"


@dataclass
class SharedQueue:
    """What is put and taken, in order; a taken message is held until it is done.

    Args:
        client: of an empty database.
        threads: of all workers.
        at_once: messages that one taking takes.
        spare: further threads, for tenants that come while all others are busy.
        sent_at: when messages are sent, in seconds since the epoch; each a second later than the one before.
    """

    client: redis.Redis
    threads: int = 8
    at_once: int = 6
    spare: int = 0
    sent_at: float = 0
    taken: list[str] = field(default_factory=list)  # tenants, in the order of taking
    held: list[tuple[str, str]] = field(default_factory=list)  # tenant, tag
    _arrived: int = 0  # messages for which spare threads are open
    _tags: Any = field(default_factory=lambda: count(1))

    def weigh(self, **weights: float) -> None:
        """Set weights of collections."""
        self.client.hset(WEIGHTS, mapping={f"collection {name}": weight for name, weight in weights.items()})

    def put(self, collection: str, number: int = 1, *, priority: int = NORMAL, key: str = "") -> None:
        """Put messages of a tenant."""
        fields = {"job_id": "j", "epoch": 1, "item_id": "i", "step": "s", "queue": FAIR_QUEUE}
        message = Message(**fields, priority=priority, caller=key, collection=collection)
        written = [(message, self._text(key or collection)) for _ in range(number)]
        self.client.eval(put_source(), len(fair_keys()), *fair_keys(), *put_args(written))

    def _text(self, tenant: str) -> bytes:
        tag = f"{next(self._tags):06}"
        where = {"delivery_tag": tag, "delivery_info": {"exchange": "", "routing_key": FAIR_QUEUE}}
        headers = {"sent_at": self.sent_at + int(tag), "argsrepr": "('j', 1, 'i')"}
        return orjson.dumps({"body": tenant, "headers": headers, "properties": where})

    def take(self, *, dies: bool = False) -> int:
        """Take as many as there is room for; return how many. A worker may die before it books them."""
        beyond = len(self.held) - self.threads
        if self._arrived <= 0 and 0 <= beyond < self.spare:
            self._arrived = self._arrivals(self.spare - beyond)
        room = min(self.at_once, max(self._arrived, -beyond))
        lists = [name for name in queue_lists(FAIR_QUEUE) if self.client.llen(name)]
        if not lists or room <= 0:
            return 0
        first: Any = self.client.rpop(lists[0])
        if dies:
            return 0
        keys = [HELD, _INDEX, lists[0], *fair_keys()]
        more: Any = self.client.eval(_TAKE, len(keys), *keys, "1", room - 1, first, *fair_args())
        for text in (first, *more):
            message = orjson.loads(text)
            self.taken.append(message["body"])
            self.held.append((message["body"], message["properties"]["delivery_tag"]))
        self._arrived -= 1 + len(more)
        return 1 + len(more)

    def _arrivals(self, most: int) -> int:
        """Let out messages of tenants that have come lately; return how many."""
        count: Any = self.client.eval(_ARRIVALS, len(fair_keys()), *fair_keys(), most, *fair_args())
        return int(count)

    def finish(self, number: int = 1) -> list[str]:
        """End what was begun first; return whose it was."""
        ended, self.held = self.held[:number], self.held[number:]
        if ended:
            self.client.hdel(HELD, *(tag for _, tag in ended))
            self.client.srem(FAIR_HELD, *(tag for _, tag in ended))
        return [tenant for tenant, _ in ended]

    def work(self, messages: int) -> Counter[str]:
        """Take and end so many messages; return how many were begun for each tenant."""
        before = len(self.taken)
        while len(self.taken) - before < messages and (self.take() or self.held):
            while self.take():
                pass
            self.finish()
        return Counter(self.taken[before : before + messages])

    @property
    def left(self) -> list[str]:
        """The keys that are there beside weights and what workers hold."""
        return sorted(set(self.client.scan_iter()) - {WEIGHTS, HELD, FAIR_HELD, _INDEX})
