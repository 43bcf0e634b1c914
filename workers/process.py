"""Starts one worker process: its services, its threads, and its tasks' entry into the runner."""

from __future__ import annotations

import atexit
import logging
import os
import socket
import threading
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import structlog
from celery import Task, signals

from hopline.errors import InvalidInput
from workers.adapters.redis.client import check_redis
from workers.app import app
from workers.engine.driver import ADVANCE, Delivery
from workers.engine.history import keep_history
from workers.engine.runner import Runner
from workers.engine.startup import settle, try_model, wait_for_graph, warm_up_beside
from workers.engine.sweeper import sweep_blobs
from workers.engine.watchdog import Watchdog
from workers.flows.registry import step_names
from workers.logs import configure_logs
from workers.services import Services
from workers.settings import load_settings
from workers.telemetry.queues import BEHIND, OCR, QUEUES
from workers.telemetry.reporter import Reporter
from workers.transport.publishers import CeleryPublisher

log = structlog.get_logger()
_BULK = "bulk"
_QUARANTINE = "quarantine"
_SPARE = 4  # a bulk worker has a thread for tenants that come for each four of others
_TRIES, _TRY_SECONDS = 10, 0.15


@cache
def runner() -> Runner:
    """Return this process's runner."""
    return Runner(Services(load_settings()), CeleryPublisher(app))


def _register(name: str) -> None:
    """Register the task of a step; each of its executions does one item."""

    def do_item(self: Task, job_id: str, epoch: int, item_id: str) -> str:
        request = self.request
        delivery = Delivery(in_chain=bool(request.chain), in_chord=bool(request.chord))
        return runner().run(job_id, epoch, item_id, delivery)

    do_item.__name__ = name.rpartition(".")[2]
    app.task(do_item, name=name, bind=True)


for _name in (*step_names(), ADVANCE):
    _register(_name)


def run_worker(queue: str, *, threads: int | None = None, name: str | None = None) -> None:
    """Serve one queue until stopped.

    Args:
        queue: interactive, bulk, ocr or quarantine.
        threads: items worked on at a time; the settings' number unless given.
        name: Celery's name of this worker; the queue and the process unless given.

    Raises:
        InvalidInput: there is no such queue, a setting of the tools is wrong, or Redis is a cluster.
    """
    if queue not in QUEUES:
        raise InvalidInput("queue", queue, "one of: " + ", ".join(QUEUES))
    settings = load_settings()
    configure_logs(settings)
    check_redis(settings.redis_url.get_secret_value(), settings.broker_address)
    runner().services.check_tools()
    wait_for_graph(runner().services, settings.graph_wait_seconds)
    runner().quarantine = queue == _QUARANTINE
    runner().services.in_worker = True
    runner().worker = f"{'-'.join((name or queue).split())}@{socket.gethostname()}"  # as Celery's %h below
    _report(queue, name or queue)
    settle(runner().services)
    if settings.model_check and not runner().quarantine:
        threading.Thread(target=try_model, args=(runner().services,), name="model", daemon=True).start()
    if not runner().quarantine:
        _warm_up_when_ready(questions=queue not in BEHIND)
    if queue in BEHIND:  # from now on: on a busy machine it would take minutes to start
        _give_way(settings.bulk_nice)
    threads_of = {
        "interactive": settings.interactive_threads,
        _BULK: settings.bulk_threads,
        OCR: settings.ocr_threads,
    }
    default = threads_of.get(queue, 1)
    app.worker_main(
        [
            "worker",
            "--pool=threads",
            f"--concurrency={_with_spare(queue, threads or default)}",
            f"--queues={queue}",
            f"--hostname={name or queue}@%h",
            "--without-gossip",
            "--without-mingle",
            f"--loglevel={settings.log_level}",
        ]
    )


def _warm_up_when_ready(*, questions: bool) -> None:
    """Serve first: after a restart of Neo4j warming up takes longer than people wait."""

    def start(**_: Any) -> None:
        warm_up_beside(runner().services, questions=questions)

    signals.worker_ready.connect(start, weak=False)


def _with_spare(queue: str, threads: int) -> int:
    """Return how many threads a worker has, with those for tenants that come while all others are busy."""
    spare = threads // _SPARE if queue == _BULK else 0
    app.conf.broker_transport_options = app.conf.broker_transport_options | {"spare_threads": spare}
    return threads + spare


def _give_way(nice: int) -> None:
    """Be less urgent to the operating system than other processes.

    Linux may share processors among sessions first (sched(7), "The autogroup feature"): a worker that leads a
    session of its own lowers that, too, as its niceness would else count for nothing.
    """
    os.nice(nice)
    group = Path("/proc/self/autogroup")
    if os.getsid(0) != os.getpid() or not group.exists():
        return
    for _ in range(_TRIES):
        try:
            group.write_text(str(nice), encoding="ascii")
        except OSError:  # Linux takes one such change in a tenth of a second, whoever makes it
            time.sleep(_TRY_SECONDS)
        else:
            return
    log.warning("worker.not_lowered", nice=nice)


def _report(queue: str, name: str) -> None:
    """Report from when this worker is ready until it ends."""
    worker = f"{name}@{socket.gethostname()}:{os.getpid()}"
    intake = _Intake(queue)
    services = runner().services
    reporter = Reporter(services.hasty_redis, queue, worker, intake.keep, services.settings.digests())

    def start(sender: Any, **_: Any) -> None:
        intake.node = sender.hostname
        reporter.start()

    signals.worker_ready.connect(start, weak=False)
    signals.worker_shutting_down.connect(lambda **_: reporter.leave(), weak=False)
    signals.worker_shutting_down.connect(lambda **_: runner().composition.stop(), weak=False)
    atexit.register(reporter.stop)


@dataclass
class _Intake:
    """Whether this worker takes from its queue.

    Not while that is paused, and bulk work only while it sees the blob store of the others.
    """

    queue: str
    node: str = ""  # Celery's name of this worker

    def keep(self) -> bool:
        """Open or close the intake as store and pauses ask for; return whether the store is visible."""
        services = runner().services
        seen = services.store_marker.tell()
        wanted = (seen or self.queue not in BEHIND) and not services.work_pauses.is_paused(
            "queue", self.queue
        )
        # The message is lost on a worker that reconnects: asked at each look until it is so.
        if wanted != (self.queue in app.amqp.queues.consume_from):
            act = app.control.add_consumer if wanted else app.control.cancel_consumer
            act(self.queue, destination=[self.node])
        return seen


@signals.worker_ready.connect
def _start_threads(**_: Any) -> None:
    settings = load_settings()
    current = runner()
    current.running.start()
    sweep_blobs(current.services)
    keep_history(current.services)
    Watchdog(current.driver, settings.watchdog_seconds).start()
    log.info("worker.ready")


@signals.setup_logging.connect
def _keep_our_logs(**_: Any) -> None:
    """Keep Celery from setting up its own logging with a line per task."""
    logging.getLogger("celery.worker.strategy").setLevel(logging.WARNING)
    logging.getLogger("celery.app.trace").setLevel(logging.ERROR)
