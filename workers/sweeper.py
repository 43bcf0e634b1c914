"""Removes blobs and replies that nobody wanted for days: a thread in every worker, one an hour does it."""

from __future__ import annotations

import threading
import time
from typing import cast

import structlog

from workers.core.errors import Permanent
from workers.ledger.keys import ACTIVE, SWEPT
from workers.services import Services

log = structlog.get_logger()

_HOUR, _DAY = 3600, 86400


def sweep_blobs(services: Services) -> None:
    """Start the thread."""
    threading.Thread(target=_sweep_hourly, args=(services,), name="sweeper", daemon=True).start()


def _long_job_runs(services: Services) -> bool:
    """Say whether a job is old enough to need blobs that count as forgotten: then nothing is swept."""
    oldest = cast("list[tuple[str, float]]", services.redis.zrange(ACTIVE, 0, 0, withscores=True))
    return any(time.time() - since > services.settings.blob_days * _DAY / 2 for _job, since in oldest)


def want_reports(services: Services) -> int:
    """Put the reports of all named batches anew, so that none counts as forgotten; return how many."""
    wanted = 0
    for record in services.batches.all():
        try:
            if record.report:
                services.blobs.put(services.blobs.get(record.report), ".json")
                wanted += 1
        except Permanent as error:  # it is lost, and the others are not
            log.warning("report.lost", batch=record.name, error=str(error))
    return wanted


def sweep_once(services: Services) -> None:
    """Remove forgotten blobs, unless a long job may need them, and replies above their bounds."""
    settings = services.settings
    log.info("replies.swept", count=services.replies.sweep(settings.reply_days, settings.reply_bytes))
    if not _long_job_runs(services):
        want_reports(services)
        log.info("blobs.swept", count=services.blobs.sweep(settings.blob_days))


def _sweep_hourly(services: Services) -> None:
    pause = threading.Event()
    while not pause.wait(_HOUR / 2):
        try:
            if services.redis.set(SWEPT, "1", nx=True, ex=_HOUR):
                sweep_once(services)
        except Exception:
            log.exception("blobs.not_swept")
