"""Checks the API key and the size of a request before its body is read."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from workers.settings import Settings

Check = Callable[["Scope"], Awaitable[None]]

_LARGE = frozenset({"/v1/documents", "/mcp"})  # paths whose bodies bring documents


class BodyLimit:
    """Rejects bodies from senders who may send none, and bodies as soon as they are known to be too large.

    Nothing is done for a request whose body nobody reads.

    Args:
        app: what takes the others.
        settings: how many bytes a body may have.
        check: raises an HTTPException where a request's sender may not send one.
    """

    def __init__(self, app: ASGIApp, *, settings: Settings, check: Check) -> None:
        self._app = app
        self._settings = settings
        self._check = check

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count incoming bytes; a declared length is trusted, because the server enforces it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        content_length = headers.get("content-length", "")
        length = int(content_length) if content_length.isdecimal() else 0
        most, setting = self._bound(scope["path"])
        checked = not length and "transfer-encoding" not in headers
        got = 0

        async def counted() -> Message:
            nonlocal checked, got
            if not checked:
                await self._check(scope)
                checked = True
            if length > most:
                raise _too_large(most, setting)
            message = await receive()
            got += len(message.get("body", b""))
            if got > most:
                raise _too_large(most, setting)
            return message

        await self._app(scope, counted, send)

    def _bound(self, path: str) -> tuple[int, str]:
        """Return the most bytes that a body of this path may have, and the setting that limits it."""
        large, small = self._settings.api_body_bytes, self._settings.api_json_bytes
        return (large, "api_body_bytes") if path in _LARGE or large <= small else (small, "api_json_bytes")


def _too_large(most: int, setting: str) -> HTTPException:
    return HTTPException(413, f"a request's body may have {most} bytes here (setting {setting})")
