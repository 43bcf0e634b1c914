"""Sends the trace of an ended job, and returns the trace that a job's items belong to."""

from __future__ import annotations

import structlog

from hopline.traces import TraceContext
from workers.core.jobs.records import Claim, JobRecord
from workers.core.jobs.work import Event, Job
from workers.engine.outages import REDIS_AWAY
from workers.services import Services
from workers.telemetry.traces.job_spans import job_spans
from workers.telemetry.traces.leaf import ItemTrace

log = structlog.get_logger()

_PAGE = 1000  # events that are read at a time


def trace_below(record: JobRecord) -> str:
    """Return the trace for a job that is submitted at another one's end or by its retry; "" if none."""
    context = TraceContext.read(record.job.trace)
    return str(context.below(record.job.id, record.run)) if context else ""


def item_trace(services: Services, job: Job, claim: Claim, attempt: int) -> ItemTrace | None:
    """Return the trace that an item's spans belong to; None if its job is not traced."""
    tracer = services.tracer
    if tracer is None or not job.trace:
        return None
    context = TraceContext.read(job.trace)
    if context is None or not context.sampled:
        return None
    span_id = context.item_span(claim.job_id, claim.epoch, claim.item_id)
    return ItemTrace(tracer, context, span_id, attempt)


def send_trace(services: Services, record: JobRecord) -> bool:
    """Send the spans of an ended job; return whether nothing is left to send, because they were sent or lost.

    A process that sends no traces leaves this to workers, which may; a worker that sends none drops them.
    """
    context = TraceContext.read(record.job.trace)
    if context is None or not context.sampled:
        return True
    tracer = services.tracer
    if tracer is None:
        return services.in_worker
    try:
        parent = services.ledger.trace_of(record.parent.job_id) if record.parent else ""
        events = _all_events(services, record.job.id)
        tracer.export(job_spans(record, context, events, parent_trace=parent, texts=tracer.texts))
    except REDIS_AWAY:
        raise
    except Exception:  # a trace never keeps a job from ending
        log.exception("trace.not_told", job_id=record.job.id)
    return True


def _all_events(services: Services, job_id: str) -> list[tuple[str, Event]]:
    entries = list[tuple[str, Event]]()
    while page := services.ledger.events(job_id, entries[-1][0] if entries else "0", limit=_PAGE):
        entries += page
    return entries
