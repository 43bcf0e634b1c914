"""Sends requests to the API within this process, without a socket but with the same checks.

The application runs in an event loop of its own; who sends is in a thread, or in another loop.
"""

from __future__ import annotations

import asyncio
import queue
from abc import abstractmethod
from collections.abc import AsyncIterator, Iterator, Mapping
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

import httpx2

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Scope

HOST = "localhost"
_WAIT = 60.0  # seconds for a reply's next piece, unless the request says otherwise


class Inside(httpx2.BaseTransport):
    """Carries the requests of threads to an application that runs in an event loop.

    Args:
        app: the application.
        loop: where it runs; never the one of a thread that sends.
        state: what the application learns of each request, beside what the request says.
    """

    def __init__(
        self, app: ASGIApp, loop: asyncio.AbstractEventLoop, state: Mapping[str, object] | None = None
    ) -> None:
        self._app = app
        self._loop = loop
        self._state = dict(state or {})

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Return the application's reply; its body comes as made.

        Raises:
            httpx2.ReadTimeout: nothing came for too long.
            httpx2.ReadError: the application failed.
        """
        exchange = _SyncExchange(request, request.read(), self._state)
        exchange.running = asyncio.run_coroutine_threadsafe(exchange.run(self._app), self._loop)
        try:
            start = exchange.next()
        except BaseException:
            exchange.close()
            raise
        return _response(start, request, exchange)


class AsyncInside(httpx2.AsyncBaseTransport):
    """Carries requests from tasks in the application's event loop or in another one.

    Args:
        app: the application.
        loop: event loop of the application.
        state: as for `Inside`.
        headers: headers that replace those of each request.
    """

    def __init__(
        self,
        app: ASGIApp,
        loop: asyncio.AbstractEventLoop,
        state: Mapping[str, object],
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self._app = app
        self._loop = loop
        self._state = dict(state)
        self._headers = dict(headers or {})

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Return the application's reply; its body comes as made.

        Raises: as `Inside.handle_request`.
        """
        request.headers.update(self._headers)
        exchange = _AsyncExchange(request, await request.aread(), self._state)
        exchange.running = asyncio.run_coroutine_threadsafe(exchange.run(self._app), self._loop)
        try:
            start = await exchange.next()
        except BaseException:
            await exchange.aclose()
            raise
        return _response(start, request, exchange)


Piece = dict[str, Any] | bytes | None  # the head of a reply, then the pieces of its body, then None


def _response(start: Piece, request: httpx2.Request, body: Any) -> httpx2.Response:
    if not isinstance(start, dict):
        raise httpx2.ReadError("the application gave no reply", request=request)
    return httpx2.Response(start["status"], headers=start["headers"], stream=body)


class _Exchange:
    """One request, and its reply as it comes."""

    def __init__(self, request: httpx2.Request, body: bytes, state: Mapping[str, object]) -> None:
        self._request = request
        self._state = state
        self._body: bytes | None = body
        self._is_whole = False  # the reply is whole
        self._wait: float | None = request.extensions.get("timeout", {}).get("read", _WAIT)  # None: no limit
        self.running: Future[None] | None = None

    @abstractmethod
    def put(self, piece: Piece) -> None:
        """Give the sender a piece; called in the application's loop."""

    async def run(self, app: ASGIApp) -> None:
        """Have the application answer."""
        try:
            await app(_scope(self._request, self._state), self._receive, self._send)
        finally:
            self.put(None)

    def end(self) -> None:
        """End the exchange; if the reply is incomplete, stop the application's work on it."""
        if self.running is not None and not self._is_whole:
            self.running.cancel()

    def _late(self) -> httpx2.ReadTimeout:
        return httpx2.ReadTimeout("no reply in time", request=self._request)

    async def _receive(self) -> Message:
        body, self._body = self._body, None
        if body is None:
            await asyncio.Event().wait()  # nobody leaves before the exchange is ended
        return {"type": "http.request", "body": body or b"", "more_body": False}

    async def _send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.put({"status": message["status"], "headers": list(message.get("headers", ()))})
        elif message["type"] == "http.response.body":
            if body := message.get("body"):
                self.put(bytes(body))
            if not message.get("more_body", False):
                self._is_whole = True
                self.put(None)


class _SyncExchange(_Exchange, httpx2.SyncByteStream):
    """An exchange that a thread reads."""

    def __init__(self, request: httpx2.Request, body: bytes, state: Mapping[str, object]) -> None:
        super().__init__(request, body, state)
        self._came: queue.SimpleQueue[Piece] = queue.SimpleQueue()

    def put(self, piece: Piece) -> None:
        """Give the sender a piece."""
        self._came.put(piece)

    def next(self) -> Piece:
        """Return the next piece."""
        try:
            return self._came.get(timeout=self._wait)
        except queue.Empty:
            raise self._late() from None

    def __iter__(self) -> Iterator[bytes]:
        while (piece := self.next()) is not None:
            if isinstance(piece, bytes):
                yield piece

    def close(self) -> None:
        """End the exchange."""
        self.end()


class _AsyncExchange(_Exchange, httpx2.AsyncByteStream):
    """An exchange that another event loop reads."""

    def __init__(self, request: httpx2.Request, body: bytes, state: Mapping[str, object]) -> None:
        super().__init__(request, body, state)
        self._came: asyncio.Queue[Piece] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()

    def put(self, piece: Piece) -> None:
        """Give the sender a piece; a loop that has ended takes none."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._came.put_nowait, piece)

    async def next(self) -> Piece:
        """Return the next piece."""
        try:
            return await asyncio.wait_for(self._came.get(), self._wait)
        except TimeoutError:
            raise self._late() from None

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while (piece := await self.next()) is not None:
            if isinstance(piece, bytes):
                yield piece

    async def aclose(self) -> None:
        """End the exchange."""
        self.end()


def _scope(request: httpx2.Request, state: Mapping[str, object]) -> Scope:
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": request.url.scheme,
        "path": request.url.path,
        "raw_path": request.url.raw_path.partition(b"?")[0],
        "query_string": request.url.query,
        "root_path": "",
        "headers": [(name.lower(), value) for name, value in request.headers.raw],
        "client": (HOST, 0),
        "server": (HOST, request.url.port or 80),
        "state": {**state, **request.extensions.get("state", {})},  # what no request from outside can say
    }
