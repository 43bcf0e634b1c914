"""The service that commands of this machine's own servers use.

Commands import what they need when they run, so that `hopline --help` is quick; hence the PLC0415 exemption.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from producer.service.service import Service
    from workers.settings import Settings

_API_SECONDS = 3.0


@contextmanager
def open_service(*, ledger: bool = True) -> Iterator[Service]:
    """Yield the service over the configured servers; close it at the end.

    Args:
        ledger: look whether Redis answers first. The service itself would wait out a restart, which is
            right for a job under way and wrong for someone who mistyped an address.
    """
    from hopline.commands.client import refuse_an_api
    from producer.service.service import Service
    from workers.settings import load_settings

    refuse_an_api()
    settings = load_settings()
    quiet_logs(settings)
    if ledger:
        greet_redis(settings.redis_url.get_secret_value())
    with closing(Service(settings)) as service:
        yield service


def quiet_logs(settings: Settings) -> None:
    """Send warnings of the adapters to stderr; stdout is for requested output."""
    from workers import logs

    logs.quiet_logs(settings)


def greet_redis(url: str) -> None:
    """Raise Redis's error at once if it does not answer."""
    from producer.service.startup import greet_redis as greet

    greet(url, _API_SECONDS)
