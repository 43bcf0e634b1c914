"""Writes messages in the format of Celery's task protocol 2 and kombu's Redis transport."""

from __future__ import annotations

import time
from base64 import b64encode
from typing import TYPE_CHECKING, Any

import orjson
from celery.utils.nodenames import anon_nodename
from kombu.utils.uuid import uuid

from workers.core.jobs.messages import Message
from workers.telemetry.queues import SENT_AT

if TYPE_CHECKING:
    from celery import Celery

_ORIGIN = anon_nodename()


class Envelopes:
    """Writes the messages of one task of a worker, or of a process that is none.

    Args:
        application: who sends them.
    """

    def __init__(self, application: Celery) -> None:
        parent = application.current_worker_task
        self._parent_id = parent.request.id if parent else None
        self._root_id = parent.request.root_id or parent.request.id if parent else None
        self._reply_to = application.thread_oid

    def signature(self, message: Message, **options: str) -> dict[str, Any]:
        """Return how another message names this one, as what follows it."""
        return {
            "task": message.step,
            "args": _arguments(message),
            "kwargs": {},
            "options": {
                "queue": message.queue,
                "ignore_result": True,
                "priority": message.priority,
                "task_id": uuid(),
                "reply_to": self._reply_to,
                **options,
            },
            "subtask_type": None,
            "immutable": True,
        }

    def write(
        self,
        message: Message,
        *,
        chain: list[dict[str, Any]] | None = None,
        chord: dict[str, Any] | None = None,
        group: tuple[str, int] | None = None,
    ) -> bytes:
        """Return a message as it lies in its queue's list.

        Args:
            message: what it says, and to whom.
            chain: signatures of what follows it, the last first.
            chord: signature of what follows all of its group.
            group: the group's id, and its number within.
        """
        task_id = uuid()
        embedded = {"callbacks": None, "errbacks": None, "chain": chain, "chord": chord}
        envelope = {
            "body": b64encode(orjson.dumps((_arguments(message), {}, embedded))).decode(),
            "content-encoding": "utf-8",
            "content-type": "application/json",
            "headers": self._headers(message, task_id, *(group or (None, None))),
            "properties": {
                "correlation_id": task_id,
                "reply_to": self._reply_to,
                "delivery_mode": 2,
                "delivery_info": {"exchange": "", "routing_key": message.queue},
                "priority": message.priority,
                "body_encoding": "base64",
                "delivery_tag": uuid(),
            },
        }
        return orjson.dumps(envelope)

    def _headers(
        self, message: Message, task_id: str, group: str | None, number: int | None
    ) -> dict[str, Any]:
        return {
            "lang": "py",
            "task": message.step,
            "id": task_id,
            "shadow": None,
            "eta": None,
            "expires": None,
            "group": group,
            "group_index": number,
            "retries": 0,
            "timelimit": [None, None],
            "root_id": self._root_id or task_id,
            "parent_id": self._parent_id,
            "argsrepr": repr(tuple(_arguments(message))),
            "kwargsrepr": "{}",
            "origin": _ORIGIN,
            "ignore_result": True,
            "replaced_task_nesting": 0,
            "stamped_headers": None,
            "stamps": {},
            SENT_AT: time.time(),
        }


def _arguments(message: Message) -> list[Any]:
    return [message.job_id, message.epoch, message.item_id]
