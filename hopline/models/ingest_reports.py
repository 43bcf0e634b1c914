"""The result of an ingestion, the same for command line, client and HTTP."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, Self

from hopline.models.base import Frozen, OfKind
from hopline.models.batches import WHOLE
from hopline.models.documents import DocumentReport
from hopline.models.jobs import JobState, Json, ToldState, Usage

if TYPE_CHECKING:
    from hopline.models.results import Job

_OF_ALL = (JobState.RUNNING, JobState.QUEUED, JobState.CANCELLED)  # states of one job that are those of all


class Submitted(Frozen):
    """A submitted ingestion."""

    job_id: str
    documents: int
    refused: tuple[DocumentReport, ...] = ()  # what was named and is no document, with reasons
    more: tuple[str, ...] = ()  # ids of further jobs, where one request over HTTP could not take them all

    @property
    def job_ids(self) -> tuple[str, ...]:
        """The jobs of all documents."""
        return (self.job_id, *self.more)


class IngestReport(OfKind):
    """The result of an ingestion."""

    kind: Literal["batch", "document"] = "batch"
    job_id: str
    status: ToldState
    documents: tuple[DocumentReport, ...] = ()  # of a very large batch, some of those that are not wholly in
    counts: dict[str, int] = {}  # status -> documents, all of them
    usage: Usage = Usage()
    reason: str | None = None  # why it was cancelled, or ended early
    error: str | None = None  # of a single document
    provider: dict[str, Any] = {}  # what was asked in the provider's batch mode

    @classmethod
    def of(cls, job: Job, stored: Json | None = None) -> Self:
        """Return the report of a document's or batch's job; without an outcome it lists no documents.

        Args:
            job: the job of a batch or a document.
            stored: an outcome as the job's flow stored it; by default the job's own.
        """
        if stored is None and isinstance(job.outcome, cls):
            return job.outcome
        of_job = {"kind": job.kind, "job_id": job.id, "status": job.state, "usage": job.usage}
        return cls.read_stored({**(stored or {}), **of_job})

    @classmethod
    def of_all(cls, jobs: Sequence[Job], refused: Sequence[DocumentReport] = ()) -> Self:
        """Return one report of several jobs, under the first one's id.

        Args:
            jobs: at least one.
            refused: documents that were refused before they became items of these jobs.
        """
        reports = [cls.of(job) for job in jobs]
        counts = Counter(document.status for document in refused)
        for report in reports:
            counts.update(report.counts)
        states = {report.status for report in reports}
        mixed = next((state for state in _OF_ALL if state in states), JobState.PARTIAL)
        return cls(
            job_id=reports[0].job_id,
            status=states.pop() if len(states) == 1 else mixed,
            documents=(*(document for report in reports for document in report.documents), *refused),
            counts=dict(counts),
            usage=sum((report.usage for report in reports), Usage()),
        )

    @property
    def failed(self) -> tuple[DocumentReport, ...]:
        """The documents that are not completely in the graph, each with its error."""
        return tuple(document for document in self.documents if document.status not in WHOLE)
