"""Step ingest.delete: removes a document and everything that only it holds."""

from __future__ import annotations

from collections.abc import Collection

from workers.core.jobs.params import DeleteParams, read_params
from workers.core.jobs.work import Event, Json, Outcome
from workers.core.ports import Ports
from workers.ingest.vectors import forget_vectors


def delete_document(_given: Json, ports: Ports) -> Outcome:
    """Remove a document from the graph, and the vectors of what went with it.

    What is kept of its chunks' extraction goes too, unless another document says the same.

    Result: {document_id, known: was there such a document, chunks, facts, elements: how many were removed}.
    An unknown document, or one of another collection than the job's, removes nothing.
    """
    document_id = read_params(DeleteParams, ports.job.params).document_id
    document = ports.graph.document(document_id)
    if document is None or document.collection != ports.job.collection:
        return Outcome(
            result={"document_id": document_id, "known": False, "chunks": 0, "facts": 0, "elements": 0}
        )
    contents = ports.graph.contents_of(document_id)
    forget_replies(
        ports, contents, besides=document_id
    )  # before they are gone from the graph: may be repeated
    removed = ports.graph.delete_document(document_id)
    forget_vectors(ports, document.collection, removed)
    forget_replies(ports, contents)  # of two that said the same and were deleted at once, the later one's
    counts = {
        "chunks": len(removed.chunks),
        "facts": len(removed.facts),
        "elements": len(removed.elements),
    }
    event = Event(name="document.deleted", data={"uri": document.uri, **counts})
    return Outcome(result={"document_id": document_id, "known": True, **counts}, events=(event,))


def forget_replies(ports: Ports, contents: Collection[str], *, besides: str = "") -> None:
    """Purge cached replies to texts that no chunk of another document has."""
    if contents:
        ports.replies.purge(set(contents) - ports.graph.contents_held(contents, besides))
