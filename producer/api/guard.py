"""What every request passes: its id, the host and origin that a browser names, headers of the reply."""

from __future__ import annotations

import ipaddress
import re
import secrets
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request

from producer.api.problems import problem

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,100}")
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
}


class Guard:
    """Gives a request its id; refuses what a foreign page makes a browser send.

    Args:
        app: what takes the others.
        loopback: only names of this machine are taken as the host, so that no foreign name can be made to
            point here (DNS rebinding).
        origins: other pages that may call, as a browser names them.
    """

    def __init__(self, app: ASGIApp, *, loopback: bool, origins: frozenset[str]) -> None:
        self._app = app
        self._loopback = loopback
        self._origins = origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        request_id = _request_id(headers.get("x-request-id", ""))
        scope.setdefault("state", {})["request_id"] = request_id

        async def tell(message: Message) -> None:
            if message["type"] == "http.response.start":
                told = MutableHeaders(scope=message)
                told["X-Request-ID"] = request_id
                for name, value in _HEADERS.items():
                    told.setdefault(name, value)
            await send(message)

        with structlog.contextvars.bound_contextvars(request_id=request_id):
            fault = self._fault(headers)
            if fault is None:
                await self._app(scope, receive, tell)
            else:
                await problem(Request(scope), 403, fault)(scope, receive, tell)

    def _fault(self, headers: Headers) -> str | None:
        host = headers.get("host", "")
        if self._loopback and not _is_here(host):
            return f"host {host!r} is not this machine: a server without keys answers to localhost only"
        origin = headers.get("origin")
        if origin is None or origin in self._origins or urlsplit(origin).netloc == host:
            return None
        return f"a page of {origin!r} may not call this server (setting api_origins)"


def _request_id(given: str) -> str:
    """Return the id that a client gave its request, if it is one; else a new one."""
    return given if _REQUEST_ID.fullmatch(given) else secrets.token_hex(8)


def _is_here(host: str) -> bool:
    name = urlsplit(f"//{host}").hostname or ""
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
