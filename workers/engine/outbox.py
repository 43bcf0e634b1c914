"""Processes the outbox of an ended job: parent, children, history, session, webhook, reply, topics."""

from __future__ import annotations

from contextlib import suppress

import structlog
from redis.exceptions import RedisError

from hopline.errors import Conflict, DependencyAway, Transient
from hopline.models.jobs import JobState, Parent
from workers.adapters.redis.task_calls import NotAQueue, call_task
from workers.core.ids import reply_id
from workers.core.jobs.records import Claim, JobRecord, Moved
from workers.core.jobs.replies import Reply
from workers.core.jobs.work import ChildResult, Event, Job, ReplyTo
from workers.engine.history import hand_over
from workers.engine.session_history import remember
from workers.engine.traces import send_trace, trace_below
from workers.flows.later_topics import changed_documents, later_topics_job
from workers.flows.one_step import TOPICS, WEBHOOK, webhook_job
from workers.ingest.provider.flow import PROVIDER_BATCH, PROVIDER_CANCEL, cancel_job_of
from workers.services import Services
from workers.telemetry.counters import count_dead_letter
from workers.telemetry.metrics import COUNTS

log = structlog.get_logger()


def work_off(services: Services, job_id: str, *, token: str = "") -> list[tuple[Claim, Moved]]:
    """Process an ended job's outbox, then remove the job from the index; every part may be repeated.

    Args:
        services: services of this process.
        job_id: the job.
        token: token of the lease on the parent's advance item, which the caller then runs; "" leaves that to
            the watchdog.

    Returns:
        The parent's items that were finished, each with what its flow has to do next.
    """
    ledger = services.ledger
    record = ledger.job(job_id)
    if record is None:
        ledger.leave(job_id)
        return []
    if record.state is JobState.RUNNING:
        return []
    entries = ledger.outbox(job_id)
    # Whatever the outbox says: a telling that somebody struck too late is made up for.
    moves = [_tell_parent(services, record, record.parent, token)] if record.parent else []
    kept = record.state is not JobState.DONE  # for its dead letters
    kept = kept and not any(moved.pages for _, moved in moves)  # of very many a page holds all that is kept
    for entry, value in sorted(entries.items(), key=_frees_nothing):
        if entry == "history":
            kept = not hand_over(services, record) or kept  # which strikes it off
        elif _work_off_entry(services, record, entry, value):
            ledger.strike(job_id, record.epoch, entry, value)
        else:
            kept = True
    _order_following(services, record)
    if ledger.leave(job_id):
        COUNTS.count("hopline_jobs_ended", record.job.kind, record.state.value)
    if record.parent and not kept:
        ledger.forget(job_id, record.epoch)
    return moves


def _work_off_entry(services: Services, record: JobRecord, entry: str, value: str) -> bool:
    """Process an entry; return whether it is done."""
    if entry == "session":
        return remember(services, record)
    if entry == "webhook":
        _order_webhook(services, record)
    elif entry == "reply":
        return _reply(services, record, value)
    elif entry == "trace":
        return send_trace(services, record)
    elif cancels(entry):
        epoch = cancelled_epoch(entry, value, record.epoch)
        services.ledger.cancel_child(value, epoch, "the job it belongs to has ended")
        work_off(services, value)
    else:
        return entry == "parent"  # any other is of a newer version of us, whose workers know what to do
    return True


def cancels(entry: str) -> bool:
    """Return whether an entry cancels a child."""
    return entry.startswith("cancel:")


def cancelled_epoch(entry: str, child: str, epoch: int) -> int:
    """Return the parent's epoch for which an entry cancels a child; entries in the old form mean `epoch`."""
    return int(entry.removeprefix(f"cancel:{child}").removeprefix(":") or epoch)


def _frees_nothing(entry: tuple[str, str]) -> bool:
    """Return whether an entry frees no memory; cancelling a child does, and so comes first."""
    return not cancels(entry[0])


def _tell_parent(services: Services, record: JobRecord, parent: Parent, token: str) -> tuple[Claim, Moved]:
    claim = Claim(job_id=parent.job_id, epoch=parent.epoch, item_id=parent.item_id, token=token)
    outcome = record.outcome or {}
    error = "" if record.state is JobState.DONE else str(outcome.get("error") or outcome.get("reason") or "")
    if record.state is not JobState.DONE and not error:
        error = f"the job ended {record.state.value}"
    ended = record.ended or record.created
    result = ChildResult(
        state=record.state,
        outcome=outcome,
        job_id=record.job.id,
        ended=round(ended, 3),
        seconds=round(ended - record.created, 3),
    )
    # An EventData of this name reads it; it is written as the child's flow left it.
    shown = {name: value for name, value in outcome.items() if isinstance(value, str | int | float)}
    event = Event(name=f"{record.job.kind}.ended", data=shown)
    failed = record.state is JobState.FAILED
    moved = services.ledger.finish_child(claim, result.model_dump(mode="json"), error, event, failed=failed)
    if error and moved.verdict == "recorded":
        with suppress(Conflict):  # whoever finished another item may have stored it in a page by now
            count_dead_letter(services.ledger.step_of(parent.job_id, parent.item_id))
    return claim, moved


def _below(record: JobRecord, job: Job) -> Job:
    """Return a job that an ended one asks for, as a part of its trace."""
    return job.model_copy(update={"trace": trace_below(record)})


def _order_webhook(services: Services, record: JobRecord) -> None:
    """Submit the job that calls the webhook: one, however often this is done. The watchdog sends its item."""
    job = _below(record, webhook_job(record.job, record.state, record.ended or 0.0))
    if services.ledger.submit(job, WEBHOOK.first(job), config=services.webhook_config):
        log.info("webhook.ordered", job_id=record.job.id, webhook=job.id)
        COUNTS.count("hopline_jobs_submitted", job.kind)


def _reply(services: Services, record: JobRecord, target: str) -> bool:
    """Call the task that waits for the job's end; return whether that is over. It may be called again."""
    to = ReplyTo.read_stored(target)
    reply = Reply(job_id=record.job.id, state=record.state).model_dump(mode="json")
    try:
        call_task(services.broker_redis, to.queue, to.task, reply_id(record.job.id, record.epoch), reply)
    except NotAQueue as error:
        log.warning("reply.refused", job_id=record.job.id, queue=to.queue, error=str(error))
    except RedisError as error:  # the watchdog does it when the broker is back
        log.warning("reply.left", job_id=record.job.id, error=str(error))
        return False
    return True


def _order_following(services: Services, record: JobRecord) -> None:
    if is_stopped_at_provider(record):
        _order_stop(services, record)
    if changed_documents(record.job.kind, record.outcome or {}):
        _order_topics(services, record)


def is_stopped_at_provider(record: JobRecord) -> bool:
    """Return whether a separate job stops an ended job's batch at the provider and deletes its files.

    A job that failed with dead letters has already stopped its batch, and its file is kept for a retry. A
    cancelled one may not have stopped its batch, whatever failed before: it may have been cancelled while it
    created the batch.
    """
    if record.job.kind != PROVIDER_BATCH.kind:
        return False
    return record.state is JobState.CANCELLED or (record.state is JobState.FAILED and not record.dead)


def _order_stop(services: Services, record: JobRecord) -> None:
    """Submit the job that stops batches at the provider, only once however often this runs."""
    job = _below(record, cancel_job_of(record.job.model_copy(update={"epoch": record.epoch})))
    if services.ledger.submit(job, PROVIDER_CANCEL.first(job), config=services.ledger.config):
        log.info("stop.ordered", job_id=record.job.id, stop=job.id)
        COUNTS.count("hopline_jobs_submitted", job.kind)


def _order_topics(services: Services, record: JobRecord) -> None:
    """Submit the job that builds topics after a batch or sync, only once however often this runs."""
    when, collection = services.settings.topics_after_ingest, record.job.collection
    if when == "never":
        return
    try:
        if when == "if_built" and services.graph.topics.epoch(collection) is None:
            return
    except (DependencyAway, Transient) as error:  # the next batch orders them, or a survey that needs them
        log.warning("topics.left", job_id=record.job.id, why=str(error))
        return
    job = _below(record, later_topics_job(record.job.model_copy(update={"epoch": record.epoch})))
    if services.ledger.submit(job, TOPICS.first(job), config=services.ledger.config):
        log.info("topics.ordered", job_id=record.job.id, topics=job.id)
        COUNTS.count("hopline_jobs_submitted", job.kind)
