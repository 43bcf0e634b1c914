"""Builds the report of an ingestion from its jobs, as the API tells them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from hopline.models.documents import DocumentReport
from hopline.models.ingest_reports import IngestReport
from hopline.models.jobs import JobState, Usage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hopline.models.jobs import Job

_FIRST = (JobState.RUNNING, JobState.CANCELLED)  # states of one job that are those of all


def report_of(*jobs: Job, refused: Sequence[DocumentReport] = ()) -> IngestReport:
    """Return one report of all of an ingestion's jobs, under the first one's id.

    Args:
        *jobs: of its documents.
        refused: what was named with its documents and never became one of its items.
    """
    documents, counts = list[DocumentReport](), Counter(report.status for report in refused)
    for job in jobs:
        outcome = job.outcome or {}
        documents += [DocumentReport.read_stored(each) for each in outcome.get("documents", ())]
        counts.update(outcome.get("counts", {}))
    states = {job.state for job in jobs}
    mixed = next((state for state in _FIRST if state in states), JobState.PARTIAL)
    return IngestReport(
        job_id=jobs[0].id,
        status=states.pop() if len(states) == 1 else mixed,
        documents=(*documents, *refused),
        counts=dict(counts),
        usage=sum((job.usage for job in jobs), Usage()),
    )
