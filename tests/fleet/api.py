"""The API on a port of its own, in a thread of the test's process: real HTTP, real servers behind it."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import httpx
import uvicorn
from sse_starlette.sse import AppStatus

from fleet.crew import wait_until
from infra.local.process import LOOPBACK, free_port
from producer.api.app import create_app
from producer.api.context import MOST_LISTED, Api
from producer.api.server import SERVER_OPTIONS
from producer.service.keys import ApiKeys
from producer.service.service import Service
from workers.app import application_for
from workers.core.jobs.messages import Publisher
from workers.services import Services
from workers.transport.publishers import CeleryPublisher


@dataclass
class ServedApi:
    """A running API."""

    url: str
    services: Services
    server: uvicorn.Server

    def stop(self) -> None:
        """Tell it to stop, as its supervisor would."""
        self.server.handle_exit(signal.SIGTERM, None)

    def has_room(self, key: str) -> bool:
        """Say whether this key may open another wait or stream."""
        held: Api = self.server.config.app.state.api  # type: ignore[union-attr]
        return held.streams.has_room(key.split("_")[1])

    def client(self, key: str | None = None, **headers: str) -> httpx.Client:
        """Return an HTTP client that shows this key."""
        shown = {"Authorization": f"Bearer {key}"} if key else {}
        return httpx.Client(base_url=self.url, headers={**shown, **headers}, timeout=180, trust_env=False)

    def operations(self) -> list[tuple[str, str]]:
        """Return the method and path of every route."""
        paths = httpx.get(f"{self.url}/openapi.json", timeout=60, trust_env=False).json()["paths"]
        return sorted((method.upper(), path) for path, methods in paths.items() for method in methods)

    def key(
        self,
        *scopes: str,
        collections: tuple[str, ...] | None = None,
        principals: tuple[str, ...] | None = None,
    ) -> str:
        """Make an API key; return its text."""
        return ApiKeys(self.services.redis).create("test", frozenset(scopes), collections, principals)[1]


def taken(client: httpx.Client, operation: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """Return those of some query parameters that an operation, as GET /v1/jobs, has."""
    names = _query_parameters(str(client.base_url))[operation]
    return {name: value for name, value in parameters.items() if name in names}


@cache
def _query_parameters(url: str) -> dict[str, frozenset[str]]:
    paths = httpx.get(f"{url.rstrip('/')}/openapi.json", timeout=60, trust_env=False).json()["paths"]
    return {
        f"{method.upper()} {path}": frozenset(
            parameter["name"] for parameter in operation.get("parameters", ()) if parameter["in"] == "query"
        )
        for path, operations in paths.items()
        for method, operation in operations.items()
    }


@contextmanager
def served_api(
    services: Services,
    publisher: Publisher | None = None,
    *,
    loopback: bool = True,
    most_listed: int = MOST_LISTED,
    token: str = "",
) -> Iterator[ServedApi]:
    """Serve the API until the block is left.

    Args:
        services: the servers behind it.
        publisher: Celery's unless given.
        loopback: it may do without keys.
        most_listed: how many files the places of a batch may hold.
        token: of this machine's user, who needs no key.
    """
    port = free_port()
    sends = publisher or CeleryPublisher(application_for(services.settings))
    service = Service(services=services, publisher=sends)
    app = create_app(service, loopback=loopback, most_listed=most_listed, token=token)
    options = SERVER_OPTIONS | {"timeout_graceful_shutdown": 2}
    server = uvicorn.Server(uvicorn.Config(app, host=LOOPBACK, port=port, **options))
    thread = threading.Thread(target=server.run, name="api", daemon=True)
    thread.start()
    try:
        wait_until(lambda: server.started, "the API serves")
        yield ServedApi(f"http://{LOOPBACK}:{port}", services, server)
    finally:
        server.should_exit = True
        thread.join(60)
        AppStatus.should_exit = False  # told to this server; the process lives on and serves again
