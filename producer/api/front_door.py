"""Middleware for every request: request id, checks of host and origin, response headers."""

from __future__ import annotations

import re
import secrets
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import structlog
from redis.exceptions import RedisError
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import RedirectResponse

from hopline.traces import read_traceparent
from hopline.transport import VERSION_HEADER, own_version
from infra.loopback import host_of, names_loopback
from producer.api.access import needs_key
from producer.api.page import is_page
from producer.api.problems import problem
from workers.core.jobs.traces import log_fields

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from producer.api.context import Api

_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,100}")
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    VERSION_HEADER: own_version(),
}


class FrontDoor:
    """Gives each request an id, strips the API's path, and refuses requests triggered by foreign pages.

    While everyone on this machine may do everything, only names of this machine are accepted as the host, so
    that no foreign name can be made to point here (DNS rebinding).

    Args:
        app: handles accepted requests.
        api: the API's state.
        origins: origins of other pages that may call.
        prefix: path of the API's public address, which a proxy may strip or keep.
    """

    def __init__(self, app: ASGIApp, *, api: Api, origins: frozenset[str], prefix: str = "") -> None:
        self._app = app
        self._api = api
        self._origins = origins
        self._prefix = prefix

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif self._prefix and scope["path"] == self._prefix:  # the page's links to its files are relative
            await RedirectResponse(f"{self._prefix}/")(scope, receive, send)
        else:
            scope["path"] = self._own_path(scope["path"])
            await self._answer(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        if is_head := scope["method"] == "HEAD":  # as a probe asks: every answer of GET, without its body
            scope["method"] = "GET"
        headers = Headers(scope=scope)
        request_id = _request_id(headers.get("x-request-id", ""))
        trace = read_traceparent(headers.get("traceparent", ""))
        scope.setdefault("state", {}).update(request_id=request_id, trace=trace)

        async def tell(message: Message) -> None:
            if message["type"] == "http.response.start":
                response_headers = MutableHeaders(scope=message)
                response_headers["X-Request-ID"] = request_id
                if place := response_headers.get("location"):
                    response_headers["Location"] = self._placed(place, headers.get("host", ""))
                for name, value in _HEADERS.items():
                    response_headers.setdefault(name, value)
            elif is_head:
                message["body"] = b""
            await send(message)

        with structlog.contextvars.bound_contextvars(**log_fields(request_id, trace)):
            fault = self._page_fault(headers, scope["path"]) or await self._host_fault(headers)
            if fault is None:
                await self._app(scope, receive, tell)
            else:
                await problem(Request(scope), 403, fault)(scope, receive, tell)

    def _own_path(self, path: str) -> str:
        return path.removeprefix(self._prefix) if path.startswith(f"{self._prefix}/") else path

    def _placed(self, location: str, host: str) -> str:
        """Return a redirect's location for clients: below the prefix, without scheme and host."""
        parts = urlsplit(location)
        if parts.netloc not in ("", host):
            return location
        own = re.sub("^/{2,}", "/", parts.path)  # two would begin another host's name
        return parts._replace(scheme="", netloc="", path=self._prefix + own).geturl()

    async def _host_fault(self, headers: Headers) -> str | None:
        host = headers.get("host", "")
        if not self._api.loopback or names_loopback(host):
            return None
        try:
            if await needs_key(self._api):
                return None
        except RedisError:
            if self._api.key_needed:  # when Redis was last read; the request fails on Redis anyway
                return None
        return f"host {host!r} is not this machine: a server without keys answers to localhost only"

    def _page_fault(self, headers: Headers, path: str) -> str | None:
        origin = headers.get("origin")
        if origin is None:
            return None if _is_welcome(headers, path) else "a page of another site may not call this server"
        if origin in self._origins or _names(origin, headers.get("host", "")):
            return None
        return f"a page of {origin!r} may not call this server (setting api_origins)"


def _is_welcome(headers: Headers, path: str) -> bool:
    """Return whether a request without an origin comes from the browser's user or from this page.

    A link from elsewhere may open the page, but not read or start anything.
    """
    if headers.get("sec-fetch-site") != "cross-site":
        return True
    followed = (headers.get("sec-fetch-mode"), headers.get("sec-fetch-dest")) == ("navigate", "document")
    return followed and is_page(path)


def _names(origin: str, host: str) -> bool:
    """Return whether a page's origin equals the host and port that received its request."""
    scheme, _, place = origin.lower().partition("://")
    return scheme in ("http", "https") and place == host.lower() and host_of(host) is not None


def _request_id(header: str) -> str:
    """Return the request id that a client sent, if it is valid; else a new one."""
    return header if _REQUEST_ID.fullmatch(header) else secrets.token_hex(8)
