"""Removes blobs that nobody wanted for days: a thread in every worker, one of them an hour does it."""

from __future__ import annotations

import threading

import structlog

from workers.ledger.keys import SWEPT
from workers.services import Services

log = structlog.get_logger()

_HOUR = 3600


def sweep_blobs(services: Services) -> None:
    """Start the thread."""
    threading.Thread(target=_sweep_hourly, args=(services,), name="sweeper", daemon=True).start()


def _sweep_hourly(services: Services) -> None:
    pause = threading.Event()
    while not pause.wait(_HOUR / 2):
        try:
            if services.redis.set(SWEPT, "1", nx=True, ex=_HOUR):
                log.info("blobs.swept", count=services.blobs.sweep(services.settings.blob_days))
        except Exception:
            log.exception("blobs.not_swept")
