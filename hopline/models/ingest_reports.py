"""The result of an ingestion, the same for command line, client and HTTP."""

from __future__ import annotations

from hopline.models.base import Frozen
from hopline.models.batches import WHOLE
from hopline.models.documents import DocumentReport
from hopline.models.jobs import JobState, Usage


class Submitted(Frozen):
    """An ingestion that was handed over."""

    job_id: str
    documents: int
    refused: tuple[DocumentReport, ...] = ()  # what was named and is no document, with reasons
    more: tuple[str, ...] = ()  # ids of further jobs, where one request over HTTP could not take them all

    @property
    def job_ids(self) -> tuple[str, ...]:
        """The jobs of all documents."""
        return (self.job_id, *self.more)


class IngestReport(Frozen):
    """What an ingestion ends with."""

    job_id: str
    status: JobState
    documents: tuple[DocumentReport, ...] = ()  # of a very large batch, some of those that are not wholly in
    counts: dict[str, int] = {}  # status -> documents, all of them
    usage: Usage = Usage()

    @property
    def failed(self) -> tuple[DocumentReport, ...]:
        """The documents that are not wholly in the graph, each with its error."""
        return tuple(document for document in self.documents if document.status not in WHOLE)
