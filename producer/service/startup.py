"""Starts what serves hopline: checks the servers, migrates the graph, warms caches, reports counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from producer.service.service import Service

if TYPE_CHECKING:
    from workers.settings import Settings
    from workers.telemetry.reporter import Reporter


def open_service(settings: Settings) -> Service:
    """Return the service of a process that goes on for long, after a look at its settings.

    Its publisher is built here: Celery and the flows take long to import, and no first caller has to wait for
    them.

    Raises:
        InvalidInput: Redis is a cluster, or a file of a pack of tools is wrong.
    """
    import workers.engine.submit  # noqa: F401 - for all who submit
    from workers.adapters.redis.client import check_redis

    check_redis(settings.redis_url.get_secret_value(), settings.broker_address)
    service = Service(settings)
    service.services.check_tools()
    _ = service.publisher
    return service


def await_graph(service: Service) -> None:
    """Migrate the graph, waiting for it as long as the settings say, then warm caches in a thread.

    Raises:
        DependencyAway: Neo4j did not answer for as long as the setting graph_wait_seconds says.
    """
    from workers.engine.startup import settle, wait_for_graph, warm_up_beside

    services = service.services
    wait_for_graph(services, services.settings.graph_wait_seconds)
    settle(services)
    warm_up_beside(services)


def reporter_of(service: Service) -> Reporter:
    """Return what writes this process's counts into Redis from time to time, once it is started."""
    from workers.telemetry.reporter import Reporter

    return Reporter(service.services.hasty_redis)


def greet_redis(url: str, seconds: float) -> None:
    """Raise Redis's error at once if it does not answer within so many seconds."""
    from workers.adapters.redis.client import probing_client

    with probing_client(url, seconds) as client:
        client.ping()
