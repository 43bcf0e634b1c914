"""Step ingest.reindex: settles a collection's names again, rebuilds and measures its vectors."""

from __future__ import annotations

from collections.abc import Iterator

from hopline.events.documents import CollectionReindexed
from hopline.models.base import Frozen
from workers.core.graph.document_pages import all_documents
from workers.core.graph.kept_versions import kept_store
from workers.core.jobs.work import Outcome
from workers.core.ports import Ports
from workers.ingest.link import with_names
from workers.ingest.measure import measure_embedder
from workers.ingest.pages import Embeddable
from workers.ingest.vectors import store_vectors
from workers.ingest.versions import store_kept_vectors

_DOCUMENTS, _CHUNKS = 50, 200  # in a page
_SETTLED = 500  # chunks at most of documents whose names are settled together; one with more goes alone


class ReindexInput(Frozen):
    """Which half of the work it is."""

    drop: bool  # the vectors; else they are built


class ReindexResult(Frozen):
    """What was built."""

    vectors: int


def reindex_collection(half: ReindexInput, ports: Ports) -> Outcome:
    """Drop the vectors of the job's collection, or build them: two items, so that building may repeat.

    Names are settled before: chunks that were ingested before names were kept, or by other rules, too.
    """
    collection = ports.job.collection
    if half.drop:
        _settle_names(ports, collection)
        ports.vectors.drop(collection)
        ports.vectors.drop(kept_store(collection))
        # The graph is read after this, and all of its vectors are made.
        while due := ports.graph.store.vectors_due(collection):
            ports.graph.store.vectors_seen(collection, [note.id for note in due])
        return Outcome(result=ReindexResult(vectors=0))
    ports.vectors.prepare(collection, ports.model.embedder)
    built = store_vectors(ports, collection, _everything(ports, collection))
    built += store_kept_vectors(ports, collection)
    measure_embedder(ports, collection, anew=True)
    event = CollectionReindexed(vectors=built)
    return Outcome(result=ReindexResult(vectors=built), events=(event,))


def _settle_names(ports: Ports, collection: str) -> None:
    store = ports.graph.store
    together: list[str] = []
    chunks = 0
    for document in all_documents(store, collection, _DOCUMENTS):
        _note_names(ports, collection, document.id)
        if together and chunks + document.chunks > _SETTLED:
            store.settle_names(together)
            together, chunks = [], 0
        together.append(document.id)
        chunks += document.chunks
    if together:
        store.settle_names(together)


def _note_names(ports: Ports, collection: str, document_id: str) -> None:
    last, store = -1, ports.graph.store
    while chunks := store.named_chunks(document_id, after=last, limit=_CHUNKS):
        last = chunks[-1].chunk.index
        pairs = [
            (named_chunk, with_names(collection, named_chunk.chunk, named_chunk.facts))
            for named_chunk in chunks
        ]
        store.note_names([(before, after) for before, after in pairs if before != after])


def _everything(ports: Ports, collection: str) -> Iterator[Embeddable]:
    for page in ports.graph.nodes.texts(collection):
        yield from page
