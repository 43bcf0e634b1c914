"""Calls tasks of other Celery applications, through a queue of theirs in the broker's Redis."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from typing import Any
from uuid import uuid4

import orjson
import redis

from hopline.errors import Permanent


class NotAQueue(Permanent):
    """The Redis key with a queue's name is not a list."""


def call_task(client: redis.Redis, queue: str, task: str, task_id: str, kwargs: Mapping[str, Any]) -> None:
    """Put a message into a queue; it may be put in again.

    Args:
        client: Redis client of the broker.
        queue: whose list it goes into.
        task: its name.
        task_id: id of this call; the same however often it is put in.
        kwargs: its keyword arguments, as JSON.

    Raises:
        NotAQueue: under this name lies something else.
        RedisError: the broker is away, or takes nothing.
    """
    if client.type(queue) not in {"list", "none", b"list", b"none"}:
        raise NotAQueue(f"{queue} is not a queue: the broker's Redis has something else under this name")
    client.lpush(queue, _envelope(queue, task, task_id, kwargs))


def _envelope(queue: str, task: str, task_id: str, kwargs: Mapping[str, Any]) -> bytes:
    """Return a message in the format of Celery's task protocol 2 and kombu's Redis transport."""
    body = ((), kwargs, {"callbacks": None, "errbacks": None, "chain": None, "chord": None})
    headers = {
        "lang": "py",
        "task": task,
        "id": task_id,
        "root_id": task_id,
        "parent_id": None,
        "group": None,
        "shadow": None,
        "eta": None,
        "expires": None,
        "retries": 0,
        "timelimit": [None, None],
        "argsrepr": "()",
        "kwargsrepr": repr(dict(kwargs)),
        "origin": "hopline",
        "ignore_result": None,  # as the task itself says
    }
    properties = {
        "correlation_id": task_id,
        "reply_to": "",
        "delivery_mode": 2,
        "delivery_info": {"exchange": "", "routing_key": queue},
        "priority": 0,
        "body_encoding": "base64",
        "delivery_tag": str(uuid4()),
    }
    envelope = {
        "body": b64encode(orjson.dumps(body)).decode(),
        "content-encoding": "utf-8",
        "content-type": "application/json",
        "headers": headers,
        "properties": properties,
    }
    return orjson.dumps(envelope)
