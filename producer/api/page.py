"""Serves the web page and the API's description for reading, under a strict content security policy."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from fastapi import FastAPI
from starlette.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles

if TYPE_CHECKING:
    from starlette.types import Scope

_POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
# A new version is seen at the next visit; what has not changed is not sent again.
_HEADERS = {"Content-Security-Policy": _POLICY, "Cache-Control": "no-cache"}


class _PageFiles(StaticFiles):
    """The page's files with their policy."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return a file."""
        response = await super().get_response(path, scope)
        response.headers.update(_HEADERS)
        return response


def is_page(path: str) -> bool:
    """Return whether a path is the page or one of its files, which need no key."""
    return path in {"/", "/docs"} or path.startswith("/web/")


def serve_page(app: FastAPI) -> None:
    """Serve the page, without a key: the data it shows comes from the API, which asks for one."""
    folder = Path(str(files("producer"))) / "web"
    app.mount("/web", _PageFiles(directory=folder), name="web")

    @app.get("/", include_in_schema=False)
    def page() -> FileResponse:
        return FileResponse(folder / "index.html", headers=_HEADERS)

    @app.get("/docs", include_in_schema=False)
    def reference() -> FileResponse:
        return FileResponse(folder / "reference" / "index.html", headers=_HEADERS)
