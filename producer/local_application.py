"""Runs the API for clients of this process, without a socket."""

from __future__ import annotations

import asyncio
import threading
from contextlib import ExitStack
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, cast

import httpx2
from anyio.from_thread import start_blocking_portal
from redis.exceptions import RedisError

from producer.inside import AsyncInside, Inside
from producer.service.service import Service
from producer.service.startup import greet_redis
from workers.logs import leave_to_logging, quiet_logs

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from hopline.models.audit import Via
    from workers.settings import Settings

_GREETING = 3.0  # seconds for Redis to answer a command


class LocalApplication:
    """The API in a thread of this process; it starts with the first request.

    Whoever runs this process reaches the servers themselves, so no API key is asked for.

    Args:
        settings: where the servers are; read from the environment unless given.
        service: what the API serves; made from the settings unless given, and closed with the application.
        via: how its requests come, as the audit tells it.
    """

    def __init__(
        self, settings: Settings | None = None, *, service: Service | None = None, via: Via = "client"
    ) -> None:
        self._service = service or Service(settings)
        if via == "cli":
            quiet_logs(self._service.services.settings)
        else:
            leave_to_logging()
        self._state = {"trusted": True, "via": via}
        self._lock = threading.Lock()
        self._open: ExitStack | None = None
        self.missing: RedisError | None = None  # why Redis did not answer a command
        self._running: tuple[ASGIApp, asyncio.AbstractEventLoop] | None = None

    def transport(self) -> httpx2.BaseTransport:
        """Return what carries the requests of threads; closing it ends the application."""
        return _Transport(self)

    def async_transport(self) -> httpx2.AsyncBaseTransport:
        """Return the same for another event loop."""
        return _AsyncTransport(self)

    def started(self) -> tuple[ASGIApp, asyncio.AbstractEventLoop, dict[str, Any]]:
        """Return the application, its event loop, and its state for each request."""
        with self._lock:
            if self._running is None:
                from producer.api.app import create_app  # noqa: PLC0415 - takes long, and help needs none

                if self._state["via"] == "cli":
                    self._greet()
                app = create_app(self._service, loopback=True, mcp=False, observed=False)
                with ExitStack() as opening:
                    portal = opening.enter_context(start_blocking_portal())
                    lifespan = app.router.lifespan_context(app)
                    opening.enter_context(portal.wrap_async_context_manager(lifespan))
                    loop = portal.call(asyncio.get_running_loop)
                    self._open = opening.pop_all()
                self._running = cast("ASGIApp", app), loop
            return *self._running, self._state

    def _greet(self) -> None:
        """Note whether Redis answers: what needs it then fails at once, instead of waiting out a restart."""
        try:
            greet_redis(self._service.services.settings.redis_url.get_secret_value(), _GREETING)
        except RedisError as error:
            self.missing = error

    def close(self) -> None:
        """End the application and close its connections; the next request starts it again."""
        with self._lock:
            opened, self._open, self._running = self._open, None, None
        if opened is not None:
            opened.close()
        self._service.close()


class _Transport(httpx2.BaseTransport):
    def __init__(self, application: LocalApplication) -> None:
        self._application = application

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        response = Inside(*self._application.started()).handle_request(request)
        if response.status_code == HTTPStatus.SERVICE_UNAVAILABLE and self._application.missing:
            raise self._application.missing
        return response

    def close(self) -> None:
        self._application.close()


class _AsyncTransport(httpx2.AsyncBaseTransport):
    def __init__(self, application: LocalApplication) -> None:
        self._application = application

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        started = await asyncio.to_thread(self._application.started)
        return await AsyncInside(*started).handle_async_request(request)

    async def aclose(self) -> None:
        await asyncio.to_thread(self._application.close)
