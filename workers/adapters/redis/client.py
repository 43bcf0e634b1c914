"""Creates Redis clients for one server, or for the primary that the Sentinels name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

import redis.asyncio.retry
import redis.asyncio.sentinel
from redis.backoff import ExponentialBackoff, NoBackoff
from redis.connection import Connection, SSLConnection, UnixDomainSocketConnection
from redis.credentials import UsernamePasswordCredentialProvider
from redis.exceptions import BusyLoadingError
from redis.retry import Retry
from redis.sentinel import Sentinel, SentinelManagedConnection

from hopline.certificates import distrust
from hopline.errors import InvalidInput
from workers.core.redis_address import parse_sentinels
from workers.core.retries import RETRIES

if TYPE_CHECKING:
    from workers.core.redis_address import SentinelAddress

_CONNECTIONS = 256
_SOCKET_SECONDS = 10.0
_HASTY_SECONDS = 0.5
_GREETING_SECONDS = 3.0
_SENTINEL_SECONDS = 1.0  # that one Sentinel may take to answer, before the next is asked
_AWAY = (redis.ConnectionError, redis.TimeoutError, BusyLoadingError)
# What a primary says that has become a replica, within a script too, and to who waits for a list.
_DEMOTED = ("can't write against a read only replica", "instance state changed (master -> replica?)")
_SUPPORTED = "the address of one Redis server, alone or behind Sentinel"


class _Primary(Connection):
    """A connection that closes when its server becomes a replica, so that the next finds the new primary."""

    def read_response(self, *args: Any, **options: Any) -> Any:
        """Return the reply.

        Raises:
            redis.ConnectionError: the server is a replica now; who retries is connected again.
        """
        try:
            return super().read_response(*args, **options)
        except redis.ResponseError as error:
            if any(word in str(error) for word in _DEMOTED):
                self.disconnect()
                raise redis.ConnectionError("this Redis has become a replica") from error
            raise

    def on_connect_check_health(self, check_health: bool = True) -> None:  # noqa: FBT001, FBT002 - redis-py's
        """Greet the server.

        Raises:
            InvalidInput: it is of a kind that cannot hold the ledger.
        """
        super().on_connect_check_health(check_health=check_health)
        handshake = cast("dict[Any, Any]", self.handshake_metadata or {})
        mode = handshake.get("mode") or handshake.get(b"mode", b"").decode()
        if mode in {"cluster", "sentinel"}:
            self.disconnect()
            what = "a node of a Redis Cluster" if mode == "cluster" else "a Sentinel: write sentinel://…/NAME"
            raise InvalidInput("redis", self._host_error(), f"{_SUPPORTED}; this is {what}")


class PrimaryConnection(_Primary):
    """To one server."""


class PrimarySSLConnection(_Primary, SSLConnection):
    """To one server, with TLS."""

    def connect_check_health(self, *args: Any, **options: Any) -> None:
        """Connect and greet the server.

        Raises:
            redis.ConnectionError: with advice if the server's certificate is not trusted.
        """
        try:
            super().connect_check_health(*args, **options)
        except redis.ConnectionError as error:
            if why := distrust(error):
                raise redis.ConnectionError(f"Redis at {self._host_error()}: {why}") from error
            raise


class PrimarySocketConnection(_Primary, UnixDomainSocketConnection):
    """To a server on this machine."""


class PrimarySentinelConnection(_Primary, SentinelManagedConnection):
    """To the server that the Sentinels name."""


class SentinelLogin(UsernamePasswordCredentialProvider):
    """The Sentinels' own password, which is shown nowhere."""

    def __json__(self) -> str:  # what kombu tells of a configuration
        """Return no secret."""
        return "********"


_CONNECTION = {"rediss": PrimarySSLConnection, "unix": PrimarySocketConnection}


def open_redis(url: str, **options: Any) -> redis.Redis:
    """Return a client that follows the primary; nothing is connected yet.

    Args:
        url: URL of one server, or of Sentinels.
        options: options of redis-py's connections.
    """
    address = parse_sentinels(url)
    if address is None:
        kind = _CONNECTION.get(url.partition("://")[0], PrimaryConnection)
        return redis.Redis.from_url(url, connection_class=kind, **options)
    asks = ask_sentinels(
        address.nodes,
        sentinel_options(address),
        db=address.database,
        username=address.username,
        password=address.password,
        connection_class=PrimarySentinelConnection,
        **options,
    )
    return cast("redis.Redis", asks.master_for(address.name))


def ask_sentinels(
    nodes: Sequence[tuple[str, int]], connection_options: Mapping[str, Any], **options: Any
) -> Sentinel:
    """Return a client of the Sentinels that finds the primary, trying each once.

    Args:
        nodes: host and port of each.
        connection_options: how they are connected to.
        options: how the primary is.
    """
    return Sentinel(nodes, sentinel_kwargs={"retry": Retry(NoBackoff(), 0), **connection_options}, **options)


def sentinel_options(address: SentinelAddress) -> dict[str, Any]:
    """Return the connection options of the Sentinels themselves."""
    options: dict[str, Any] = {
        "socket_timeout": _SENTINEL_SECONDS,
        "socket_connect_timeout": _SENTINEL_SECONDS,
    }
    if address.sentinel_password:
        options["credential_provider"] = SentinelLogin(address.sentinel_username, address.sentinel_password)
    return options


def redis_client(url: str, *, patient: bool = True, retries: int = RETRIES.redis_calls) -> redis.Redis:
    """Return a client that repeats a call over a lost connection; every ledger script may be repeated.

    Args:
        url: URL of one server, or of Sentinels.
        patient: until Redis is back, for some 20 seconds; else once, and after half a second it has failed.
        retries: number of retries of a patient client.
    """
    seconds = _SOCKET_SECONDS if patient else _HASTY_SECONDS
    return open_redis(
        url,
        decode_responses=True,
        max_connections=_CONNECTIONS,
        socket_timeout=seconds,
        socket_connect_timeout=seconds,
        socket_keepalive=True,
        health_check_interval=30 if patient else 0,
        retry=Retry(
            ExponentialBackoff(cap=RETRIES.redis_longest_wait, base=RETRIES.redis_first_wait),
            retries if patient else 1,
        ),
        retry_on_error=list(_AWAY),
    )


def probing_client(url: str, seconds: float) -> redis.Redis:
    """Return a client that tries once, with a time limit."""
    return open_redis(
        url,
        decode_responses=True,
        socket_timeout=seconds,
        socket_connect_timeout=seconds,
        retry=Retry(NoBackoff(), 0),
    )


def check_redis(*urls: str) -> None:
    """Check the kind of these servers once; an absent one may start later.

    Raises:
        InvalidInput: one is a node of a Redis Cluster, or a Sentinel.
    """
    for url in dict.fromkeys(urls):
        with suppress(redis.RedisError), probing_client(url, _GREETING_SECONDS) as client:
            client.ping()


def waiting_client(url: str, connections: int) -> redis.asyncio.Redis:
    """Return a client for waits, each of which takes a connection while it lasts."""
    options: dict[str, Any] = {
        "decode_responses": True,
        "max_connections": connections,
        "socket_keepalive": True,
        "health_check_interval": 30,
    }
    address = parse_sentinels(url)
    if address is None:
        return redis.asyncio.Redis.from_url(url, **options)
    sentinel = redis.asyncio.sentinel.Sentinel(
        address.nodes,
        sentinel_kwargs={"retry": redis.asyncio.retry.Retry(NoBackoff(), 0), **sentinel_options(address)},
        db=address.database,
        username=address.username,
        password=address.password,
        **options,
    )
    return cast("redis.asyncio.Redis", sentinel.master_for(address.name))
