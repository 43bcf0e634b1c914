"""A bound on the bytes of a request's body."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


class BodyLimit:
    """Refuses a body as soon as it is known to be too large.

    Args:
        app: what takes the others.
        most: bytes.
    """

    def __init__(self, app: ASGIApp, most: int) -> None:
        self._app = app
        self._most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count what comes in; a length that is told is believed, for the server holds clients to it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        told = next((value for name, value in scope["headers"] if name == b"content-length"), b"")
        if told.isdigit() and int(told) > self._most:
            scope["hop_too_large"] = True
        got = 0

        async def counted() -> Message:
            nonlocal got
            if scope.get("hop_too_large"):
                raise self._too_large()
            message = await receive()
            got += len(message.get("body", b""))
            if got > self._most:
                raise self._too_large()
            return message

        await self._app(scope, counted, send)

    def _too_large(self) -> HTTPException:
        return HTTPException(413, f"a request's body may have {self._most} bytes (setting api_body_bytes)")
