"""Step ingest.delete: removes a document and everything that only it holds."""

from __future__ import annotations

from collections.abc import Collection

from hopline.events.documents import DocumentDeleted
from hopline.models.base import Frozen
from workers.core.jobs.params import DeleteParams, read_input
from workers.core.jobs.work import NoInput, Outcome
from workers.core.ports import Ports, Removed
from workers.ingest.vectors import forget_vectors
from workers.ingest.versions import begin_keeping, erase_versions, keep_vectors, tidy_document


class DeleteResult(Frozen):
    """What was removed with a document."""

    document_id: str
    known: bool  # whether the collection had such a document
    chunks: int
    facts: int
    elements: int


def delete_document(_input: NoInput, ports: Ports) -> Outcome:
    """Remove a document from the graph, and the vectors of what went with it.

    What is kept of its chunks' extraction goes too, unless another document says the same.

    An unknown document, or one of another collection than the job's, removes nothing.
    """
    params = read_input(DeleteParams, ports.job.params)
    document_id = params.document_id
    document = ports.graph.store.document(document_id)
    if document is None or document.collection != ports.job.collection:
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
    if not params.erase:
        begin_keeping(ports, document_id)
        keep_vectors(ports, document_id)
    removed = ports.graph.store.delete_document(document_id)
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
    """Remove what overtaken versions of a document left, with its vectors; return how many chunks."""
    removed = ports.graph.store.remove_superseded(document_id)
    forget_vectors(ports, collection, removed)
    return len(removed.chunks)


def _tidy(params: DeleteParams, ports: Ports) -> None:
    """Remove versions of the document that are not to be kept any more; all, where it is erased."""
    kept, where = ports.graph.kept, ports.job.collection
    if params.erase:
        erase_versions(ports, kept.named(collection=where, document_id=params.document_id))
    else:
        tidy_document(ports, params.document_id)


def forget_replies(ports: Ports, contents: Collection[str], *, besides: str = "") -> None:
    """Purge cached replies to texts that no chunk of another document has."""
    if contents:
        ports.replies.purge(set(contents) - ports.graph.store.contents_held(contents, besides))
