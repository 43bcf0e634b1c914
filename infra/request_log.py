"""Logs a line for each request that a server has answered."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

import structlog
from starlette.datastructures import Headers

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_LONGEST_PATH = 200  # characters
log = structlog.get_logger()

Describe = Callable[["Scope", Headers], dict[str, object]]


class RequestLog:
    """Logs method, path, status and milliseconds of each request when it has ended.

    Neither headers nor query strings nor bodies are logged: keys and questions stand there. The status is
    None where the client left before it was answered.

    Args:
        app: the wrapped application. This middleware must be the outermost, so that refusals are logged too.
        describe: what else to log, or under what path, by the request's scope and the response's headers.
        quiet: paths that are not logged: those that tell all the time whether the server is there.
    """

    def __init__(
        self, app: ASGIApp, *, describe: Describe | None = None, quiet: Collection[str] = ()
    ) -> None:
        self._app = app
        self._describe = describe or (lambda _scope, _headers: {})
        self._quiet = quiet

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and log it."""
        if scope["type"] != "http" or scope["path"] in self._quiet:
            await self._app(scope, receive, send)
            return
        started, status, headers = time.monotonic(), None, Headers(raw=[])

        async def noted(message: Message) -> None:
            nonlocal status, headers
            if message["type"] == "http.response.start":
                status, headers = message["status"], Headers(raw=message["headers"])
            await send(message)

        try:
            await self._app(scope, receive, noted)
        finally:
            spent = round(1000 * (time.monotonic() - started), 1)
            fields = {"path": scope["path"][:_LONGEST_PATH], **self._describe(scope, headers)}
            log.info("request.answered", method=scope["method"][:20], status=status, ms=spent, **fields)
