"""Ingests the passages of an evaluation file into a collection."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import orjson

from hopline.models.documents import DocumentReport
from hopline.models.ingest_reports import Submitted
from producer.service.sources import expansion_of
from workers.core import ids
from workers.sources.addresses import Uploaded
from workers.sources.formats import Refused
from workers.sources.lines import documents_of_lines

if TYPE_CHECKING:
    from hopline.models.documents import Document
    from producer.client.hopline import Hopline
    from producer.evaluation.dataset import Dataset, Passage

_LIVE = "indexed"  # the status of a document that is whole in the graph


def missing_passages(held: Iterable[Document], collection: str, dataset: Dataset) -> list[Passage]:
    """Return the passages that are not among a collection's documents as they are."""
    live = {document.id: document.content_hash for document in held if document.status == _LIVE}
    return [
        passage
        for passage in dataset.passages
        if live.get(ids.document_id(collection, passage.id)) != ids.content_hash(passage.text)
    ]


def other_documents(held: Iterable[Document], collection: str, dataset: Dataset) -> list[Document]:
    """Return the documents of a collection that are not passages of the file."""
    own = {ids.document_id(collection, passage.id) for passage in dataset.passages}
    return [document for document in held if document.id not in own]


def submit_passages(
    client: Hopline, collection: str, file: str, passages: Sequence[Passage], key: str
) -> Submitted:
    """Submit passages as one batch, each a document with its own id and title.

    Args:
        client: the servers.
        collection: where the documents go.
        file: the evaluation file's name, of which with #id a document's uri is made.
        passages: at least one.
        key: idempotency key.
    """
    lines = b"\n".join(orjson.dumps(passage.model_dump()) for passage in passages)
    keeping = Uploaded(client.service.blobs, max_bytes=len(lines), stores_too=True)
    documents, refused = expansion_of(documents_of_lines(io.BytesIO(lines), file, keeping))
    record = client.service.documents.submit_batch(documents, collection, key, label=file[:200])
    return Submitted(
        job_id=record.job.id, documents=len(documents), refused=tuple(_report(refusal) for refusal in refused)
    )


def _report(refused: Refused) -> DocumentReport:
    return DocumentReport(uri=refused.place, status="failed", error=refused.reason)


def submit_removal(client: Hopline, collection: str, document_id: str, key: str) -> None:
    """Submit the deletion of a document."""
    client.service.submit("delete", collection, {"document_id": document_id}, key=key)
