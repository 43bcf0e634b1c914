"""Step ingest.index: embeds a document's new version, then makes it live.

The order is vectors, live, old vectors. Readers take ids from the vector store and read them from the graph,
which shows live versions only: vectors that come early are found and dropped there, and vectors of removed
nodes are deleted once nobody can be on the way to them. A crash in between leaves this step due, and every
part of it may be repeated; only what `make_live` had removed before a crash keeps stray vectors, which
readers ignore and `hopline collections reindex` sweeps.
"""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import Annotated

from hopline.events.documents import DocumentIndexed
from hopline.models.base import Frozen
from hopline.models.documents import Document
from workers.core.errors import DocumentSuperseded
from workers.core.jobs.work import Outcome
from workers.core.metadata.changes import NO_CHANGE, MetadataChange
from workers.core.ports import Ports
from workers.core.records import IN_FULL
from workers.ingest.measure import measure_where_due
from workers.ingest.originals import tidy_originals
from workers.ingest.pages import Embeddable, Typed, get_contents, get_embeddables, get_typed
from workers.ingest.vectors import forget_unheld, forget_vectors, store_new_vectors
from workers.ingest.versions import keep_vectors, tidy_document


class IndexInput(Frozen):
    """A version of a document that was linked as a whole."""

    document: Annotated[Document, IN_FULL]
    embed: tuple[str, ...]  # blobs of what is to be embedded
    pages: tuple[str, ...] = ()  # blobs of its chunks
    chunks: int
    error: str | None  # what the version lacks; None where it is whole
    typed: tuple[str, ...] | None = None  # blobs of what a profile found; None without one
    metadata: Annotated[MetadataChange, IN_FULL] = NO_CHANGE


class IndexResult(Frozen):
    """A version that is live."""

    uri: str
    facts: int  # distinct ones
    vectors: int  # that were not there
    removed: int  # vectors of the version before
    # Distinct ones, with a profile only:
    entities: int | None = None
    relations: int | None = None
    events: int | None = None

    @property
    def counts(self) -> dict[str, int]:
        """Number of distinct facts, and of the items that a profile asks for."""
        return self.model_dump(include={"facts", "entities", "relations", "events"}, exclude_none=True)


def index_document(version: IndexInput, ports: Ports) -> Outcome:
    """Embed the version, make it live, and delete what only the older version held.

    Raises:
        DocumentSuperseded: a newer version of the document was opened.
        EmbedderMismatch: the collection was rebuilt with another embedder meanwhile.
    """
    document = version.document
    entries: dict[str, Embeddable] = {}
    for reference in version.embed:
        entries.update((entry[0], entry) for entry in get_embeddables(ports.blobs, reference))
    elements = [graph_id for graph_id, kind, _text in entries.values() if kind == "element"]
    for redirect in ports.graph.merging.redirects(document.collection, elements):
        del entries[redirect]  # found by its target's vector
    ports.vectors.prepare(document.collection, ports.model.embedder)
    contents = get_contents(ports.blobs, version.pages)
    stored = store_new_vectors(ports, document.collection, list(entries.values()), contents)
    facts = sum(kind == "fact" for _id, kind, _text in entries.values())
    counted = document.model_copy(update={"chunks": version.chunks, "facts": facts})
    keep_vectors(ports, document.id)
    try:
        gone = ports.graph.store.make_live(counted, document.source_hash, version.metadata)
    except DocumentSuperseded:
        # Whoever overtook this version may have removed it before its vectors came.
        forget_unheld(ports, document.collection, entries)
        raise
    removed = forget_vectors(ports, document.collection, gone)
    tidy_document(ports, document.id)
    if document.version > 1:
        tidy_originals(ports, [document.id])
    if version.error:
        ports.graph.store.set_status(document.id, document.version, "partial", version.error)
    measure_where_due(ports, document.collection, document.id, version.chunks)
    typed = None
    if version.typed is not None:
        parts = (get_typed(ports.blobs, reference) for reference in version.typed)
        typed = reduce(or_, parts, Typed())
    result = IndexResult(
        uri=document.uri, facts=facts, vectors=stored, removed=removed, **(typed.counts if typed else {})
    )
    return Outcome(result=result, events=(DocumentIndexed(**result.model_dump()),))
