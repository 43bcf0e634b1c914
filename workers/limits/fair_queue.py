"""A queue that tenants share by their weights: messages wait by tenant, and are released in turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import redis

from workers.adapters.redis.lua import lua_source
from workers.core.jobs.messages import Message
from workers.telemetry.queues import FAIR_QUEUE, fair_args, fair_keys


def fair_source(*names: str) -> str:
    """Return the scripts with these names, preceded by the code shared by all scripts of a shared queue."""
    return lua_source("workers.limits", "fair_prelude", *names) + "\n"


def put_source() -> str:
    """Return the script that puts messages into a shared queue."""
    return fair_source("put_fair")


def arrivals_source() -> str:
    """Return the script that releases messages of recently arrived tenants ahead of others."""
    return fair_source("arrivals")


def is_shared(message: Message) -> bool:
    """Return whether a message waits for its tenant's turn."""
    return message.queue == FAIR_QUEUE and bool(message.collection)


def put_args(messages: Sequence[tuple[Message, bytes]]) -> list[Any]:
    """Return the arguments of put_fair.lua for the given messages."""
    written = [
        part
        for message, text in messages
        for part in (message.priority, message.caller, message.collection, text)
    ]
    return [*written, *fair_args()]


def let_out(broker: redis.Redis) -> None:
    """Release messages if there is room: workers do so when they take some, unless they die in between."""
    broker.register_script(fair_source("let_out"))(keys=fair_keys(), args=fair_args())


def refund_turn(broker: redis.Redis, message: Message) -> None:
    """Return a turn to a message's tenant: its work is deferred, and will cost another turn later."""
    if is_shared(message):
        args: list[str | int] = [message.priority, message.caller, message.collection, *fair_args()]
        broker.register_script(fair_source("refund_turn"))(keys=fair_keys(), args=args)
