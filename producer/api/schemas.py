"""Request and response schemas of the API."""

from __future__ import annotations

from pydantic import (
    BaseModel,
    ConfigDict,
)

from hopline.aio.documents import AsyncDocuments
from hopline.models.jobs import Job, Json
from hopline.operation import operation_of
from producer.reports.outcomes import BATCH_KIND, DOCUMENT_KIND, QUERY_KIND, answer_of, report_of
from workers.ledger.records import JobRecord


class Body(BaseModel):
    """Base of requests: no unknown fields."""

    model_config = ConfigDict(extra="forbid", frozen=True)


DOCUMENTS_REQUEST = operation_of(AsyncDocuments.submit).body

_OF_JOB = ("id", "kind", "collection", "priority", "tags", "params")
_OF_RECORD = tuple((Job.model_fields.keys() & JobRecord.model_fields.keys()) - {"outcome", "epoch"})


def view_of(record: JobRecord, *, outcome: bool = True) -> Job:
    """Return a job as the API tells it."""
    job = record.job
    fields = {name: getattr(record, name) for name in _OF_RECORD}
    fields |= {name: getattr(job, name) for name in _OF_JOB}
    fields |= {"epoch": record.run, "webhook": job.webhook or None, "request_id": job.request_id or None}
    return Job.model_validate(fields | {"outcome": _outcome(record) if outcome else None})


def _outcome(record: JobRecord) -> Json | None:
    if record.outcome is None:
        return None
    if record.job.kind == QUERY_KIND:
        return answer_of(record).model_dump(mode="json")
    if record.job.kind in {BATCH_KIND, DOCUMENT_KIND}:
        report = report_of(record).model_dump(mode="json")
        return {**report, **{n: v for n, v in record.outcome.items() if n not in report}}
    return record.outcome
