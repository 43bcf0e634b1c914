"""Builds the messages of tasks, and puts them into the queues."""

from __future__ import annotations

import time
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import orjson
from celery.utils.nodenames import anon_nodename
from kombu.exceptions import OperationalError
from kombu.utils.uuid import uuid

from hopline.errors import DependencyAway
from workers.core.jobs.messages import Message
from workers.limits.fair_queue import is_shared
from workers.telemetry.queues import SENT_AT

if TYPE_CHECKING:
    from celery import Celery
    from kombu.messaging import Producer


_AT_ONCE = 500  # messages that one script puts
_NO_SIZES: Mapping[bytes, int] = {}
_ORIGIN = anon_nodename()


class CeleryPublisher:
    """Sends messages of (job id, epoch, item id) to the queues that the flows name.

    It writes them itself and puts them into Redis in one round trip; Celery sends later tasks of a chain, and
    a chord's body, when it is their turn. All methods raise DependencyAway if the broker is away.

    Args:
        application: whose broker they go to.
    """

    def __init__(self, application: Celery) -> None:
        self._app = application

    def send(self, messages: Sequence[Message]) -> None:
        """Send messages of their own."""
        if not messages:
            return
        envelopes = Envelopes(self._app)
        written = [(message, envelopes.write(message)) for message in messages]
        with self._pushing() as push:
            push(written)

    def chain(self, *chains: Sequence[Message]) -> None:
        """Send the first message of each chain; the end of each task sends the next."""
        envelopes = Envelopes(self._app)
        written = []
        for first, *rest in chains:
            following = [envelopes.signature(message) for message in reversed(rest)]
            written.append((first, envelopes.write(first, chain=following)))
        with self._pushing() as push:
            push(written)

    def chord(self, header: Sequence[Message], body: Message) -> None:
        """Send the header's; when all have ended, the body."""
        envelopes, group = Envelopes(self._app), uuid()
        last = envelopes.signature(body, group_id=group)
        written = [
            (message, envelopes.write(message, chord=last, group=(group, number)))
            for number, message in enumerate(header)
        ]
        with self._pushing() as push:
            push(written, {self._app.backend.get_key_for_group(group, ".s"): len(header)})

    @contextmanager
    def _pushing(self) -> Iterator[Callable[..., None]]:
        """Yield `_push`, repeated as the settings say.

        A repetition may put in again what had got there: so may Celery's own.
        """
        try:
            with self._app.producer_or_acquire() as producer:
                policy = self._app.conf.task_publish_retry_policy
                producer.connection.transport_options.update(policy)  # holds for a first connection, too
                push = producer.connection.ensure(producer, _push, **policy)
                yield partial(push, producer, self._app.backend.chord_expires)
        except OperationalError as error:
            raise DependencyAway(f"the broker is away: {error}", dependency="redis") from error


def _push(
    producer: Producer,
    seconds: int | None,
    messages: Sequence[tuple[Message, bytes]],
    sizes: Mapping[bytes, int] = _NO_SIZES,
) -> None:
    """Put written messages into their queues' lists; set chords' sizes before.

    Args:
        producer: producer of the broker.
        seconds: that a chord's size is kept.
        messages: each with what is written of it.
        sizes: sizes of the chords, by their keys.
    """
    channel = producer.channel
    lists: dict[str, list[bytes]] = {}
    shared: list[tuple[Message, bytes]] = []
    for message, written in messages:
        if is_shared(message):
            shared.append((message, written))
        else:
            lists.setdefault(channel.list_of(message.queue, message.priority), []).append(written)
    with channel.conn_or_acquire() as client, client.pipeline(transaction=False) as pipeline:
        for key, size in sizes.items():
            pipeline.set(key, size, ex=seconds)
        for name, waiting in lists.items():
            pipeline.lpush(name, *waiting)
        if sizes or lists:
            pipeline.execute()
    for at in range(0, len(shared), _AT_ONCE):
        channel.put_fair(shared[at : at + _AT_ONCE])


if TYPE_CHECKING:
    from celery import Celery


class Envelopes:
    """Writes the messages of one task in a worker, or of another process.

    Args:
        application: the application that sends them.
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
        """Return a message in the form of its queue's list.

        Args:
            message: contents and destination.
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
