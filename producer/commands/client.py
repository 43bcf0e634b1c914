"""The client that commands use, and cancelling a job by Ctrl-C.

Commands import what they need when they run, so that `hopline --help` is quick; hence the PLC0415 exemption.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

from hopline.commands import waiting

if TYPE_CHECKING:
    from producer.client.hopline import Hopline
    from producer.client.watch import JobWatch
    from workers.core.jobs.work import Event
    from workers.settings import Settings

_API_SECONDS = 3.0


@contextmanager
def open_client(*, ledger: bool = True) -> Iterator[Hopline]:
    """Yield a client on the configured servers; close it at the end.

    Args:
        ledger: look whether Redis answers first. The client itself would wait out a restart, which is
            right for a job under way and wrong for someone who mistyped an address.
    """
    from hopline.commands.client import refuse_an_api
    from producer.client.hopline import Hopline
    from workers.settings import load_settings

    refuse_an_api()
    settings = load_settings()
    quiet_logs(settings)
    if ledger:
        greet_redis(settings.redis_url.get_secret_value())
    with Hopline(settings) as client:
        yield client


def quiet_logs(settings: Settings) -> None:
    """Send warnings of the adapters to stderr; stdout is for requested output."""
    from workers import logs

    logs.quiet_logs(settings)


def greet_redis(url: str) -> None:
    """Raise Redis's error at once if it does not answer."""
    from producer.service.startup import greet_redis as greet

    greet(url, _API_SECONDS)


def cancelling(client: Hopline, job_id: str, *, ask_first: bool = False) -> AbstractContextManager[None]:
    """Cancel the job on Ctrl-C, after asking if requested and a person is there to answer."""
    return waiting.cancelling(client.cancel, job_id, ask_first=ask_first)


def batches(watch: JobWatch) -> Iterator[list[Event]]:
    """Yield a job's events in batches as they come, until it has ended.

    Raises:
        KeyboardInterrupt: Ctrl-C came inside `cancelling`, and its exception was dropped.
    """
    while not watch.ended:
        batch = watch.poll()
        waiting.raise_dropped_interrupt()
        yield batch
