"""Takes messages from a queue several at a time, books them as held, and acknowledges them together."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from queue import Empty
from typing import Any

import redis
from kombu.transport import redis as kombu_redis
from kombu.transport import virtual
from kombu.utils.json import loads

from hopline.errors import InvalidInput
from workers.adapters.redis.lua import lua_source
from workers.core.errors import worded
from workers.core.jobs.messages import Message
from workers.core.json_objects import refuse_repeated
from workers.limits.fair_queue import arrivals_source, fair_source, put_args, put_source
from workers.telemetry.queues import FAIR_HELD, FAIR_QUEUE, fair_args, fair_keys
from workers.transport.dead_messages import bury
from workers.transport.delay import Delay

_SECONDS = 0.1  # that a done message stays booked at most
_MOST = 500  # tags in one command
OPTIONS = ("taken_at_once", "spare_threads", "taken_booked")  # of the transport, beside kombu's
# Errors that kombu and Celery's worker raise when they read a message that is not Celery's.
UNREADABLE = (AttributeError, LookupError, TypeError, ValueError, InvalidInput)


class QoS(kombu_redis.QoS):
    """Records the messages that a worker holds: taken ones at once, finished ones with the next message."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._booked: set[str] = set()  # not delivered yet
        self._done: deque[str] = deque()  # acknowledged, and booked still
        self._later = Delay(_SECONDS, self._settle_unless_away)
        self._opened = 0  # messages that it may still take into spare threads

    @property
    def _beyond(self) -> int:
        """Number of messages in spare threads; negative if others are free."""
        threads: int = self.prefetch_count - self.channel.spare_threads
        return len(self._delivered) - len(self._dirty) - max(1, threads)

    @property
    def _room(self) -> int:
        return max(-self._beyond, 0) + self._opened

    def can_consume(self) -> bool:
        """Return whether there is a thread for one message more."""
        return not self.prefetch_count or self._room > 0

    def can_consume_max_estimate(self) -> int | None:
        """Return how many more messages free threads can take; None if there is no limit."""
        return self._room if self.prefetch_count else None

    def open_spare(self, arrivals: Callable[[int], int]) -> None:
        """Open spare threads to messages of newly arrived tenants, if all others are busy.

        Args:
            arrivals: lets out so many of these messages at most, and returns how many.
        """
        spare = self.channel.spare_threads - self._beyond
        busy = bool(self.prefetch_count) and self._beyond >= 0
        self._opened = arrivals(spare) if busy and spare > 0 else 0

    def expect(self, delivery_tag: str) -> None:
        """Know of a message that it is booked, before it is delivered."""
        self._booked.add(delivery_tag)

    def append(self, message: Any, delivery_tag: str) -> None:
        """Hold a message, and book it unless it is."""
        if self._beyond >= 0:  # each is opened to one message, however soon that ends
            self._opened = max(0, self._opened - 1)
        if delivery_tag in self._booked:
            self._booked.discard(delivery_tag)
            virtual.QoS.append(self, message, delivery_tag)
        else:
            super().append(message, delivery_tag)

    def ack(self, delivery_tag: str) -> None:
        """Acknowledge a message; a worker that was at its limit takes the next one at once."""
        full = self._is_nearly_full()
        if self.channel.taken_at_once > 1 and not self.channel.closed:
            self._done.append(delivery_tag)
            virtual.QoS.ack(self, delivery_tag)
            if len(self._delivered) > len(self._dirty):
                self._later.start()
            else:  # it holds nothing else: no taking is to be expected
                self._settle_unless_away()
        else:
            super().ack(delivery_tag)
        if full or self._is_nearly_full():
            self.channel.connection.wake()

    def _is_nearly_full(self) -> bool:
        """Return whether the loop may have stopped taking, or takes the last one that fits."""
        return bool(self.prefetch_count) and self._room <= 1

    def drop(self, delivery_tag: str) -> None:
        """Take a message off the books that is never done, whether it was delivered or not."""
        if delivery_tag in self._delivered:
            self.ack(delivery_tag)
        else:
            self._booked.discard(delivery_tag)
            self._done.append(delivery_tag)
            self._later.start()

    @contextmanager
    def settling(self) -> Iterator[list[str]]:
        """Yield tags of finished messages for the block to acknowledge; they come again if it fails."""
        done: list[str] = []
        with suppress(IndexError):  # another thread may take some
            while len(done) < _MOST:
                done.append(self._done.popleft())
        try:
            yield done
        except BaseException:
            self._done.extend(done)
            raise

    def settle(self) -> None:
        """Acknowledge finished messages."""
        while self._done:
            with self.settling() as done, self.channel.conn_or_acquire() as client:
                pipeline = client.pipeline(transaction=False)
                pipeline.zrem(self.unacked_index_key, *done)
                pipeline.hdel(self.unacked_key, *done)
                pipeline.srem(FAIR_HELD, *done)
                pipeline.execute()

    def _settle_unless_away(self) -> None:
        with suppress(*self.channel.connection_errors):  # the next time, or the restored message is done
            if not self.channel.closed:
                self.settle()

    def restore_unacked_once(self, stderr: Any = None) -> None:
        """Return unfinished messages to their queues."""
        with suppress(*self.channel.connection_errors):
            self.settle()
        super().restore_unacked_once(stderr=stderr)


class BatchChannel(kombu_redis.Channel):
    """Takes up to `taken_at_once` messages of a list together; each consumer still gets them one by one."""

    QoS = QoS
    taken_at_once = 1  # a transport option
    spare_threads = (
        0  # a transport option: of the prefetch count, for tenants that come while all others are busy
    )
    # a transport option: one script takes and books messages, as nobody sends them again. Others are taken
    # by BRPOP, which waits at all lists: what is lost before it is booked, the ledger sends again.
    taken_booked = False
    _in_poll: Any
    _brpop_sent_at: Any
    from_transport_options: Any = (*kombu_redis.Channel.from_transport_options, *OPTIONS)

    def basic_consume(self, queue: str, no_ack: bool, *args: Any, **kwargs: Any) -> Any:  # noqa: FBT001 - kombu's
        """Consume from a queue; without acknowledgements, messages are taken one by one."""
        if no_ack:
            self.taken_at_once = 1
        return super().basic_consume(queue, no_ack, *args, **kwargs)

    @property
    def _takes_booked(self) -> bool:
        return self.taken_booked and self.taken_at_once > 1

    def _brpop_start(self, timeout: float | None = None) -> None:
        """Wait at the server for a message, which stays in its list where it is booked with its taking.

        The blocking move waits for a message in one list, that of messages without a priority. Other lists
        are checked when it ends, after at most a second.
        """
        if not self._takes_booked:
            super()._brpop_start(timeout)
            return
        (queue,) = self.active_queues
        self._in_poll = self.client.connection
        self._brpop_sent_at = time.monotonic()
        self.client.connection.send_command(
            "BLMOVE", queue, queue, "RIGHT", "RIGHT", timeout or self.brpop_timeout
        )

    def _brpop_read(self, **options: Any) -> Any:
        if self.taken_at_once <= 1:
            return super()._brpop_read(**options)
        try:
            command = "BLMOVE" if self._takes_booked else "BRPOP"
            try:
                reply = self.client.parse_response(self.client.connection, command, **options)
            except self.connection_errors:
                self.client.connection.disconnect()
                raise
            if self._takes_booked:
                self._deliver_booked()
            elif reply:
                self._deliver_with_more(*reply)
            else:
                raise Empty
            return True
        finally:
            self._in_poll = None
            self._flush_brpop_reauth()

    def _deliver_booked(self) -> None:
        """Deliver messages of the queue, which are booked when they leave it.

        Raises:
            Empty: there is none.
        """
        (queue,) = self.active_queues or (None,)
        if queue is None or self._closing:
            raise Empty
        most = min(self.taken_at_once, self.qos.can_consume_max_estimate() or 1)
        lists = [self._q_for_pri(queue, priority) for priority in self.priority_steps]
        with self.qos.settling() as done:
            texts = self._take_whole(
                keys=[self.unacked_key, self.unacked_index_key, *lists], args=[time.time(), most, *done]
            )
        if not texts:
            raise Empty
        self._deliver_texts(texts, queue)

    def _deliver_with_more(self, waiting: bytes, first: bytes) -> None:
        """Deliver a message taken from a list, and further ones from it.

        Between its own taking and its booking, the first may be lost with the worker, as all may in kombu.
        """
        queue = waiting.decode().rsplit(self.sep, 1)[0]
        room = self.qos.can_consume_max_estimate() or 1
        wanted = queue in self.active_queues and not self._closing  # a closing channel gives all back
        more = min(self.taken_at_once, room) - 1 if wanted else 0
        keys = [self.unacked_key, self.unacked_index_key, waiting]
        keys += fair_keys() if queue == FAIR_QUEUE else []
        with self.qos.settling() as done:
            texts = self._take(keys=keys, args=[time.time(), more, first, *done, *fair_args()])
        self._deliver_texts((first, *texts), queue)

    def _deliver_texts(self, texts: Sequence[bytes], queue: str) -> None:
        errors: list[Exception] = []
        for text in texts:
            try:
                self._deliver_text(text, queue)
            except Exception as error:  # noqa: BLE001 - the others are booked, too, and have to be begun
                errors.append(error)
        if errors:
            raise errors[0]

    def _deliver_text(self, text: bytes, queue: str) -> None:
        """Deliver a raw message from its queue; an unreadable one does not stop the worker."""
        tag = None
        try:
            message = loads(text)
            tag = _tag_of(message)
            if self.taken_booked:  # written by others: our own never repeat a field
                refuse_repeated(text)
            _check_address(message)
            self.qos.expect(tag)
            self.connection._deliver(message, queue)  # noqa: SLF001 - as kombu's channel does
        except UNREADABLE as error:
            self.bury(queue, text, worded(error))
            if tag is not None:
                self.qos.drop(tag)

    def put_fair(self, messages: Sequence[tuple[Message, bytes]]) -> None:
        """Put written messages into a queue that tenants share."""
        self._put_fair(keys=fair_keys(), args=put_args(messages))

    def open_spare(self) -> None:
        """Take messages of newly arrived tenants into spare threads, if all others are busy."""
        if self.spare_threads and FAIR_QUEUE in self.active_queues:
            with suppress(*self.connection_errors, redis.ResponseError):  # looked at again soon
                self.qos.open_spare(
                    lambda most: int(self._arrivals(keys=fair_keys(), args=[most, *fair_args()]))
                )

    def bury(self, queue: str, raw: bytes | Mapping[str, Any], reason: str) -> None:
        """Keep a message of a queue that cannot be done.

        Args:
            queue: that it lay in.
            raw: the message as stored in Redis, or as read.
            reason: why it cannot be done.
        """
        with self.conn_or_acquire() as client:
            bury(client, queue, raw, reason)

    @cached_property
    def _take(self) -> Any:
        return self._script(fair_source() + lua_source("workers.transport", "booking", "take"))

    @cached_property
    def _take_whole(self) -> Any:
        return self._script(lua_source("workers.transport", "booking", "take_whole"))

    @cached_property
    def _arrivals(self) -> Any:
        return self._script(arrivals_source())

    @cached_property
    def _put_fair(self) -> Any:
        return self._script(put_source())

    def _script(self, source: str) -> Any:
        script = self._create_client().register_script(source)
        return lambda keys, args: script(keys, args, client=self._create_client())


def _tag_of(message: Any) -> str:
    """Return a message's tag.

    Raises:
        LookupError, TypeError, ValueError: it has none.
    """
    tag = message["properties"]["delivery_tag"]
    if not isinstance(tag, str):
        raise TypeError("delivery_tag is no text")
    return tag


def _check_address(message: Any) -> None:
    """Check that a message can be given back.

    Raises:
        AttributeError, LookupError, ValueError: it does not name its destination.
    """
    if not {"exchange", "routing_key"} <= message["properties"]["delivery_info"].keys():
        raise ValueError("delivery_info names no exchange or no routing_key")
