"""Runs the worker for jobs that other services submit over Celery."""

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
        settings: addresses of the servers.
        threads: number of messages processed at a time.
        name: Celery's name for this worker; by default that of the queue.

    Raises:
        InvalidInput: Redis is a cluster, or a file of a pack of tools is wrong.
        DependencyAway: Neo4j did not answer within the setting graph_wait_seconds.
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
        settings: address of the broker.
        desk: processes its messages.
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
    """Read a message's body; a message in which an object repeats a field cannot be processed."""
    refuse_repeated(body)
    return loads(body)  # type: ignore[no-untyped-call]


def _arguments(args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """Return keyword arguments, including positional ones, which are refused by name."""
    return {**kwargs, "args": args} if args else kwargs


def _headers(task: Task) -> dict[str, Any]:
    """Return the unchanged headers with key and signature."""
    return {name: task.request.get(name) for name in KeyHeaders.model_fields}


def _report(services: Services, name: str) -> None:
    """Report counts while this worker runs."""
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
    """Keep Celery from setting up its own logging, which writes a line per task."""
    logging.getLogger("celery.worker.strategy").setLevel(logging.WARNING)
    logging.getLogger("celery.app.trace").setLevel(logging.ERROR)
