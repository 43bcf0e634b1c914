"""Runs the worker that takes what other services submit over Celery."""

from __future__ import annotations

import atexit
import logging
import os
import socket
from typing import TYPE_CHECKING, Any

import structlog
from celery import Task, signals
from kombu.entity import Queue
from kombu.serialization import register
from kombu.utils.json import dumps, loads

from producer.messages.desk import Desk, open_desk
from producer.messages.models import KeyHeaders
from producer.service.startup import await_graph, open_service
from workers.app import Application, application_for
from workers.core.json_objects import refuse_repeated
from workers.logs import configure_logs
from workers.telemetry.queues import SUBMISSIONS
from workers.telemetry.reporter import Reporter

if TYPE_CHECKING:
    from workers.services import Services
    from workers.settings import Settings

log = structlog.get_logger()
SUBMIT, RESULT = "hopline.submit", "hopline.result"
_THREADS = 4


def run_submissions(settings: Settings, *, threads: int | None = None, name: str | None = None) -> None:
    """Serve the queue `submissions` until stopped.

    Args:
        settings: where the servers are.
        threads: messages done at a time.
        name: Celery's name of this worker; the queue's unless given.

    Raises:
        InvalidInput: Redis is a cluster, or a file of a pack of tools is wrong.
        DependencyAway: Neo4j did not answer for as long as the setting graph_wait_seconds says.
    """
    configure_logs(settings)
    service = open_service(settings)
    await_graph(service)
    _report(service.services, name or SUBMISSIONS)
    signals.setup_logging.connect(_keep_our_logs)
    with open_desk(service) as desk:
        signals.worker_shutting_down.connect(lambda **_: desk.close(), weak=False)
        submissions_application(settings, desk).worker_main(
            [
                "worker",
                "--pool=threads",
                f"--concurrency={threads or _THREADS}",
                f"--queues={SUBMISSIONS}",
                f"--hostname={name or SUBMISSIONS}@%h",
                "--without-gossip",
                "--without-mingle",
                f"--loglevel={settings.log_level}",
            ]
        )


def submissions_application(settings: Settings, desk: Desk) -> Application:
    """Return the Celery application of this queue, with its two tasks.

    Args:
        settings: where the broker is.
        desk: does what its messages ask for.
    """
    application = application_for(settings)
    register(  # type: ignore[no-untyped-call]
        "json", dumps, _read_strictly, content_type="application/json", content_encoding="utf-8"
    )
    application.conf.update(
        imports=(),
        task_queues=[Queue(SUBMISSIONS)],  # type: ignore[no-untyped-call]
        task_default_queue=SUBMISSIONS,
        task_ignore_result=False,
        worker_send_task_events=False,  # they would show parameters, which hold texts
        broker_transport_options=application.conf.broker_transport_options | {"taken_booked": True},
    )

    def submit(self: Task, *args: Any, **message: Any) -> dict[str, Any]:
        return desk.submit(_arguments(args, message), _headers(self), str(self.request.id))

    def result(self: Task, *args: Any, **message: Any) -> dict[str, Any]:
        return desk.result(_arguments(args, message), _headers(self), str(self.request.id))

    application.task(submit, name=SUBMIT, bind=True, shared=False)
    application.task(result, name=RESULT, bind=True, shared=False)
    return application


def _read_strictly(body: str | bytes) -> Any:
    """Read a message's body; one in which an object has a field twice is a message that nobody can do."""
    refuse_repeated(body)
    return loads(body)  # type: ignore[no-untyped-call]


def _arguments(args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """Return keyword arguments; positional ones stay among them, to be refused by name."""
    return {**kwargs, "args": args} if args else kwargs


def _headers(task: Task) -> dict[str, Any]:
    """Return the headers that say whose message it is, as they were sent."""
    return {name: task.request.get(name) for name in KeyHeaders.model_fields}


def _report(services: Services, name: str) -> None:
    """Report from when this worker is ready until it ends."""
    worker = f"{name}@{socket.gethostname()}:{os.getpid()}"
    digests = services.settings.digests()
    reporter = Reporter(services.hasty_redis, SUBMISSIONS, worker, digests=digests)

    def start(**_: Any) -> None:
        log.info("worker.ready")
        reporter.start()

    signals.worker_ready.connect(start, weak=False)
    signals.worker_shutting_down.connect(lambda **_: reporter.leave(), weak=False)
    atexit.register(reporter.stop)


def _keep_our_logs(**_: Any) -> None:
    """Keep Celery from setting up its own logging with a line per task."""
    logging.getLogger("celery.worker.strategy").setLevel(logging.WARNING)
    logging.getLogger("celery.app.trace").setLevel(logging.ERROR)
