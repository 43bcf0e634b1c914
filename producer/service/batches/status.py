"""Computes a named batch's status: its input, speed, remaining time, cost so far."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING

from hopline.errors import InvalidInput
from hopline.models.batches import BatchMode, BatchStatus
from hopline.models.hours import now_utc
from hopline.models.jobs import JobState
from hopline.models.reports import Report
from workers.core.ids import child_job_id
from workers.core.jobs.batches import BatchRecord
from workers.core.jobs.flow import result_of
from workers.core.jobs.work import ChildResult
from workers.engine.hours import hours_of, waits_until
from workers.ingest.batch import line_of
from workers.ingest.provider.flow import COUNTS
from workers.ingest.provider.group import GroupResult

if TYPE_CHECKING:
    from workers.core.jobs.records import JobRecord
    from workers.services import Services

_ITEM = "prefill"
_GROUPED = 1  # the phase of that job that fills files
_DOCUMENT = "ingest.document"
_RECENT = 600.0  # seconds over which the rate is taken
_EVENTS = 2000


def status_of(services: Services, record: BatchRecord) -> BatchStatus:
    """Return a batch's status; from its report if its job has expired."""
    job = services.ledger.job(record.job_id)
    fields = {
        "name": record.name,
        "job_id": record.job_id,
        "collection": record.collection,
        "sources": record.sources,
        "documents": record.documents,
        "created": record.created,
        "reported": bool(record.report),
    }
    fields |= _of_job(services, job) if job else _of_report(services, record)
    return BatchStatus.model_validate(fields)


def _of_job(services: Services, job: JobRecord) -> dict[str, object]:
    running = job.state is JobState.RUNNING
    pauses = services.pauses.reasons(job.job.id) if running else ()
    counts = _counts(services, job)
    rate = _rate(services, job.job.id) if running and not pauses else None
    missing = int(job.job.params["documents"]) - sum(counts.values())
    return {
        "state": "paused" if pauses else job.state.value,
        "ended": sum(counts.values()),
        "counts": counts,
        "finished": job.ended,
        "rate": rate,
        "left": missing / rate * 60 if rate else None,
        "usage": job.usage,
        "budget": job.budget,
        "pause": pauses[0] if pauses else None,
        "pauses": pauses,
        "batch_mode": _batch_mode_of(services, job),
        "via": job.job.params.get("via", ""),
        **_of_hours(job, running=running),
    }


def _of_hours(job: JobRecord, *, running: bool) -> dict[str, object]:
    now = now_utc()
    try:
        hours, begins = hours_of(job), waits_until(job, now)
    except InvalidInput:  # this machine does not know the zone
        return {"hours": job.job.params["hours"], "zone": job.job.params["zone"]}
    if hours is None:
        return {}
    fields: dict[str, object] = {"hours": str(hours).partition(" ")[0], "zone": hours.zone}
    if running:
        fields["waits_until"] = begins
        fields["free_until"] = job.hours_free if job.hours_free > now.timestamp() else None
    return fields


def _of_report(services: Services, record: BatchRecord) -> dict[str, object]:
    if not record.report:
        return {"state": "expired"}
    report = Report.read_stored(services.blobs.get(record.report))
    counts = {status: count for status, count in report.documents.items() if status != "not done"}
    return {
        "state": "expired",
        "ended": sum(counts.values()),
        "counts": counts,
        "refused": report.refused,
        "finished": report.ended,
        "usage": report.usage,
    }


def _counts(services: Services, job: JobRecord) -> dict[str, int]:
    """Return documents by status: those in pages, and those whose results are still in Redis."""
    counts: Counter[str] = Counter()
    for page in services.spool.pages(job.job.id):
        counts.update(page.counts)
    for done in services.ledger.results(job.job.id).values():
        counts.update(line_of(item).status for item in done if item.step == _DOCUMENT)
    return dict(counts)


def _rate(services: Services, job_id: str) -> float | None:
    now = time.time()
    events = services.ledger.events(job_id, f"{int((now - _RECENT) * 1000)}-0", limit=_EVENTS)
    ended = [int(entry.partition("-")[0]) / 1000 for entry, event in events if event.name == "document.ended"]
    span = now - ended[0] if ended else 0.0
    return len(ended) / span * 60 if span > 1 else None


def _batch_mode_of(services: Services, job: JobRecord) -> BatchMode | None:
    """Return a batch's progress at the provider; None if it does not use one."""
    if job.job.params.get("via") != "batch":
        return None
    child = services.ledger.job(child_job_id(job.job.id, _ITEM))
    if child is not None and child.state is JobState.RUNNING:
        done = services.ledger.results(child.job.id).get(_GROUPED, ()) if child.phase > _GROUPED else ()
        grouped = filter(None, (result_of(item, GroupResult) for item in done))
        return BatchMode(
            prepared=child.done.get("ingest.prepare", 0),
            batches=sum(result.count for result in grouped),
            back=child.done.get("ingest.hand_over", 0),
        )
    results = services.ledger.results(job.job.id).get(0, ())
    prefill = next((done.result for done in results if done.item_id == _ITEM), {})
    outcome = ChildResult.read_stored(prefill).outcome
    batches = outcome.get("batches", 0)
    counts = {name: outcome[name] for name in COUNTS if name in outcome}
    return BatchMode(prepared=job.job.params["documents"], batches=batches, back=batches, **counts)
