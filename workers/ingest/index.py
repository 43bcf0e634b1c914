"""Step ingest.index: embeds a document's new version, then makes it live.

The order is vectors, live, old vectors. Readers take ids from the vector store and read them from the graph,
which shows live versions only: vectors that come early are found and dropped there, and vectors of removed
nodes are deleted once nobody can be on the way to them. A crash in between leaves this step due, and every
part of it may be repeated; only what `make_live` had removed before a crash keeps stray vectors, which
readers ignore and `hopline reindex` sweeps.
"""

from __future__ import annotations

from functools import reduce
from operator import or_

from workers.core.jobs.work import Event, Json, Outcome
from workers.core.model import Document
from workers.core.ports import Ports
from workers.ingest.pages import Embeddable, Typed, get_contents, get_embeddables, get_typed
from workers.ingest.vectors import forget_vectors, store_new_vectors


def index_document(given: Json, ports: Ports) -> Outcome:
    """Embed the version, make it live, and delete what only the older version held.

    Input: {document, embed: references, pages: references of its chunks, chunks: how many, error: what the
    version lacks, or null}; with a profile {typed: references}. Result: {uri, facts: how many distinct ones,
    vectors: how many were not there, removed}; with a profile {entities, relations, events}: how many
    distinct ones.

    Raises:
        DocumentSuperseded: a newer version of the document was opened.
        EmbedderMismatch: the collection was rebuilt with another embedder meanwhile.
    """
    document = Document.read_stored(given["document"])
    ports.graph.set_status(document.id, document.version, "linked")
    entries: dict[str, Embeddable] = {}
    for reference in given["embed"]:
        entries.update((entry[0], entry) for entry in get_embeddables(ports.blobs, reference))
    elements = [graph_id for graph_id, kind, _text in entries.values() if kind == "element"]
    for redirect in ports.graph.redirects(document.collection, elements):
        del entries[redirect]  # found by its target's vector
    ports.vectors.prepare(document.collection, ports.model.embedder)
    contents = get_contents(ports.blobs, given.get("pages", ()))
    stored = store_new_vectors(ports, document.collection, list(entries.values()), contents)
    facts = sum(kind == "fact" for _id, kind, _text in entries.values())
    counted = document.model_copy(update={"chunks": given["chunks"], "facts": facts})
    removed = forget_vectors(ports, document.collection, ports.graph.make_live(counted))
    if document.source_hash:
        ports.graph.note_source(document.id, document.version, document.source_hash, document.uri)
    if given["error"]:
        ports.graph.set_status(document.id, document.version, "partial", given["error"])
    counts = {"uri": document.uri, "facts": facts, "vectors": stored, "removed": removed}
    if "typed" in given:
        found = (get_typed(ports.blobs, reference) for reference in given["typed"])
        counts |= reduce(or_, found, Typed()).counts
    return Outcome(result=counts, events=(Event(name="document.indexed", data=counts),))
