"""Jobs that may run at some hours only: paused outside them, and let go on when they come."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import cast

import structlog

from workers.core.errors import InvalidInput
from workers.core.hours import Hours, now_utc, parse_hours
from workers.core.work import JobState
from workers.ledger.keys import ACTIVE
from workers.records import Records

_PAGE = 100

log = structlog.get_logger()


def keep_hours(services: Records, now: datetime | None = None) -> None:
    """Pause what is outside its hours, and let go on what was paused for that and is inside again.

    A job that pauses for another reason is left as it is. May be repeated; who leads the watchdogs calls it
    every now and then.

    Args:
        services: where the ledger is.
        now: the moment, with a time zone; this one unless given.
    """
    moment = now or now_utc()
    pauses = services.pauses.all()
    for job_id, hours in _with_hours(services):
        reasons = pauses.get(job_id, ())
        paused = any(pause.kind == "hours" for pause in reasons)
        if hours.hold(moment):
            if paused and services.pauses.resume(job_id, "hours"):
                log.info("job.resumed", job_id=job_id, hours=str(hours))
        elif not paused:
            why = f"it may run from {hours} only, and goes on then by itself"
            if services.pauses.pause(job_id, "hours", why):
                log.info("job.paused", job_id=job_id, hours=str(hours))


def _with_hours(services: Records) -> Iterator[tuple[str, Hours]]:
    # A child pauses with its root, whose id has no point.
    active = cast("list[str]", services.redis.zrange(ACTIVE, 0, -1))
    roots = [job_id for job_id in active if "." not in job_id]
    for at in range(0, len(roots), _PAGE):
        for record in services.ledger.jobs_by_id(roots[at : at + _PAGE]):
            given = record.job.params.get("hours")
            if given and record.state is JobState.RUNNING:
                try:
                    yield record.job.id, parse_hours(given, record.job.params.get("zone", ""))
                except InvalidInput as error:  # this machine may not know the zone
                    log.warning("hours.unknown", job_id=record.job.id, error=str(error))
