"""Builds the result that a submitter gets from a job's record."""

from __future__ import annotations

from collections import Counter

from hopline.models.answers import Answer
from hopline.models.ingest_reports import IngestReport
from hopline.models.jobs import Job, Json
from workers.core.answers.answer import with_calls
from workers.ledger.records import JobRecord

QUERY_KIND = "query"
BATCH_KIND = "batch"
DOCUMENT_KIND = "document"

_OF_JOB = ("id", "kind", "collection", "priority", "tags", "params")
_OF_RECORD = tuple((Job.model_fields.keys() & JobRecord.model_fields.keys()) - {"outcome", "epoch"})


def view_of(record: JobRecord, *, outcome: bool = True) -> Job:
    """Return a job as the API tells it."""
    job = record.job
    fields = {name: getattr(record, name) for name in _OF_RECORD}
    fields |= {name: getattr(job, name) for name in _OF_JOB}
    fields |= {"epoch": record.run, "webhook": job.webhook or None, "request_id": job.request_id or None}
    view = Job(**fields)
    if not outcome or record.outcome is None:
        return view
    return view.model_copy(update={"outcome": _told(view, record.outcome)})


def _told(job: Job, stored: Json) -> Json:
    """Return an outcome as it is told: of a question its answer, of documents their report and more."""
    if job.kind == QUERY_KIND:
        return Answer.of(job.model_copy(update={"outcome": with_calls(stored)})).model_dump(mode="json")
    if job.kind not in {BATCH_KIND, DOCUMENT_KIND}:
        return stored
    report = IngestReport.of(job.model_copy(update={"outcome": _listed(job, stored)})).model_dump(mode="json")
    return {**report, **{name: value for name, value in stored.items() if name not in report}}


def _listed(job: Job, stored: Json) -> Json:
    """Return a stored outcome with its documents as a list, counted; one in pages is counted already."""
    # Over HTTP a document's outcome is a report already.
    listed = stored.get("documents") if job.kind == BATCH_KIND or "documents" in stored else [stored]
    documents = [document for document in listed or () if document]
    own = Counter(document["status"] for document in documents)
    return {"documents": documents, "counts": stored.get("counts", {}) if stored.get("pages") else own}
