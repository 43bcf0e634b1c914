"""Runs the API server until it is stopped."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import structlog
import uvicorn

from hopline.words import counted
from infra.local.process import LOOPBACK
from infra.loopback import is_loopback
from infra.request_heads import TimedHeads
from producer.api.app import create_app
from producer.api.machine import MachineFile
from producer.service.startup import await_graph, open_service
from workers.logs import configure_logs
from workers.sources.places import check_sources

if TYPE_CHECKING:
    import socket

    from producer.service.keys import ApiKeys
    from workers.settings import Settings

log = structlog.get_logger()
_IDLE_SECONDS = 75  # longer than proxies and clients keep a connection that they do not use
_NOT_STARTED = 3  # the code that uvicorn ends with when it cannot listen
_DRAIN_SECONDS = 10  # requests under way at a stop have so long
SERVER_OPTIONS: dict[str, Any] = {
    "http": TimedHeads,
    "log_config": None,
    "access_log": False,
    "server_header": False,
    "timeout_keep_alive": _IDLE_SECONDS,
    "timeout_graceful_shutdown": _DRAIN_SECONDS,
    "h11_max_incomplete_event_size": 32_768,
}


def run_server(settings: Settings, host: str, port: int) -> None:
    """Serve until stopped.

    Args:
        settings: addresses of the servers.
        host: address to listen on.
        port: port to listen on.

    Raises:
        InvalidInput: a setting names a store that cannot be read on this machine, or Redis is a cluster.
        DependencyAway: Neo4j did not answer within the setting graph_wait_seconds.
    """
    check_sources(settings.api_sources)
    configure_logs(settings)
    service = open_service(settings)
    keys = service.keys
    if not keys.needed() and not is_loopback(host):
        log.warning("api.loopback_only", wanted=host, why="there is no API key; make one, then start again")
        host = LOOPBACK
    loopback = is_loopback(host)
    await_graph(service)
    told = MachineFile(settings.var) if loopback else None
    app = create_app(service, loopback=loopback, token=told.token if told else "")
    address = f"http://{f'[{host}]' if ':' in host else host}:{port}"
    log.info("api.serving", address=address, access=_access(keys))
    server = _Server(uvicorn.Config(app, host=host, port=port, **SERVER_OPTIONS))
    server.told, server.address = told, address
    server.run()
    if not server.started:
        sys.exit(_NOT_STARTED)


class _Server(uvicorn.Server):
    """A server that announces its address as soon as it listens."""

    told: MachineFile | None = None
    address = ""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, then announce the address."""
        await super().startup(sockets)
        if self.started and self.told:
            self.told.tell(self.address)


def _access(keys: ApiKeys) -> str:
    if not keys.needed():
        return "no API key: everyone on this machine may do everything"
    return counted(len(keys.all()), "API key")
