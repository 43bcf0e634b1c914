"""Builds the result that a submitter gets from a job's record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hopline.errors import InvalidInput, Permanent
from hopline.models.answers import Answer, reason_for_nothing, scope_of
from hopline.models.documents import DocumentReport
from hopline.models.ingest_reports import IngestReport
from hopline.models.jobs import JobState
from workers.core.answers.answer import with_calls

if TYPE_CHECKING:
    from workers.ledger.records import JobRecord

QUERY_KIND = "query"
BATCH_KIND = "batch"
DOCUMENT_KIND = "document"


def outcome_of(record: JobRecord) -> Answer | IngestReport:
    """Return the answer of a query, the report of an ingestion.

    Raises:
        InvalidInput: a kind of job that ends with neither.
    """
    if record.job.kind == QUERY_KIND:
        return answer_of(record)
    if record.job.kind in {BATCH_KIND, DOCUMENT_KIND}:
        return report_of(record)
    raise InvalidInput("kind", record.job.kind, "a job whose outcome is an answer or a report")


def answer_of(record: JobRecord) -> Answer:
    """Return a query's answer; without an outcome (running, cancelled, failed) it says why."""
    fields = _known_fields(Answer, with_calls(record.outcome or {}))
    state = JobState(record.state)
    fields["scope"] = scope_of(record.job.params)
    fields |= {"job_id": record.job.id, "status": state, "usage": record.usage, "timings": record.timings}
    if not fields.get("text") and not fields.get("reason"):
        fields["reason"] = reason_for_nothing(state, record.waits_for)
    return Answer.read_stored(fields)


def report_of(record: JobRecord, refused: Sequence[DocumentReport] = ()) -> IngestReport:
    """Return an ingestion's report; a single document's job reports that one.

    Args:
        record: the job.
        refused: what was named with its documents and never became one of its items.
    """
    outcome = record.outcome or {}
    # Over HTTP a document's outcome is a report already.
    is_list = record.job.kind == BATCH_KIND or "documents" in outcome
    listed = outcome.get("documents") if is_list else [outcome]
    documents = [
        DocumentReport.read_stored(_known_fields(DocumentReport, document))
        for document in listed or []
        if document
    ]
    reports = (*documents, *refused)
    counts = Counter(report.status for report in (refused if outcome.get("pages") else reports))
    counts.update(outcome.get("counts", {}) if outcome.get("pages") else {})
    return IngestReport(
        job_id=record.job.id,
        status=JobState(record.state),
        documents=reports,
        counts=dict(counts),
        usage=record.usage,
    )


def report_of_all(records: Sequence[JobRecord], refused: Sequence[DocumentReport] = ()) -> IngestReport:
    """Return one report of several batches, under the first one's id; the worst state is the state of all."""
    return IngestReport.of_all([report_of(record) for record in records], refused)


def ended_well(record: JobRecord, *, partly: bool = False) -> JobRecord:
    """Return the record of a job that did what it should.

    Args:
        record: a job that has ended.
        partly: a part of it will do; its outcome says which.

    Raises:
        Permanent: it did not; says why.
    """
    if record.state is not JobState.DONE and not (partly and record.state is JobState.PARTIAL):
        outcome = record.outcome or {}
        why = outcome.get("error") or outcome.get("reason") or "no reason recorded"
        raise Permanent(f"job {record.job.id} is {record.state}: {why}")
    return record


def _known_fields(model: type[Answer | DocumentReport], fields: dict[str, Any] | None) -> dict[str, Any]:
    """Keep only the model's fields: an outcome may hold more."""
    return {name: value for name, value in (fields or {}).items() if name in model.model_fields}
