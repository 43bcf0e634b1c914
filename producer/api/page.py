"""Serves the web page and the API's description for reading, under a strict content security policy."""

from __future__ import annotations

import hashlib
import re
import time
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from fastapi import FastAPI
from starlette.responses import HTMLResponse, Response
from starlette.staticfiles import StaticFiles

if TYPE_CHECKING:
    from starlette.types import Scope

_POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
# A new version is seen at the next visit; what has not changed is not sent again.
_HEADERS = {"Content-Security-Policy": _POLICY, "Cache-Control": "no-cache"}
# Modules import one another by relative addresses: what lies below a version stays below it.
_KEPT = _HEADERS | {"Cache-Control": "public, max-age=31536000, immutable"}
_FOLDER = Path(str(files("producer"))) / "web"
_VERSIONED = re.compile(r"v-([0-9a-f]{16})/(.+)", re.DOTALL)
_OWN = re.compile(r"""(href|src)="web/""")


class _PageFiles(StaticFiles):
    """The page's files with their policy; browsers cache files requested under the current version."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return a file."""
        version, name = found.groups() if (found := _VERSIONED.fullmatch(path)) else ("", path)
        response = await super().get_response(name, scope)
        response.headers.update(_KEPT if version == _version() else _HEADERS)
        return response


def is_page(path: str) -> bool:
    """Return whether a path is the page or one of its files, which need no key."""
    return path in {"/", "/docs"} or path.startswith("/web/")


def serve_page(app: FastAPI) -> None:
    """Serve the page without a key; the API, which delivers its data, requires one."""
    app.mount("/web", _PageFiles(directory=_FOLDER), name="web")

    @app.get("/", include_in_schema=False)
    def page() -> HTMLResponse:
        return _of_version("index.html")

    @app.get("/docs", include_in_schema=False)
    def reference() -> HTMLResponse:
        return _of_version("reference/index.html")


def _of_version(name: str) -> HTMLResponse:
    """Return the page with links to files under the current version."""
    text = (_FOLDER / name).read_text(encoding="utf-8")
    return HTMLResponse(_OWN.sub(rf"""\1="web/v-{_version()}/""", text), headers=_HEADERS)


def _version() -> str:
    """Return the version of the page's files, computed from their content at most once a second."""
    return _version_at(int(time.monotonic()))


@lru_cache(maxsize=1)
def _version_at(_second: int) -> str:
    paths = sorted(path for path in _FOLDER.rglob("*") if path.is_file())
    return _hash_of(tuple((path, (status := path.stat()).st_mtime_ns, status.st_size) for path in paths))


@cache
def _hash_of(standing: tuple[tuple[Path, int, int], ...]) -> str:
    digest = hashlib.sha256()
    for path, *_ in standing:
        digest.update(path.relative_to(_FOLDER).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]
