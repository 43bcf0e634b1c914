"""Submits the job of a schedule that is due."""

from __future__ import annotations

import time

import structlog

from workers.core import ids
from workers.core.audit import Actor, acting
from workers.core.jobs.messages import Publisher
from workers.core.jobs.work import JobState, Terms
from workers.engine.hours import keep_hours
from workers.engine.submit import submit_job
from workers.ingest.profile.profile import Profile, put_profile
from workers.ledger.schedules import ScheduleBook
from workers.services import Services

_SAME = 60  # seconds: a message that comes twice within these is one

log = structlog.get_logger()


def begin_scheduled(services: Services, publisher: Publisher, name: str) -> str:
    """Submit a schedule's job; return its id, empty if none was submitted.

    None is made while the one before still runs, or waits for its hours: a source is synced once at a time.
    """
    book = ScheduleBook(services.redis)
    schedule = book.find(name)
    if schedule is None:
        log.warning("schedule.unknown", schedule=name)
        return ""
    if schedule.paused:  # its message was under way
        log.info("schedule.skipped", schedule=name, why="it is paused")
        return ""
    before = book.begun(name)
    last = services.ledger.job(before) if before else None
    if last is not None and last.state is JobState.RUNNING:
        log.warning("schedule.skipped", schedule=name, job_id=last.job.id, why="its last job still runs")
        return ""
    key = f"schedule {name} {schedule.created} {int(time.time()) // _SAME}"
    # Noted before it is made: a message that comes again after a crash finds the job, however late it comes.
    if not book.note_begun(name, ids.job_id(Terms().caller, key), before):
        log.warning("schedule.skipped", schedule=name, why="another message has just begun it")
        return ""
    params = schedule.sync.model_copy(update={"schedule": name})
    if schedule.profile:
        stored = put_profile(services.blobs, Profile.read_stored(schedule.profile))
        params = params.model_copy(update={"profile": stored})
    params_json = params.model_dump(mode="json")
    terms = Terms(priority="low", tags=schedule.tags)  # nobody waits for it
    with (
        acting(Actor(via="schedule", name=name)),
        services.audit.act("submit", "sync", ids.job_id(terms.caller, key), schedule.collection),
    ):
        job = submit_job(
            services, publisher, "sync", schedule.collection, params_json, key=key, terms=terms
        ).job
    keep_hours(services)
    log.info("schedule.begun", schedule=name, job_id=job.id)
    return job.id
