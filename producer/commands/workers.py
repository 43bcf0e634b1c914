"""hopline worker, beat, flower."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class WorkerName(StrEnum):
    """The queue that a worker process serves."""

    INTERACTIVE = "interactive"
    BULK = "bulk"
    OCR = "ocr"
    QUARANTINE = "quarantine"
    SUBMISSIONS = "submissions"


def worker(
    name: Annotated[
        WorkerName,
        typer.Argument(
            help="interactive: questions; bulk: documents; ocr: scanned pages; quarantine: items that "
            "killed other workers; submissions: jobs submitted by other services over Celery."
        ),
    ] = WorkerName.INTERACTIVE,
    threads: Annotated[
        int | None,
        typer.Option(min=1, help="Number of items processed at the same time. (default: from the settings)"),
    ] = None,
    label: Annotated[
        str | None,
        typer.Option("--name", help="Name of the worker in Flower, unique per machine."),
    ] = None,
) -> None:
    """Run a worker until it is stopped. Start as many as you like, on as many machines.

    Ctrl-C or SIGTERM lets it finish its current items; if it is killed, other workers take them over.

    [bold]Example[/bold]

      HOPLINE_REDIS_URL=redis://queue.example:6379/0 hopline worker bulk
    """
    if name is WorkerName.SUBMISSIONS:
        from producer.messages.worker import run_submissions
        from workers.settings import load_settings

        run_submissions(load_settings(), threads=threads, name=label)
        return
    from workers.process import run_worker

    run_worker(name.value, threads=threads, name=label)


def beat() -> None:
    """Run the process that starts scheduled syncs, until it is stopped.

    Several may run: one is active at a time, and another takes over a minute after it fails. Syncs that
    became due meanwhile start then.

    [bold]Example[/bold]

      HOPLINE_REDIS_URL=redis://queue.example:6379/0 hopline beat
    """
    from workers.adapters.redis.client import check_redis
    from workers.app import app as application
    from workers.logs import configure_logs
    from workers.schedules.beat import run_beat
    from workers.settings import load_settings

    settings = load_settings()
    configure_logs(settings)
    check_redis(settings.redis_url.get_secret_value(), settings.broker_address)
    run_beat(application, settings.log_level)


def flower(
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = 5555,
    address: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    conf: Annotated[Path | None, typer.Option(help="File with further options for Flower.")] = None,
) -> None:
    """Run Flower, the monitor for tasks and workers, with the user and password from the settings.

    The local stack (`hopline up`) already runs one; `hopline status` shows its address.
    """
    from producer.flower import run_flower
    from workers.core.server_address import prefix_of
    from workers.settings import load_settings

    settings = load_settings()
    password = settings.flower_password.get_secret_value()
    if not password:
        raise typer.BadParameter("Flower shows every task: set HOPLINE_FLOWER_PASSWORD first.")
    run_flower(address, port, settings.flower_user, password, conf, prefix_of(settings.flower_url))
