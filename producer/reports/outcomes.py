"""Builds the result that a submitter gets from a job's record."""

from __future__ import annotations

from collections import Counter

from hopline.models.jobs import Json
from hopline.models.outcomes import outcome_of
from hopline.models.results import Job
from workers.core.answers.answer import with_calls
from workers.core.jobs.records import JobRecord

QUERY_KIND = "query"
BATCH_KIND = "batch"
DOCUMENT_KIND = "document"

_OF_JOB = ("id", "kind", "collection", "priority", "tags", "params")
_OF_RECORD = tuple((Job.model_fields.keys() & JobRecord.model_fields.keys()) - {"outcome", "epoch"})


def view_of(record: JobRecord, *, outcome: bool = True) -> Job:
    """Return a job as the API shows it."""
    job = record.job
    fields = {name: getattr(record, name) for name in _OF_RECORD}
    fields |= {name: getattr(job, name) for name in _OF_JOB}
    fields |= {"state": record.told_state, "epoch": record.run}
    fields |= {"webhook": job.webhook or None, "request_id": job.request_id or None}
    view = Job(**fields)
    if not outcome or record.outcome is None:
        return view
    stored = record.outcome
    if job.kind == QUERY_KIND:
        stored = with_calls(stored)
    elif job.kind in {BATCH_KIND, DOCUMENT_KIND}:
        stored = {**stored, **_listed(view, stored)}
    return view.model_copy(update={"outcome": outcome_of(view, stored)})


def _listed(job: Job, stored: Json) -> Json:
    """Return a stored outcome with its documents as a list, counted; one in pages is counted already."""
    # Over HTTP a document's outcome is a report already.
    listed = stored.get("documents") if job.kind == BATCH_KIND or "documents" in stored else [stored]
    documents = [document for document in listed or () if document]
    own = Counter(document["status"] for document in documents)
    return {"documents": documents, "counts": stored.get("counts", {}) if stored.get("pages") else own}
