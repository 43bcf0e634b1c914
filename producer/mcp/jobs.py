"""MCP tools for jobs: status and cancel."""

from __future__ import annotations

from pydantic import Field

from hopline.models.answers import Answer
from hopline.models.base import Frozen
from hopline.models.ingest_reports import IngestReport
from hopline.models.results import Job
from producer.mcp.offer import Call, Offer, Told, offer, result_of
from producer.mcp.texts import answer_text, job_text, report_text
from producer.reports.outcomes import BATCH_KIND, DOCUMENT_KIND, QUERY_KIND

_ID = Field(min_length=1, max_length=200, description="As ask or ingest told it.")
_SHOWN = ("state", "items", "done", "timings", "usage", "dead", "closed_for", "waits_for", "outcome")


class LookAtJob(Frozen):
    """Show how a job stands; of one that has ended, its answer or its report."""

    job_id: str = _ID


class CancelJob(Frozen):
    """End a job now; one that has ended already stays unchanged."""

    job_id: str = _ID


async def look_at_job(call: Call, arguments: LookAtJob) -> Told:
    """Show a job."""
    return _show_job(await call.client.jobs.get(arguments.job_id))


async def cancel_job(call: Call, arguments: CancelJob) -> Told:
    """End a job."""
    return _show_job(await call.client.jobs.cancel(arguments.job_id))


def _show_job(job: Job) -> Told:
    fields = job.model_dump(mode="json", include=set(_SHOWN))
    named = {"job_id": job.id, "kind": job.kind, "collection": job.collection}
    parts = [job_text(job)]
    if job.ended is not None and job.kind == QUERY_KIND:
        answer = Answer.of(job)
        parts.append(answer_text(answer))
        shown = {"kind", "job_id", "status", "text", "reason", "missing", "citations", "calculations"}
        fields["outcome"] = answer.model_dump(mode="json", include=shown)
    elif job.ended is not None and job.kind in {BATCH_KIND, DOCUMENT_KIND}:
        parts.append(report_text(IngestReport.of(job)))
    return Told(text="\n\n".join(parts), data=named | fields)


_RESULT = result_of(Job, ("kind", "collection", *_SHOWN), job_id={"type": "string"})
JOBS: tuple[Offer, ...] = (
    offer(LookAtJob, look_at_job, name="job", title="Look at a job", result=_RESULT),
    offer(
        CancelJob,
        cancel_job,
        name="cancel",
        title="Cancel a job",
        result=_RESULT,
        scope="submit",
        changes=True,
    ),
)
