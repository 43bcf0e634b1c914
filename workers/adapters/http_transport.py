"""An HTTP transport for clients that many threads share: one kept connection per thread."""

from __future__ import annotations

import threading

import httpx


class ThreadTransport(httpx.BaseTransport):
    """One connection per thread, kept between calls.

    httpx's own pool is searched under a lock for every request, in time that grows with its connections
    (measured: 1.6 instead of 0.6 ms of CPU a call with 48 threads), and where threads outnumber connections
    it was seen to close one that another thread was using.

    Args:
        keep_seconds: how long an idle connection is kept; less than the server keeps it.
    """

    def __init__(self, keep_seconds: float) -> None:
        self._limits = httpx.Limits(
            max_connections=1, max_keepalive_connections=1, keepalive_expiry=keep_seconds
        )
        self._context = httpx.create_ssl_context()  # takes milliseconds, so it is shared
        self._own = threading.local()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send over the calling thread's connection."""
        transport: httpx.HTTPTransport | None = getattr(self._own, "transport", None)
        if transport is None:
            transport = httpx.HTTPTransport(verify=self._context, limits=self._limits)
            self._own.transport = transport
        return transport.handle_request(request)
