"""Writes ended jobs to the history: a thread in each worker, one of which is active at a time."""

from __future__ import annotations

import threading
from typing import Any

import structlog
from redis.exceptions import ResponseError

from hopline.models.history import HistoryRow
from hopline.models.times import STORED
from workers.core.jobs.records import JobRecord
from workers.engine.outages import REDIS_AWAY
from workers.history.keeper import HistoryKeeper
from workers.history.pending_rows import MOST_WAITING
from workers.history.rows import MOST_ERRORS, barest_row, history_row
from workers.services import Services
from workers.telemetry.metrics import COUNTS

log = structlog.get_logger()

_LOOKS_TO_TIDY = 360  # half an hour


def hand_over(services: Services, record: JobRecord, most_waiting: int = MOST_WAITING) -> bool:
    """Hand an ended job's row over, once for each of its ends; return whether nothing is left to hand over.

    History never prevents a job from ending: data that cannot be read is left out, and if the row cannot be
    stored, the watchdog tries again.
    """
    row = _row(services, record).model_dump_json(context=STORED) if services.settings.history_days else ""
    try:
        verdict = services.ledger.hand_over(record.job.id, record.epoch, row, most_waiting)
    except ResponseError:
        log.exception("history.not_handed_over", job_id=record.job.id)
        return False
    if verdict == "lost":
        log.error("history.lost", job_id=record.job.id, waiting=most_waiting)
        COUNTS.count("hopline_history_lost")
    return True


def _row(services: Services, record: JobRecord) -> HistoryRow:
    try:
        errors = services.ledger.first_errors(record.job.id, MOST_ERRORS) if record.dead else []
        return history_row(record, errors, texts=services.settings.history_texts)
    except REDIS_AWAY:
        raise
    except Exception:
        log.exception("history.not_told", job_id=record.job.id)
        return barest_row(record)


def keep_history(services: Services, look_seconds: float = 5.0) -> None:
    """Start the thread, which checks for waiting rows every `look_seconds`."""
    threading.Thread(target=_keep, args=(services, look_seconds), name="history", daemon=True).start()


def _keep(services: Services, look_seconds: float) -> None:
    pause, looks = threading.Event(), 0
    while not pause.wait(look_seconds):
        looks += 1
        for keeper in (services.history, services.audit_keeper):
            _write(services, keeper, tidied=looks % _LOOKS_TO_TIDY == 1)


def _write(services: Services, keeper: HistoryKeeper[Any], *, tidied: bool) -> None:
    """Write the waiting rows of one book; its errors do not affect the other."""
    try:
        if not services.store_marker.is_seen():
            return
        keeper.take_turn()
        if tidied:
            keeper.tidy()
    except REDIS_AWAY as error:
        log.warning("history.not_kept", error=str(error))
    except Exception:
        log.exception("history.not_kept")
