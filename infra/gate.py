"""Access control for servers of this machine only: they require a key and refuse browser pages."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.datastructures import Headers

from infra.local.files import write_file
from infra.loopback import names_loopback

if TYPE_CHECKING:
    from starlette.responses import Response
    from starlette.types import ASGIApp, Receive, Scope, Send

_BODILESS = ("GET", "HEAD", "DELETE")
_BEARER = "bearer "


def read_key(file: Path) -> str:
    """Return the key in a file (mode 600), which is created if it does not exist."""
    if not file.exists():
        write_file(file, new_key(), secret=True)
    return file.read_text(encoding="utf-8").strip()


def write_key(folder: Path, key: str) -> Path:
    """Write a server's key to a file beside its folder (mode 600), since command lines are public."""
    file = folder.resolve().with_suffix(".key")
    write_file(file, key, secret=True)
    return file


def new_key() -> str:
    """Return a random key."""
    return secrets.token_urlsafe(24)


class Gate:
    """Refuses foreign hosts and pages, bodies that are not JSON, and requests without the key.

    Every user of the machine reaches the loopback, and so does every page in its browsers: a page may send a
    plain POST to any port, and a foreign name can be made to point here (DNS rebinding).

    Args:
        app: handles accepted requests.
        key: the key, sent as `api-key` or as a bearer token.
        guards: returns whether a path is guarded.
        refuse: makes the response for a status and a reason, in the form of the server's API.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        key: str,
        guards: Callable[[str], bool],
        refuse: Callable[[int, str], Response],
    ) -> None:
        self._app = app
        self._key = key.encode()
        self._guards = guards
        self._refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        fault = None
        if scope["type"] == "http" and self._guards(scope["path"]):
            fault = self._fault(scope["method"], Headers(scope=scope))
        await (self._refuse(*fault) if fault else self._app)(scope, receive, send)

    def _fault(self, method: str, headers: Headers) -> tuple[int, str] | None:
        host, origin = headers.get("host", ""), headers.get("origin")
        if not names_loopback(host):
            return 403, f"host {host!r} is not this machine"
        if origin is not None:
            return 403, f"a page of {origin!r} may not call this server"
        if not secrets.compare_digest(_shown(headers).encode(), self._key):
            return 401, "the header api-key must hold this server's key"
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if method not in _BODILESS and kind != "application/json":
            return 415, f"content-type is {kind!r}, but must be application/json"
        return None


def _shown(headers: Headers) -> str:
    """Return the key in a request; empty if there is none."""
    bearer = headers.get("authorization", "")
    if bearer.lower().startswith(_BEARER):
        return bearer[len(_BEARER) :].strip()
    return headers.get("api-key", "")
