"""Calls webhooks over HTTP: signed, only to public addresses, and without following redirects."""

from __future__ import annotations

import ssl
import time
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cached_property
from pathlib import Path

import httpcore2  # what the openai client's HTTP library stands on
from standardwebhooks import Webhook

from hopline.certificates import distrust, tls_context
from hopline.errors import HoplineError, Permanent, Transient
from workers.adapters.webhook.network import CheckedNetwork, Resolve, WebhookRefused, resolve_name
from workers.core.addresses import Target, parse_target
from workers.telemetry.metrics import COUNTS
from workers.telemetry.traces.leaf import Leaf

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
        raise Permanent(f"{message}: it wants no more")
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
