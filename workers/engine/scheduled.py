"""Starts the due runs of schedules that the ledger records, each once."""

from __future__ import annotations

import time

import structlog

from hopline.errors import HoplineError, InvalidInput
from hopline.models.jobs import JobState
from hopline.models.schedules import Schedule, Unbegun
from workers.core import ids
from workers.core.audit import Actor, acting
from workers.core.jobs.messages import Publisher
from workers.core.jobs.work import Terms
from workers.engine.hours import keep_hours
from workers.engine.submit import cancel_job, submit_job
from workers.ingest.profile.profile import Profile, put_profile
from workers.ledger.schedules import ScheduleBook
from workers.services import Services

log = structlog.get_logger()


def begin_all_due(services: Services, publisher: Publisher) -> None:
    """Start the due runs of all schedules, including those that waited or whose message was lost.

    Raises:
        redis.RedisError: Redis is unavailable.
    """
    for name, runs in ScheduleBook(services.redis).all_due_runs().items():
        if runs.due is None:
            continue
        try:
            begin_due(services, publisher, name)
        except HoplineError as error:  # the run stays due; the next schedule is looked at
            log.warning("schedule.waits", schedule=name, error=str(error))


def begin_due(services: Services, publisher: Publisher, name: str) -> str:
    """Submit the job of a schedule's due run; return its id, "" if none is submitted.

    A source is synced by one job at a time: while the previous sync is running, or waits for its hours, the
    schedule's overlap policy decides about the run.

    Raises:
        HoplineError, redis.RedisError: a server is unavailable or refuses; the run stays due.
    """
    book = ScheduleBook(services.redis)
    schedule, due = book.find(name), book.due_runs(name).due
    if due is None:
        return ""
    if schedule is None:  # it was removed a moment ago
        book.forget_runs(name)
        return ""
    before = book.begun(name)
    key = f"schedule {name} {schedule.created.timestamp() if schedule.created else 0.0} {due:.0f}"
    job_id = ids.job_id(Terms().caller, key)
    # What was noted as begun is so by a worker that died before it was done with it.
    if before != job_id and not _is_begun_now(services, book, schedule, due, before):
        return ""
    # Recorded before the job is made: a retry after a crash finds it, however late.
    if not book.note_begun(name, job_id, before):
        log.info("schedule.begun_elsewhere", schedule=name)
        return ""
    try:
        _submit(services, publisher, schedule, key)
    except InvalidInput as error:  # of the next run, too, until the schedule is set again
        _leave(book, name, due, "missed", f"it could not be submitted: {error}")
        return ""
    book.change(name, lambda runs: runs.begun(due))
    keep_hours(services)
    log.info("schedule.begun", schedule=name, job_id=job_id)
    return job_id


def _is_begun_now(
    services: Services, book: ScheduleBook, schedule: Schedule, due: float, before: str
) -> bool:
    """Return whether a due run starts now; otherwise it waits, or is recorded as left out with the reason."""
    name = schedule.name
    if schedule.paused:
        _leave(book, name, due, "skipped", "the schedule was paused")
        return False
    if time.time() - due > schedule.catchup_window and not book.due_runs(name).buffered:
        _leave(book, name, due, "missed", "the catch-up window was over before a worker could begin it")
        return False
    last = services.ledger.job(before) if before else None
    if last is None or last.state is not JobState.RUNNING:
        return True
    if schedule.overlap_policy == "skip":
        _leave(book, name, due, "skipped", f"the sync before it, {before}, still ran")
        return False
    if schedule.overlap_policy == "buffer_one":
        book.change(name, lambda runs: runs.waiting(due))
        return False
    with (
        acting(Actor(via="schedule", name=name)),
        services.audit.act("cancel", last.job.kind, before, last.job.collection),
    ):
        cancel_job(services, before)
    log.info("schedule.cancelled", schedule=name, job_id=before)
    return True


def _leave(book: ScheduleBook, name: str, due: float, outcome: Unbegun, reason: str) -> None:
    book.change(name, lambda runs: runs.left(due, outcome, reason))
    log.warning("schedule.missed" if outcome == "missed" else "schedule.skipped", schedule=name, why=reason)


def _submit(services: Services, publisher: Publisher, schedule: Schedule, key: str) -> None:
    params = schedule.sync.model_copy(update={"schedule": schedule.name})
    if schedule.profile:
        stored = put_profile(services.blobs, Profile.read_stored(schedule.profile))
        params = params.model_copy(update={"profile": stored})
    fields = params.model_dump(mode="json")
    terms = Terms(priority="low", tags=schedule.tags)  # nobody waits for it
    with (
        acting(Actor(via="schedule", name=schedule.name)),
        services.audit.act("submit", "sync", ids.job_id(terms.caller, key), schedule.collection),
    ):
        submit_job(services, publisher, "sync", schedule.collection, fields, key=key, terms=terms)
