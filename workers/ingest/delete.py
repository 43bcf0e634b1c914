"""Steps that delete: one document, documents that pass a filter, and a collection's other data."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from hopline.events.documents import CollectionForgotten, DocumentDeleted, DocumentsSelected
from hopline.models.base import Frozen
from hopline.models.documents import Document
from workers.core.graph.document_pages import all_documents
from workers.core.graph.kept_versions import kept_store
from workers.core.jobs.manifest import Manifest, ManifestWriter
from workers.core.jobs.params import DeleteParams, DeletionParams, read_input
from workers.core.jobs.work import Item, NoInput, Outcome
from workers.core.metadata.filter import Filter
from workers.core.ports import DocumentGraph, Ports, Removed
from workers.ingest.originals import tidy_originals
from workers.ingest.recognise import forget_recognised
from workers.ingest.vectors import forget_vectors, store_vectors
from workers.ingest.versions import begin_keeping, erase_versions, keep_vectors, tidy_document

WINDOW = 200  # deletions of a job in flight
_PAGE = 2_000  # documents; a page of filtered ones reads all of the collection
_NAME = 60  # characters of an address that an item's id ends with


class DeleteInput(Frozen):
    """A document of a job that deletes several; empty in a job that deletes one, whose parameters name it."""

    document_id: str = ""
    erase: bool = False


class SelectResult(Frozen):
    """The documents to delete, as a list of items."""

    selected: Manifest


class ForgetResult(Frozen):
    """Whether the data of a collection was removed; it stays if documents were added in the meantime."""

    forgotten: bool


class DeleteResult(Frozen):
    """The data removed with a document."""

    document_id: str
    known: bool  # whether the collection had such a document
    chunks: int
    facts: int
    elements: int


def select_documents(_input: NoInput, ports: Ports) -> Outcome:
    """List the documents of the job's collection that pass its filter; without a filter, all of them."""
    params = read_input(DeletionParams, ports.job.params)
    writer = ManifestWriter(ports.blobs, WINDOW)
    for document in _selected(ports.graph.store, ports.job.collection, params.where):
        shown = "".join(c if c.isprintable() else "?" for c in document.uri[-_NAME:])
        deletion = DeleteInput(document_id=document.id, erase=params.where is None)
        writer.add(Item(id=f"{writer.size}:{shown}", step="ingest.delete", input=deletion))
    selected = writer.finish()
    return Outcome(
        result=SelectResult(selected=selected), events=(DocumentsSelected(documents=selected.size),)
    )


def _selected(store: DocumentGraph, collection: str, where: Filter | None) -> Iterator[Document]:
    if where is None:
        yield from all_documents(store, collection, _PAGE)
        return
    place = None
    while hits := store.documents_found(collection, after=place, limit=_PAGE, where=where):
        yield from (hit.document for hit in hits)
        place = hits[-1].place


def forget_collection(_input: NoInput, ports: Ports) -> Outcome:
    """Remove the data of the job's collection, if it has no documents left.

    This covers merges, topics, concept maps, kept versions, vectors, metadata schema, title and description.
    """
    collection = ports.job.collection
    erase_versions(ports, ports.graph.kept.named(collection=collection))
    forgotten = ports.graph.forget(collection)
    if forgotten:
        ports.vectors.drop(collection)
        ports.vectors.drop(kept_store(collection))
        ports.forget_records(collection)
        if ports.graph.store.documents(collection, limit=1):  # it came after the graph was asked
            for page in ports.graph.nodes.texts(collection):
                store_vectors(ports, collection, page)
    event = CollectionForgotten(collection=collection, forgotten=forgotten)
    return Outcome(result=ForgetResult(forgotten=forgotten), events=(event,))


def delete_document(deletion: DeleteInput, ports: Ports) -> Outcome:
    """Remove a document from the graph, together with its vectors.

    Cached extractions of its chunks are removed too, unless another document has the same text.

    An unknown document, or one of another collection than the job's, removes nothing.
    """
    named = deletion.model_dump() if deletion.document_id else ports.job.params
    params = read_input(DeleteParams, named)
    document_id = params.document_id
    document = ports.graph.store.document(document_id)
    if document is None or document.collection != ports.job.collection:
        ports.forget_quotes(ports.job.collection, document_id)
        # Whoever deleted it may have been lost before it looked at the vectors that were due.
        due = ports.graph.store.vectors_due(ports.job.collection)
        forget_vectors(ports, ports.job.collection, Removed(due=tuple(due)))
        _tidy(params, ports)
        nothing = DeleteResult(document_id=document_id, known=False, chunks=0, facts=0, elements=0)
        return Outcome(result=nothing)
    contents = ports.graph.store.contents_of(document_id)
    forget_replies(
        ports, contents, besides=document_id
    )  # before they are gone from the graph: may be repeated
    forget_recognised(ports.recognised, document_id)
    if not params.erase:
        begin_keeping(ports, document_id)
        keep_vectors(ports, document_id)
    removed = ports.graph.store.delete_document(document_id)
    ports.forget_quotes(document.collection, document_id)  # after: an answer that ends now finds it gone
    forget_vectors(ports, document.collection, removed)
    _tidy(params, ports)
    forget_replies(ports, contents)  # of two that said the same and were deleted at once, the later one's
    counts = {
        "chunks": len(removed.chunks),
        "facts": len(removed.facts),
        "elements": len(removed.elements),
    }
    event = DocumentDeleted(uri=document.uri, **counts)
    result = DeleteResult(document_id=document_id, known=True, **counts)
    return Outcome(result=result, events=(event,))


def remove_superseded(ports: Ports, document_id: str, collection: str) -> int:
    """Remove what superseded versions of a document left, with its vectors; return the number of chunks."""
    removed = ports.graph.store.remove_superseded(document_id)
    forget_vectors(ports, collection, removed)
    return len(removed.chunks)


def _tidy(params: DeleteParams, ports: Ports) -> None:
    """Remove expired versions of the document, or all if it is erased, and their files."""
    kept, where = ports.graph.kept, ports.job.collection
    if params.erase:
        erase_versions(ports, kept.named(collection=where, document_id=params.document_id))
    else:
        tidy_document(ports, params.document_id)
    tidy_originals(ports, [params.document_id])


def forget_replies(ports: Ports, contents: Collection[str], *, besides: str = "") -> None:
    """Purge cached replies to texts that no chunk of another document has."""
    if contents:
        ports.replies.purge(set(contents) - ports.graph.store.contents_held(contents, besides))
