"""Celery's Redis transports: connections follow the primary, and chords count on it too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import redis
from celery.app.amqp import AMQP
from celery.backends.redis import RedisBackend
from kombu.connection import Connection
from kombu.transport import redis as kombu_redis
from redis.backoff import ExponentialBackoff
from redis.retry import Retry

from workers.adapters.redis.client import (
    PrimaryConnection,
    PrimarySentinelConnection,
    PrimarySSLConnection,
    ask_sentinels,
    open_redis,
)
from workers.core.retries import RETRIES
from workers.transport.intake import OPTIONS, BatchChannel

if TYPE_CHECKING:
    from workers.app import Application

_RESULT_SECONDS = 10.0
_SPARE_SECONDS = 0.2  # between two looks at who has come, of a worker whose threads are busy


class _Keeping(BatchChannel):
    """Keeps its client: building one took a sixth of a worker's time (measured, 2 cores, redis-py 8)."""

    _kept: Any = None

    def list_of(self, queue: str, priority: int) -> str:
        """Return the name of the Redis list that holds a queue's messages of one priority."""
        return str(self._q_for_pri(queue, priority))

    def _create_client(self, asynchronous: bool = False) -> Any:  # noqa: FBT001, FBT002 - kombu's signature
        if asynchronous:
            return super()._create_client(asynchronous=True)
        if self._kept is None or self._kept.connection_pool is not self.pool:  # replaced on a lost connection
            self._kept = super()._create_client()
        return self._kept

    def _connparams(self, asynchronous: bool = False) -> Any:  # noqa: FBT001, FBT002 - kombu's signature
        # kombu forgets a lost connection before it closes the channel, which then gives messages back;
        # what it raises there is no connection error and ends the worker.
        if self.connection.client is None:
            raise redis.ConnectionError("the connection to the broker is closed")
        return super()._connparams(asynchronous)


class Channel(_Keeping):
    """A channel to one server."""

    connection_class = PrimaryConnection
    connection_class_ssl = PrimarySSLConnection


class SentinelChannel(_Keeping, kombu_redis.SentinelChannel):
    """A channel to the primary that the Sentinels name."""

    # kombu would list the Sentinels as brokers, try them in turn, and take its own transport for the second.
    from_transport_options: Any = (
        *kombu_redis.SentinelChannel.from_transport_options,
        *OPTIONS,
        "sentinels",
    )
    connection_class = PrimarySentinelConnection
    sentinels: Any = ()
    sentinel_kwargs: Any = None
    master_name: Any = None

    def _sentinel_managed_pool(self, asynchronous: bool = False) -> Any:  # noqa: FBT001, FBT002 - kombu's
        options = self._connparams(asynchronous)
        del options["host"], options["port"]
        asks = ask_sentinels(self.sentinels, self.sentinel_kwargs, **options)
        if asynchronous:  # kombu closes them
            self._async_sentinel_manager = asks
        else:
            self._sentinel_manager = asks
        return asks.master_for(self.master_name).connection_pool


class _Waking(kombu_redis.Transport):
    """Can wake its event loop from another thread, and checks for new tenants while all threads are busy."""

    _loop: Any = None
    _looks: Any = None
    cycle: Any

    def register_with_event_loop(self, connection: Any, loop: Any) -> None:
        """Read from the broker when the loop says that there is something to read."""
        super().register_with_event_loop(connection, loop)
        self._loop = loop
        if self._looks is not None:
            self._looks.cancel()
        self._looks = loop.call_repeatedly(_SPARE_SECONDS, self._open_spare)

    def _open_spare(self) -> None:
        for channel in self.cycle._channels:  # noqa: SLF001 - as kombu's transport does
            channel.open_spare()

    def wake(self) -> None:
        """Wake the event loop, if there is one."""
        if self._loop is not None:
            self._loop.call_soon(lambda: None)


class Transport(_Waking):
    """The transport that `broker_transport` names."""

    Channel = Channel


class SentinelTransport(_Waking, kombu_redis.SentinelTransport):
    """The same transport over Redis Sentinel."""

    Channel = SentinelChannel


class BrokerConnection(Connection):
    """A connection whose address is shown with Redis's scheme, which Flower knows."""

    def as_uri(self, *args: Any, **options: Any) -> str:
        """Return the address; kombu's has the name of our transport for a scheme."""
        _transport, _, rest = super().as_uri(*args, **options).partition("://")
        scheme = "sentinel" if issubclass(self.get_transport_cls(), SentinelTransport) else "redis"
        return f"{'rediss' if self.ssl and scheme == 'redis' else scheme}://{rest}"


class Broker(AMQP):
    """Celery's way to its broker, by such connections."""

    Connection = BrokerConnection


class Results(RedisBackend):
    """Where chords count, beside the queues: its address is not in Celery's configuration, which is shown."""

    app: Application

    def _get_pool(self, **_: Any) -> Any:
        return open_redis(
            self.app.settings.broker_address,
            socket_timeout=_RESULT_SECONDS,
            socket_connect_timeout=_RESULT_SECONDS,
            socket_keepalive=True,
            retry=Retry(
                ExponentialBackoff(cap=RETRIES.redis_longest_wait, base=RETRIES.redis_first_wait),
                RETRIES.result_calls,
            ),
            retry_on_error=[redis.ConnectionError, redis.TimeoutError],
        ).connection_pool
