"""Ingests the passages of an evaluation file into a collection."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import orjson

from workers.core import ids

if TYPE_CHECKING:
    from pathlib import Path

    from hopline import Hopline
    from hopline.models.documents import Document
    from hopline.models.ingest_reports import Submitted
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
    client: Hopline, collection: str, passages: Sequence[Passage], lines: Path, key: str
) -> Submitted:
    """Submit passages as one batch, each a document with its own id and title.

    Args:
        client: of the servers, which read files of this machine.
        collection: where the documents go.
        passages: at least one.
        lines: the file that they are written to, of which with #id a document's uri is made; it has to be
            there until they are in.
        key: idempotency key.
    """
    lines.write_bytes(b"\n".join(orjson.dumps(passage.model_dump()) for passage in passages))
    return client.hand_over([lines], collection, key=key)
