"""Puts many messages into the queues at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from kombu.utils.uuid import uuid

from workers.core.jobs.messages import Message
from workers.limits.fair_queue import is_shared
from workers.transport.envelopes import Envelopes

if TYPE_CHECKING:
    from celery import Celery
    from kombu.messaging import Producer


_AT_ONCE = 500  # messages that one script puts


class BatchPublisher:
    """Writes messages itself and puts them into Redis in one round trip.

    What follows in a chain, and a chord's body, are sent by Celery once it is their turn.

    Args:
        application: whose broker they go to.
    """

    def __init__(self, application: Celery) -> None:
        self._app = application

    def send(self, messages: Sequence[Message]) -> None:
        """Send messages of their own."""
        envelopes = Envelopes(self._app)
        self._push([(message, envelopes.write(message)) for message in messages])

    def chain(self, *chains: Sequence[Message]) -> None:
        """Send the first of each chain; each one's end sends the next."""
        envelopes = Envelopes(self._app)
        written = []
        for first, *rest in chains:
            following = [envelopes.signature(message) for message in reversed(rest)]
            written.append((first, envelopes.write(first, chain=following)))
        self._push(written)

    def chord(self, header: Sequence[Message], body: Message) -> None:
        """Send the header's; when all have ended, the body."""
        envelopes, group = Envelopes(self._app), uuid()
        last = envelopes.signature(body, group_id=group)
        written = [
            (message, envelopes.write(message, chord=last, group=(group, number)))
            for number, message in enumerate(header)
        ]
        self._push(written, {self._app.backend.get_key_for_group(group, ".s"): len(header)})

    def _push(
        self, messages: Sequence[tuple[Message, bytes]], sizes: Mapping[bytes, int] | None = None
    ) -> None:
        """Put written messages into their queues' lists; set chords' sizes before. Repeated as settings say.

        A repetition may put in again what had got there: so may Celery's own.
        """
        with self._app.producer_or_acquire() as producer:
            policy = self._app.conf.task_publish_retry_policy
            producer.connection.transport_options.update(policy)  # holds for a first connection, too
            push = producer.connection.ensure(producer, _push_once, **policy)
            push(producer, messages, sizes or {}, self._app.backend.chord_expires)


def _push_once(
    producer: Producer,
    messages: Sequence[tuple[Message, bytes]],
    sizes: Mapping[bytes, int],
    seconds: int | None,
) -> None:
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
