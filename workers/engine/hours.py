"""Pauses jobs outside their allowed hours, and resumes them when their hours start."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import cast

import structlog

from hopline.errors import Conflict, InvalidInput
from hopline.models.hours import Hours, now_utc, parse_hours
from hopline.models.jobs import JobState, Pause
from workers.core.jobs.records import JobRecord
from workers.core.redis_keys import ACTIVE
from workers.ledger.stores import Records

_PAGE = 100

log = structlog.get_logger()


def keep_hours(services: Records, now: datetime | None = None) -> None:
    """Pause jobs that are outside their hours, and remove that pause from jobs that are within them.

    Other reasons to pause stay. May be repeated; the leading watchdog calls it from time to time.

    Args:
        services: services with the ledger.
        now: the time, with a time zone; default the current time.
    """
    pauses = services.pauses.all()
    for record in _running_roots(services):
        try:
            _keep(services, record, pauses.get(record.job.id, ()), now or now_utc())
        except InvalidInput as error:  # this machine may not know the zone
            log.warning("hours.unknown", job_id=record.job.id, error=str(error))


def keep_hours_of(services: Records, job_id: str, now: datetime | None = None) -> float | None:
    """Apply one job's hours now; return when they start if it waits for them.

    Returns:
        Seconds since the epoch; None if the job has ended or does not wait.
    """
    moment, record = now or now_utc(), services.ledger.job(job_id)
    if record is None or record.state is not JobState.RUNNING:
        return None
    _keep(services, record, services.pauses.reasons(job_id), moment)
    return waits_until(record, moment)


def set_hours(
    services: Records,
    job_id: str,
    between: str | None,
    zone: str,
    *,
    at_once: bool,
    now: datetime | None = None,
) -> None:
    """Set the hours of a running job, effective immediately.

    Args:
        services: services with the ledger.
        job_id: id of a root job.
        between: 22:00-06:00; "" for all hours, None for its current hours.
        zone: time zone of the hours; default the job's current zone.
        at_once: whether it may also run from now on, until its hours next end.
        now: as in keep_hours.

    Raises:
        InvalidInput: the hours or the zone are not valid.
        Conflict: there is no such job, or it has ended.
    """
    moment, record = now or now_utc(), services.ledger.job(job_id)
    if record is None:
        raise Conflict(f"job {job_id} has ended")
    old = hours_of(record)
    text = (str(old).partition(" ")[0] if old else "") if between is None else between
    hours = parse_hours(text, zone or (old.zone if old else "")) if text else None
    free = hours.next_end(moment).timestamp() if hours and at_once else 0.0
    services.ledger.set_hours(job_id, text, hours.zone if hours else "", free)
    services.pauses.resume(job_id, "hours")  # its words name the hours of before
    keep_hours_of(services, job_id, moment)


def hours_of(record: JobRecord) -> Hours | None:
    """Return the hours during which a job may run: those set since it was submitted, else the original ones.

    Raises:
        InvalidInput: this machine does not know their time zone.
    """
    params = record.job.params
    text, zone = (params.get("hours"), params.get("zone", "")) if record.hours is None else record.hours
    return parse_hours(text, zone) if text else None


def waits_until(record: JobRecord, now: datetime) -> float | None:
    """Return when a job's hours start, in seconds since the epoch; None if it may run now.

    Raises:
        InvalidInput: as for hours_of.
    """
    hours = hours_of(record)
    if hours is None or hours.hold(now) or now.timestamp() < record.hours_free:
        return None
    return hours.next_begin(now).timestamp()


def _keep(services: Records, record: JobRecord, pauses: tuple[Pause, ...], now: datetime) -> None:
    job_id, paused = record.job.id, any(pause.kind == "hours" for pause in pauses)
    waits = waits_until(record, now) is not None
    if paused and not waits:
        if services.pauses.resume(job_id, "hours"):
            log.info("job.resumed", job_id=job_id, hours=str(hours_of(record)))
    elif waits and not paused:
        why = f"it may run from {hours_of(record)} only, and goes on then by itself"
        if services.pauses.pause(job_id, "hours", why):
            log.info("job.paused", job_id=job_id, hours=str(hours_of(record)))


def _running_roots(services: Records) -> Iterator[JobRecord]:
    # A child pauses with its root, whose id has no point.
    active = cast("list[str]", services.redis.zrange(ACTIVE, 0, -1))
    roots = [job_id for job_id in active if "." not in job_id]
    for at in range(0, len(roots), _PAGE):
        for record in services.ledger.jobs_by_id(roots[at : at + _PAGE]):
            if record.state is JobState.RUNNING:
                yield record
