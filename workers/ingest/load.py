"""Step ingest.load: reads a document, and opens a new version of it unless it is unchanged."""

from __future__ import annotations

from typing import Annotated

import structlog

from workers.core import ids
from workers.core.errors import DocumentUnreadable
from workers.core.events.documents import DocumentLoaded, DocumentUnchanged
from workers.core.jobs.params import DocumentParams, read_params
from workers.core.jobs.work import NoInput, Outcome
from workers.core.model import IN_FULL, Document, Frozen
from workers.core.ports import Ports
from workers.ingest.chunking.sizes import own_sizes
from workers.ingest.pages import put_text
from workers.ingest.profile.profile import get_profile
from workers.ingest.reading.read import ReadText, read_text
from workers.ingest.reading.source import read_source
from workers.ingest.sync.fingerprint import source_hash, version_hash

INDEXED = "indexed"  # a document's status when its newest version is live and whole

_log = structlog.get_logger()


class LoadResult(Frozen):
    """A document that was read."""

    document: Annotated[Document, IN_FULL]  # with the version to be written
    text: str  # blob; "" where the document is unchanged
    uri: str
    characters: int
    encoding: str | None  # None where its format says it

    @property
    def unchanged(self) -> bool:
        """Whether this version is live already, and nothing was written."""
        return self.document.status == INDEXED


def load_document(_input: NoInput, ports: Ports) -> Outcome:
    """Read, check and store a document's text.

    Raises:
        DocumentUnreadable: with a reason for the user; a document that the graph knows is marked failed.
        EmbedderMismatch: the collection was built with another embedder; nothing was written.
        Permanent: the job's profile does not fit or is not stored; nothing was written.
    """
    params = read_params(DocumentParams, ports.job.params)
    if params.profile:
        get_profile(ports.blobs, params.profile)  # else every chunk would find out by itself
    document_id = ids.document_id(ports.job.collection, params.name or params.uri)
    known = ports.graph.store.document(document_id)
    try:
        data = read_source(params.source, ports.blobs, ports.limits.max_document_bytes)
        read = read_text(data, params, ports.limits)
    except DocumentUnreadable as error:
        _log.warning("document.refused", uri=params.uri, reason=str(error))
        if known:
            ports.graph.store.set_status(document_id, known.version, "failed", str(error))
        raise
    content_hash = version_hash(read.text, params, ports.limits)
    made_of = source_hash(data, params, ports.limits)
    if known and known.status == INDEXED and known.content_hash == content_hash:
        return _unchanged(known, made_of, params.uri, read, ports)
    return _open(document_id, content_hash, made_of, params, read, ports)


def _unchanged(document: Document, made_of: str, uri: str, read: ReadText, ports: Ports) -> Outcome:
    if (document.source_hash, document.uri) != (made_of, uri):  # other bytes with the same text, or not known
        ports.graph.store.note_source(document.id, document.version, made_of, uri)
    return _outcome(document, read)


def _open(
    document_id: str, content_hash: str, made_of: str, params: DocumentParams, read: ReadText, ports: Ports
) -> Outcome:
    # Another embedder is found out here, before any chunk is paid for.
    ports.vectors.prepare(ports.job.collection, ports.model.embedder)
    document = ports.graph.store.open_version(
        Document(
            id=document_id,
            collection=ports.job.collection,
            uri=params.uri,
            title=read.title,
            content_hash=content_hash,
            status="loaded",
        )
    )
    if document.status == INDEXED:
        return _unchanged(document, made_of, params.uri, read, ports)
    written = document.model_copy(
        update={"source_hash": made_of, **own_sizes(ports.limits, params).model_dump()}
    )
    return _outcome(written, read, put_text(ports.blobs, read.text))


def _outcome(document: Document, read: ReadText, text: str = "") -> Outcome:
    result = LoadResult(
        document=document,
        text=text,
        uri=document.uri,
        characters=len(read.text),
        encoding=read.encoding,
    )
    kind = DocumentLoaded if text else DocumentUnchanged
    event = kind(uri=document.uri, characters=len(read.text), encoding=read.encoding)
    return Outcome(result=result, events=(event,))
