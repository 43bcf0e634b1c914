"""Starts server processes: checks the servers, migrates the graph, warms caches, reports counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from producer.service.service import Service

if TYPE_CHECKING:
    from workers.settings import Settings
    from workers.telemetry.reporter import Reporter


def open_service(settings: Settings) -> Service:
    """Check the settings and return the service of a long-running process.

    Its publisher is built here, because Celery and the flows take long to import and no caller should wait
    for that.

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
    """Wait for Neo4j up to the setting's limit, migrate the graph, then warm caches in a thread.

    Raises:
        DependencyAway: Neo4j did not answer within the setting graph_wait_seconds.
    """
    from workers.engine.startup import settle, wait_for_graph, warm_up_beside

    services = service.services
    wait_for_graph(services, services.settings.graph_wait_seconds)
    settle(services)
    warm_up_beside(services)


def reporter_of(service: Service) -> Reporter:
    """Return the reporter that regularly writes this process's counts to Redis once started."""
    from workers.telemetry.reporter import Reporter

    return Reporter(service.services.hasty_redis)


def greet_redis(url: str, seconds: float) -> None:
    """Raise Redis's error if it does not answer within a time limit."""
    from workers.adapters.redis.client import probing_client

    with probing_client(url, seconds) as client:
        client.ping()
