"""Service for stored documents: list them, and submit jobs that delete one or rebuild vectors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from workers.core.errors import Gone, Permanent
from workers.core.jobs.work import JobState

if TYPE_CHECKING:
    from workers.core.model import Document
    from workers.ledger.records import JobRecord
    from workers.services import Services

_PAGE = 200


def list_documents(services: Services, collection: str | None) -> Iterator[Document]:
    """Yield documents ordered by id, a page at a time."""
    after = ""
    while page := services.graph.documents(collection, after=after, limit=_PAGE):
        yield from page
        after = page[-1].id


def find_document(services: Services, document_id: str) -> Document:
    """Return a document.

    Raises:
        Gone: there is no such document.
    """
    document = services.graph.document(document_id)
    if document is None:
        raise Gone(f"no document {document_id}: `hopline documents` lists them")
    return document


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
