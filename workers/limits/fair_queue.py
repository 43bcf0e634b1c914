"""A queue that tenants share by their weights: what waits, waits by tenant, and is let out in turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import redis

from workers.adapters.redis.lua import lua_source
from workers.core.jobs.messages import Message
from workers.telemetry.queues import FAIR_QUEUE, fair_args, fair_keys


def fair_source(*names: str) -> str:
    """Return the scripts of these names, behind what those of a shared queue have in common."""
    return lua_source("workers.limits", "fair_prelude", *names) + "\n"


def put_source() -> str:
    """Return the script that puts messages into a shared queue."""
    return fair_source("put_fair")


def arrivals_source() -> str:
    """Return the script that lets out messages of tenants that have come lately, ahead of others."""
    return fair_source("arrivals")


def is_shared(message: Message) -> bool:
    """Return whether a message waits for its tenant's turn."""
    return message.queue == FAIR_QUEUE and bool(message.collection)


def put_args(messages: Sequence[tuple[Message, bytes]]) -> list[Any]:
    """Return the arguments of put_fair.lua for messages as they are written."""
    written = [
        part
        for message, text in messages
        for part in (message.priority, message.caller, message.collection, text)
    ]
    return [*written, *fair_args()]


def let_out(broker: redis.Redis) -> None:
    """Let messages out where there is room: workers do it as they take some, unless they die in between."""
    broker.register_script(fair_source("let_out"))(keys=fair_keys(), args=fair_args())


def refund_turn(broker: redis.Redis, message: Message) -> None:
    """Give a message's tenant its turn back: its work is put off, and costs another later."""
    if is_shared(message):
        args: list[str | int] = [message.priority, message.caller, message.collection, *fair_args()]
        broker.register_script(fair_source("refund_turn"))(keys=fair_keys(), args=args)
