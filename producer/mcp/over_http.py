"""MCP over streamable HTTP, served by the API with its own keys.

A call of a tool is one of the API's own requests with the caller's key, so that scopes, collections, whose a
job is, limits and problems are the API's: there is one gate, and this is none.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, cast

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import HTTPConnection, Request
from starlette.routing import Route

from producer.api.access import caller_with, shown_key
from producer.api.body_limit import refuse_repeated_fields
from producer.api.principals.header import ACT_AS_HEADER
from producer.api.problems import Problem
from producer.client.hopline import Hopline
from producer.client.http.link import HttpLink
from producer.inside import HOST, Inside
from producer.mcp.server import Toolset, make_server

if TYPE_CHECKING:
    from mcp.server import ServerRequestContext
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from producer.api.context import Api

PATH = "/mcp"


class McpEndpoint:
    """Serves MCP at one path of an application; each request stands alone, there are no sessions.

    Args:
        app: the API.
        api: what it works with.
    """

    def __init__(self, app: ASGIApp, api: Api) -> None:
        self._app = app
        self._api = api
        self._manager: StreamableHTTPSessionManager | None = None
        self._inside: Inside | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serve inside the block; belongs into the application's lifespan."""
        self._inside = Inside(self._app, asyncio.get_running_loop())
        self._manager = StreamableHTTPSessionManager(
            make_server(Toolset(self._client_for, files=False)),
            stateless=True,
            max_request_body_size=self._api.settings.api_body_bytes,
        )
        async with self._manager.run():
            try:
                yield
            finally:
                self._manager = self._inside = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request.

        Raises:
            Problem: the key opens nothing, or may not even read; or the application is ending.
        """
        scope.setdefault("state", {})["via"] = "mcp"
        caller = await caller_with(self._api, HTTPConnection(scope))
        if not caller.key.may("read"):
            raise Problem(403, f"the key {caller.key.name!r} lacks the scope 'read'")
        if self._manager is None:
            raise Problem(503, "the server is ending", retry_after=2)
        if scope["method"] == "POST":
            request = Request(scope, receive)
            await refuse_repeated_fields(request)
            receive = _after(await request.body(), receive)
        await self._manager.handle_request(scope, receive, send)

    def _client_for(self, context: ServerRequestContext[Any, Any]) -> Hopline:
        """Return a client that shows the key of the request that brought a call."""
        request = cast("Request", context.request)
        state = request.scope.get("state", {})
        headers = {"X-Request-ID": str(state.get("request_id", ""))}
        if trace := state.get("trace"):
            headers["traceparent"] = trace
        if acting := request.headers.getlist(ACT_AS_HEADER):
            headers[ACT_AS_HEADER] = ",".join(acting)
        address = request.client.host if request.client else ""
        inside = self._inside.saying(via="mcp", address=address) if self._inside else None
        link = HttpLink(f"http://{HOST}", shown_key(request.headers), transport=inside, headers=headers)
        return Hopline(link=link)


def _after(body: bytes, receive: Receive) -> Receive:
    """Return what gives a body that was read, and then what follows it."""
    first: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def received() -> Message:
        return first.pop() if first else await receive()

    return received


def mcp_route(endpoint: McpEndpoint) -> Route:
    """Return the route of an endpoint."""
    return Route(PATH, endpoint=endpoint, include_in_schema=False)
