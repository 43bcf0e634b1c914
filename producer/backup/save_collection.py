"""Exports one collection into a file while others write, each document in a single version."""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import BinaryIO

from hopline.errors import InvalidInput, Transient
from producer.backup.collection_file import CollectionWriter, Counts, ExportedDocument, Header, line_of
from producer.backup.folder import create_private
from producer.backup.save import Progress
from workers.adapters.neo4j.collection_archive import CollectionArchive, LivePage
from workers.core.files import slices, spooled
from workers.core.graph.document_pages import all_documents
from workers.services import Services

_DOCUMENTS, _CHUNKS, _MERGES = 200, 50, 200  # in a page
_TRIES = 20  # of a document that changes while it is read
_SHOWN = 100  # documents between two notes of progress


def save_collection(
    services: Services, collection: str, file: Path, progress: Progress = lambda _part: None
) -> Counts:
    """Write a collection's documents, originals, merges and concept maps into a new file.

    A document that is written meanwhile is exported as its older or its newer version, never as a mixture;
    one that is deleted meanwhile may be missing. What is not live yet is not exported.

    Args:
        services: services of the servers.
        collection: which; it holds something.
        file: does not exist yet; complete as soon as it does.
        progress: called with what is written.

    Raises:
        InvalidInput: the file exists.
        Transient: a document changes faster than it can be read.
    """
    if file.exists():
        message = f"{file} exists: an export goes into a new file"
        raise InvalidInput("file", str(file), "the name of a new file", message=message)
    schemas = services.metadata_schemas
    header = Header(
        hopline=version("hopline"),
        taken=datetime.now(UTC),
        collection=collection,
        title=services.collection_titles.read(collection),
        metadata_schema=schemas.read(collection) if schemas.has(collection) else None,
    )
    unfinished = file.with_name(f".{file.name}.part")
    unfinished.unlink(missing_ok=True)
    try:
        with create_private(unfinished) as raw:
            counts = _Export(services, collection, CollectionWriter(raw, header)).write(progress)
            raw.flush()
            os.fsync(raw.fileno())
        unfinished.rename(file)
    finally:
        unfinished.unlink(missing_ok=True)
    return counts


class _Export:
    """An export under way."""

    def __init__(self, services: Services, collection: str, out: CollectionWriter) -> None:
        self._services = services
        self._collection = collection
        self._out = out
        self._archive = CollectionArchive(services.graph.connection)

    def write(self, progress: Progress) -> Counts:
        documents = chunks = originals = merges = maps = 0
        for listed in all_documents(self._services.graph.store, self._collection, _DOCUMENTS):
            with closing(spooled()) as lines:
                written = self._whole_document(listed.id, lines)
                if written is None:
                    continue
                lines.seek(0)
                for line in lines:
                    self._out.write(line)
            chunks += written.chunks
            originals += bool(written.original_sha256)
            documents += 1
            if documents % _SHOWN == 1:
                progress(f"document {documents}")
        for line in self._merges():
            self._out.write(line)
            merges += 1
        for whole in self._archive.concept_maps(self._collection):
            self._out.write(line_of("concept_map", whole.model_dump(mode="json")))
            maps += 1
        counts = Counts(
            documents=documents, chunks=chunks, originals=originals, merges=merges, concept_maps=maps
        )
        self._out.finish(counts)
        return counts

    def _whole_document(self, document_id: str, lines: BinaryIO) -> ExportedDocument | None:
        """Write a document's lines as of one version; return it, or None if nothing of it is live."""
        for _ in range(_TRIES):
            lines.seek(0)
            lines.truncate()
            first = self._archive.document(document_id, after=-1, limit=_CHUNKS)
            if first is None:
                return None
            document = self._put_original(first, lines)
            if self._put_chunks(first, lines):
                return document
        raise Transient(f"document {document_id} changes faster than it can be read; export again")

    def _put_original(self, page: LivePage, lines: BinaryIO) -> ExportedDocument:
        """Write the document's own line, and its file."""
        document, name = ExportedDocument.of(page.document), page.document.original_file
        original = self._services.originals.open(name) if name else None
        if original is None:
            document = document.model_copy(update={"original_sha256": ""})
        lines.write(line_of("document", document.model_dump(mode="json")))
        if original is not None:
            with original:
                original.seek(0)
                lines.writelines(line_of("original", b64encode(part).decode()) for part in slices(original))
        return document

    def _put_chunks(self, first: LivePage, lines: BinaryIO) -> bool:
        """Write the document's chunks; return whether all were of the version of the first page."""
        page: LivePage | None = first
        while page is not None and page.live == first.live:
            if not page.chunks:
                return True
            lines.write(line_of("chunks", [chunk.model_dump(mode="json") for chunk in page.chunks]))
            last = page.chunks[-1].chunk.index
            page = self._archive.document(first.document.id, after=last, limit=_CHUNKS)
        return False

    def _merges(self) -> Iterator[bytes]:
        """Yield the merges decided by people and jobs; stated names follow from the documents."""
        after, merging = "", self._services.graph.merging
        while page := merging.merges(self._collection, after=after, limit=_MERGES):
            after = page[-1].id
            for merge in page:
                if merge.job or merge.undone:
                    yield line_of("merge", merge.model_dump(mode="json"))
