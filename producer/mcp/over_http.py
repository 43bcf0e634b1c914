"""MCP over streamable HTTP, served by the API with its own keys.

A tool call is an API request with the caller's key, so the API's scopes, collections, job ownership, limits
and problems apply; nothing is checked here.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from hopline.aio.client import AsyncHopline
from hopline.transport import ACT_AS_HEADER
from producer.api.access import caller_with, shown_key
from producer.api.body_limit import refuse_repeated_fields
from producer.api.problems import Problem
from producer.inside import HOST, AsyncInside
from producer.mcp.server import Toolset, make_server

if TYPE_CHECKING:
    from mcp.server import ServerRequestContext
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from producer.api.context import Api

PATH = "/mcp"
_SESSION = "Mcp-Session-Id"


class McpEndpoint:
    """Serves MCP at one path of an application; each request stands alone.

    A handshake returns a session id, which holds no state: a client that began with a handshake cancels a
    request by sending another one, and the id tells whose request that is.

    Args:
        app: the API.
        api: the API's state.
    """

    def __init__(self, app: ASGIApp, api: Api) -> None:
        self._app = app
        self._api = api
        self._manager: StreamableHTTPSessionManager | None = None
        self._under_way = _UnderWay()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serve inside the block, which belongs in the application's lifespan."""
        self._manager = StreamableHTTPSessionManager(
            make_server(Toolset(self._client_for)),
            stateless=True,
            max_request_body_size=self._api.settings.api_body_bytes,
        )
        async with self._manager.run():
            try:
                yield
            finally:
                self._manager = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request.

        Raises:
            Problem: the key is unknown or lacks the scope `read`, or the application is stopping.
        """
        scope.setdefault("state", {})["via"] = "mcp"
        caller = await caller_with(self._api, HTTPConnection(scope))
        if not caller.key.may("read"):
            raise Problem(403, f"the key {caller.key.name!r} lacks the scope 'read'")
        if self._manager is None:
            raise Problem(503, "the server is shutting down", retry_after=2)
        if scope["method"] != "POST":  # there is no standalone stream, and no session to end
            await PlainTextResponse("use POST", 405, {"Allow": "POST"})(scope, receive, send)
            return
        request = Request(scope, receive)
        await refuse_repeated_fields(request)
        body = await request.body()
        message = _message(body)
        asking = _Asking(request.headers.get(_SESSION, ""), caller.id, caller.acting)
        reply = _Reply(send, new_session=message.get("method") == "initialize")
        if message.get("method") == "notifications/cancelled":
            self._under_way.cancel(asking, message.get("params"))
        with self._under_way.noted(asking, message.get("id")) as cancelled:
            await self._manager.handle_request(scope, _after(body, receive, cancelled), reply.send)
        await reply.end()

    def _client_for(self, context: ServerRequestContext[Any, Any]) -> AsyncHopline:
        """Return a client with the key of the request that made a call."""
        request = cast("Request", context.request)
        state = request.scope.get("state", {})
        headers = {"X-Request-ID": str(state.get("request_id", ""))}
        if trace := state.get("trace"):
            headers["traceparent"] = trace
        if acting := request.headers.getlist(ACT_AS_HEADER):
            headers[ACT_AS_HEADER] = ",".join(acting)
        address = request.client.host if request.client else ""
        told = {"via": "mcp", "address": address}
        inside = AsyncInside(self._app, asyncio.get_running_loop(), told, headers)
        key = shown_key(request.headers) or ""  # never the one of this process's environment
        return AsyncHopline(f"http://{HOST}", api_key=key, transport=inside)


class _Asking(NamedTuple):
    """The sender of a request; a session id alone proves nothing, since anyone may send it."""

    session: str
    caller: str
    acting: tuple[str, ...] | None


class _UnderWay:
    """Running requests of clients with a session id, which later requests of the session may cancel."""

    def __init__(self) -> None:
        self._requests: dict[tuple[_Asking, str], asyncio.Event] = {}

    @contextmanager
    def noted(self, asking: _Asking, request_id: Any) -> Iterator[asyncio.Event]:
        """Register a request for the block; the event is set when the client cancels it."""
        cancelled, name = asyncio.Event(), (asking, _named(request_id))
        if asking.session and request_id is not None:
            self._requests[name] = cancelled
        try:
            yield cancelled
        finally:
            if self._requests.get(name) is cancelled:
                del self._requests[name]

    def cancel(self, asking: _Asking, params: Any) -> None:
        """Cancel the request that a notification names, if it is running here."""
        request_id = params.get("requestId") if isinstance(params, dict) else None
        if cancelled := self._requests.get((asking, _named(request_id))):
            cancelled.set()


def _named(request_id: Any) -> str:
    return json.dumps(request_id)  # "1" and 1 are two


class _Reply:
    """Sends a reply: adds a session id to a handshake's, and ends the reply of a cancelled request."""

    def __init__(self, send: Send, *, new_session: bool) -> None:
        self._send = send
        self._new_session = new_session
        self._is_open = False

    async def send(self, message: Message) -> None:
        """Send a part."""
        if message["type"] == "http.response.start":
            self._is_open = True
            if self._new_session:
                MutableHeaders(scope=message)[_SESSION] = secrets.token_hex(16)
        elif message["type"] == "http.response.body":
            self._is_open = message.get("more_body", False)
        await self._send(message)

    async def end(self) -> None:
        """End a reply that a cancelled request left open, since its client is still connected."""
        if self._is_open:
            await self._send({"type": "http.response.body", "body": b"", "more_body": False})


def _message(body: bytes) -> dict[str, Any]:
    """Return the message in a body; empty if there is none, which is refused later."""
    try:
        message = json.loads(body)
    except ValueError:
        return {}
    return message if isinstance(message, dict) else {}


def _after(body: bytes, receive: Receive, cancelled: asyncio.Event) -> Receive:
    """Return a receiver for a body that is already read, to which cancelling looks like a disconnect."""
    first: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def received() -> Message:
        if first:
            return first.pop()
        left = asyncio.ensure_future(cancelled.wait())
        more = asyncio.ensure_future(receive())
        try:
            await asyncio.wait((left, more), return_when=asyncio.FIRST_COMPLETED)
            return {"type": "http.disconnect"} if cancelled.is_set() else more.result()
        finally:
            left.cancel()
            more.cancel()

    return received


def mcp_route(endpoint: McpEndpoint) -> Route:
    """Return the route of an endpoint."""
    return Route(PATH, endpoint=endpoint, include_in_schema=False)
