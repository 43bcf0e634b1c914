"""Puts messages into the queues."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from kombu.exceptions import OperationalError
from kombu.utils.uuid import uuid

from hopline.errors import DependencyAway
from workers.core.jobs.messages import Message
from workers.limits.fair_queue import is_shared
from workers.transport.envelopes import Envelopes

if TYPE_CHECKING:
    from celery import Celery
    from kombu.messaging import Producer


_AT_ONCE = 500  # messages that one script puts
_NO_SIZES: Mapping[bytes, int] = {}


class CeleryPublisher:
    """Sends messages of (job id, epoch, item id) to the queues that the flows name.

    It writes them itself and puts them into Redis in one round trip; what follows in a chain, and a chord's
    body, are sent by Celery once it is their turn. All of it raises DependencyAway where the broker is away.

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
        """Send the first of each chain; each one's end sends the next."""
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
        producer: of the broker.
        seconds: that a chord's size is kept.
        messages: each with what is written of it.
        sizes: of the chords, by their keys.
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
