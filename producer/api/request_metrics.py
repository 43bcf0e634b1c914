"""Counts and logs requests by the pattern of their route."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from workers.core.jobs.traces import log_fields
from workers.telemetry.metrics import COUNTS

if TYPE_CHECKING:
    from starlette.datastructures import Headers
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
JOBS_PATH = "/v1/jobs/"
_NO_ROUTE = "none"  # what is asked of no route may be anything, so it has one name
_BROKEN_OFF = "0"  # the status of a request whose client left before it was answered


class Metering:
    """Counts each request by method, route and status, and measures the time until its response begins.

    Args:
        app: handles the request. This middleware must be the outermost, so that refusals are counted, too.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and count it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status, seconds = time.monotonic(), _BROKEN_OFF, 0.0

        async def counted(message: Message) -> None:
            nonlocal status, seconds
            if message["type"] == "http.response.start":
                status, seconds = str(message["status"]), time.monotonic() - started
            await send(message)

        try:
            await self._app(scope, receive, counted)
        finally:
            method = scope["method"] if scope["method"] in _METHODS else "other"
            COUNTS.count("hopline_api_requests", method, route_of(scope), status)
            if status != _BROKEN_OFF:
                COUNTS.observe("hopline_api_seconds", method, route_of(scope), seconds=seconds)


def describe_request(scope: Scope, headers: Headers) -> dict[str, object]:
    """Return a request's log fields: its route, its id, and the job that it concerns."""
    fields: dict[str, object] = {"path": route_of(scope)}
    state = scope.get("state", {})
    job_id = (scope.get("path_params") or {}).get("job_id") or headers.get("location", "").partition(
        JOBS_PATH
    )[2]
    fields |= log_fields(state.get("request_id", ""), state.get("trace", ""))
    return fields | {"job_id": job_id} if job_id else fields


def route_of(scope: Scope) -> str:
    """Return the pattern of the matched route, such as /v1/jobs/{job_id}, from the scope."""
    path = getattr(scope.get("route"), "path", None)
    if isinstance(path, str):
        return path
    if scope.get("endpoint") is None:
        return _NO_ROUTE
    if scope.get("root_path"):
        return str(scope["root_path"])  # of files under a mount, which have no route of their own
    return _NO_ROUTE if scope.get("path_params") else str(scope["path"])  # a route that is one address
