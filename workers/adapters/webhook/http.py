"""Calls webhooks over HTTP: signed, to public addresses that were checked, without following redirects."""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cached_property
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import httpcore2  # what the openai client's HTTP library stands on
from standardwebhooks import Webhook

from hopline.certificates import distrust, tls_context
from hopline.errors import HoplineError, Permanent, Transient
from workers.core.addresses import IPAddress, Target, is_public, parse_target
from workers.telemetry.metrics import COUNTS
from workers.telemetry.traces.leaf import Leaf

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
        raise OSError(f"not a valid host name: {error}") from error
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
            raise httpcore2.ConnectError(f"its host name has no address: {error}") from error
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


_GONE = 410


class HttpWebhooks:
    """`core.jobs.webhooks.WebhookSender` over HTTP/1.1; one connection per call.

    Redirects are not followed, proxies of the environment are not used, and of a response only its head is
    read: whatever the receiver is, it learns nothing but the message, and we learn nothing but its status.

    Args:
        secret_of: the signing secret of a caller, as whsec_….
        seconds: that one call may take, from the look-up of its name to the head of the response.
        private: addresses of private networks may be called.
        insecure: http:// may be called.
        resolve: looks names up.
        ca_file: certificate authorities to trust in addition to the system's.
    """

    def __init__(
        self,
        secret_of: Callable[[str], str],
        *,
        seconds: float = 10.0,
        private: bool = False,
        insecure: bool = False,
        resolve: Resolve = resolve_name,
        ca_file: Path | None = None,
    ) -> None:
        self._secret_of = secret_of
        self._seconds = seconds
        self._private = private
        self._insecure = insecure
        self._resolve = resolve
        self._ca_file = ca_file

    @cached_property
    def _trust(self) -> ssl.SSLContext:
        return tls_context(self._ca_file)

    def send(self, url: str, message_id: str, body: str, caller: str) -> int:
        """POST a JSON text once; see the port.

        Raises:
            Transient, Permanent: as the port says.
        """
        try:
            with Leaf("POST", {"http.request.method": "POST"}) as leaf:
                status = self._send(url, message_id, body, caller)
                leaf.note({"http.response.status_code": status})
        except HoplineError as error:
            COUNTS.count("hopline_webhooks", "refused" if isinstance(error, Permanent) else "failed")
            raise
        COUNTS.count("hopline_webhooks", "sent")
        return status

    def _send(self, url: str, message_id: str, body: str, caller: str) -> int:
        target = self._target(url)
        network = CheckedNetwork(self._resolve, time.monotonic() + self._seconds, private=self._private)
        limits = dict.fromkeys(("connect", "read", "write", "pool"), self._seconds)
        where = httpcore2.URL(
            scheme="https" if target.secure else "http",
            host=target.host,
            port=target.port,
            target=target.path,
        )
        headers = self._headers(target, message_id, body, caller)
        try:
            with (
                httpcore2.ConnectionPool(self._trust, max_connections=1, network_backend=network) as pool,
                pool.stream(
                    "POST", where, headers=headers, content=body.encode(), extensions={"timeout": limits}
                ) as response,
            ):
                return _success(target, response)
        except (httpcore2.TimeoutException, httpcore2.NetworkError, httpcore2.ProtocolError) as error:
            why = distrust(error) or str(error) or type(error).__name__
            raise Transient(f"the webhook at {target.authority} cannot be reached: {why}") from error

    def _target(self, url: str) -> Target:
        try:
            target = parse_target(url)
        except ValueError as error:
            raise WebhookRefused(f"the webhook's address is not valid: it must be {error}") from None
        if not target.secure and not self._insecure:
            raise WebhookRefused("the webhook is not called without TLS (setting webhook_http)")
        return target

    def _headers(self, target: Target, message_id: str, body: str, caller: str) -> list[tuple[str, str]]:
        now = datetime.now(UTC)
        return [
            ("Host", target.authority),
            ("Content-Type", "application/json"),
            ("Content-Length", str(len(body.encode()))),
            ("User-Agent", "hopline"),
            ("Connection", "close"),
            ("webhook-id", message_id),
            ("webhook-timestamp", str(int(now.timestamp()))),
            ("webhook-signature", Webhook(self._secret_of(caller)).sign(message_id, now, body)),
        ]


def _success(target: Target, response: httpcore2.Response) -> int:
    """Return a status that means success.

    Raises:
        Transient: any other; with the wait that the receiver asks for.
        Permanent: the receiver says that nobody is there any more.
    """
    if 200 <= response.status < 300:  # noqa: PLR2004 - HTTP's successes
        return response.status
    message = f"the webhook at {target.authority} answered with status {response.status}"
    if response.status == _GONE:
        raise Permanent(f"{message}: the receiver wants no more webhooks")
    raise Transient(message, retry_after=_retry_after(response))


def _retry_after(response: httpcore2.Response) -> float | None:
    """Parse Retry-After, a number or a date, into seconds."""
    header = next((value for name, value in response.headers if name.lower() == b"retry-after"), b"")
    text = header.decode("latin-1").strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        at = parsedate_to_datetime(text)
    except (ValueError, OverflowError):  # no date, or one of a year that there is not
        return None
    return max(0.0, (at - datetime.now(at.tzinfo)).total_seconds())
