"""SSRF guard: connects only to the address that was resolved and checked."""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Callable, Iterable, Sequence
from ipaddress import ip_address
from typing import Any

import httpcore2

from hopline.errors import Permanent
from workers.core.addresses import IPAddress, is_public

Resolve = Callable[[str, int], Sequence[IPAddress]]


class WebhookRefused(Permanent):
    """A webhook's address is not allowed."""


def resolve_name(host: str, port: int) -> list[IPAddress]:
    """Return the addresses of a name, in the system's order.

    Raises:
        OSError: it has none.
    """
    try:
        entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except UnicodeError as error:
        raise OSError(f"no name: {error}") from error
    return list(dict.fromkeys(ip_address(entry[4][0]) for entry in entries))


class CheckedNetwork(httpcore2.NetworkBackend):
    """Connects to a name's addresses only if every one of them may be called, and only until a moment.

    The name is looked up once, here: a server that tells a harmless address first and a private one next
    (DNS rebinding) is not asked a second time.

    Args:
        resolve: looks names up.
        deadline: when all is over, by the monotonic clock; a peer that trickles bytes does not extend it.
        private: any address may be called.
    """

    def __init__(self, resolve: Resolve, deadline: float, *, private: bool) -> None:
        self._resolve = resolve
        self._deadline = deadline
        self._private = private
        self._sockets = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        """Connect to the first of a host's addresses that answers.

        Raises:
            WebhookRefused: one of them may not be called.
            httpcore2.ConnectError, httpcore2.ConnectTimeout: the host has none, or none answers.
        """
        failed: Exception = httpcore2.ConnectError("its name has no address")
        for address in self._checked(host, port):
            try:
                stream = self._sockets.connect_tcp(
                    str(address), port, _left(self._deadline, timeout), local_address, socket_options
                )
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failed = error
            else:
                return _Bounded(stream, self._deadline)
        raise failed

    def _checked(self, host: str, port: int) -> list[IPAddress]:
        try:
            addresses = list(self._resolve(host, port))
        except OSError as error:
            raise httpcore2.ConnectError(f"its name has no address: {error}") from error
        if not self._private and not all(map(is_public, addresses)):
            raise WebhookRefused(
                f"the webhook's host {host} has an address that is not public (setting webhook_private)"
            )
        return addresses


class _Bounded(httpcore2.NetworkStream):
    """A connection whose every read and write ends by one moment."""

    def __init__(self, stream: httpcore2.NetworkStream, deadline: float) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, _left(self._deadline, timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, _left(self._deadline, timeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        secured = self._stream.start_tls(ssl_context, server_hostname, _left(self._deadline, timeout))
        return _Bounded(secured, self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


def _left(deadline: float, timeout: float | None) -> float:
    """Return the seconds that an operation may take.

    Raises:
        httpcore2.ReadTimeout: none are left.
    """
    left = deadline - time.monotonic()
    if left <= 0:
        raise httpcore2.ReadTimeout("the call took too long")
    return left if timeout is None else min(timeout, left)
