"""Checks a request's API key, size and speed while its body is read; refuses repeated fields."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request

from workers.core.json_objects import refuse_repeated

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from workers.settings import Settings

Check = Callable[["Scope"], Awaitable[None]]

_WITH_FILES = frozenset({"/v1/documents", "/v1/uploads/files"})  # paths whose forms are kept on disk
_LARGE = _WITH_FILES | {"/mcp"}  # paths whose bodies bring documents
_FORM = "multipart/form-data"
_AT_ONCE = 16_384  # bytes of JSON that take less time to read than a change of threads


class BodyLimit:
    """Rejects bodies of senders without access, and bodies as soon as they are too large or too slow.

    Requests whose body is not read are not checked.

    Args:
        app: handles accepted requests.
        settings: the limits of size and time.
        check: raises an HTTPException if the sender has no access.
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
        most, setting = self._bound(scope["path"], headers.get("content-type", ""))
        checked = not length and "transfer-encoding" not in headers
        got, waited, whole = 0, 0.0, False

        async def counted() -> Message:
            nonlocal checked, got, waited, whole
            if not checked:
                await self._check(scope)
                checked = True
            if length > most:
                raise _too_large(most, setting)
            if whole:  # what follows is how the connection ends
                return await receive()
            begun = time.monotonic()
            try:
                async with asyncio.timeout(self._patience(got, waited)):
                    message = await receive()
            except TimeoutError as error:
                raise self._too_slow() from error
            waited += time.monotonic() - begun
            got += len(message.get("body", b""))
            whole = not message.get("more_body", False)
            if got > most:
                raise _too_large(most, setting)
            return message

        await self._app(scope, counted, send)

    def _patience(self, got: int, waited: float) -> float:
        """Return the seconds that the next part of a body may take: fewer if earlier parts were slow."""
        silence = self._settings.api_body_silence
        return max(0.0, min(silence, silence + got / self._settings.api_body_rate - waited))

    def _too_slow(self) -> HTTPException:
        silence, rate = self._settings.api_body_silence, self._settings.api_body_rate
        text = f"send the body without pauses of {silence:g} seconds (setting api_body_silence), and at least"
        return HTTPException(
            408, f"{text} {rate} bytes a second (setting api_body_rate)", {"Connection": "close"}
        )

    def _bound(self, path: str, kind: str) -> tuple[int, str]:
        """Return the maximum size of such a body in bytes, and the setting that limits it."""
        if path in _WITH_FILES and kind.lower().startswith(_FORM):
            return self._settings.api_upload_bytes, "api_upload_bytes"
        large, small = self._settings.api_body_bytes, self._settings.api_json_bytes
        return (large, "api_body_bytes") if path in _LARGE or large <= small else (small, "api_json_bytes")


async def refuse_repeated_fields(request: Request) -> None:
    """Refuse a JSON body in which an object repeats a field, because parsers silently keep the last value.

    Raises:
        InvalidInput: a field is repeated.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind.startswith("multipart/") or not (body := await request.body()):
        return
    with suppress(ValueError):  # what is no JSON is refused with what the body should be
        if len(body) <= _AT_ONCE:
            refuse_repeated(body)
        else:
            await run_in_threadpool(refuse_repeated, body)


def _too_large(most: int, setting: str) -> HTTPException:
    return HTTPException(413, f"a request's body may have {most} bytes here (setting {setting})")
