"""Connections for commands that run or repair the servers themselves."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from producer.service.service import Service

_SECONDS = 3.0  # for Redis to answer


@contextmanager
def open_service(*, ledger: bool = True) -> Iterator[Service]:
    """Yield the service on the configured servers; close it at the end.

    Args:
        ledger: first check whether Redis answers. The service itself would wait for a restart, which is
            right for a running job and wrong for a mistyped address.

    Raises:
        InvalidInput: an API is configured, not servers.
    """
    from hopline.commands.client import refuse_an_api
    from producer.service.service import Service
    from producer.service.startup import greet_redis
    from workers.logs import quiet_logs
    from workers.settings import load_settings

    refuse_an_api()
    settings = load_settings()
    quiet_logs(settings)
    if ledger:
        greet_redis(settings.redis_url.get_secret_value(), _SECONDS)
    service = Service(settings)
    try:
        yield service
    finally:
        service.close()
