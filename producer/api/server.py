"""Runs the API server until it is stopped."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import structlog
import uvicorn

from hopline.words import counted
from infra.local.process import LOOPBACK
from infra.loopback import is_loopback
from infra.request_heads import TimedHeads
from producer.api.app import create_app
from producer.api.machine import new_token, told_on_this_machine
from producer.service.startup import await_graph, open_service
from workers.logs import configure_logs
from workers.sources.places import check_sources

if TYPE_CHECKING:
    from producer.service.keys import ApiKeys
    from workers.settings import Settings

log = structlog.get_logger()
_IDLE_SECONDS = 75  # longer than proxies and clients keep a connection that they do not use
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
        settings: where the servers are.
        host: which address to listen on.
        port: where.

    Raises:
        InvalidInput: a setting names a store that cannot be read here, or Redis is a cluster.
        DependencyAway: Neo4j did not answer for as long as the setting graph_wait_seconds says.
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
    token, address = new_token(), f"http://{f'[{host}]' if ':' in host else host}:{port}"
    app = create_app(service, loopback=loopback, token=token)
    log.info("api.serving", address=address, access=_access(keys))
    told = told_on_this_machine(settings.var, address, token) if loopback else nullcontext()
    with told:
        uvicorn.run(app, host=host, port=port, **SERVER_OPTIONS)


def _access(keys: ApiKeys) -> str:
    if not keys.needed():
        return "no API key: everyone on this machine may do everything"
    return counted(len(keys.all()), "API key")
