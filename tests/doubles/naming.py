"""Made-up documents whose sentences state names, written as ingestion writes them."""

from collections.abc import Sequence

from doubles.documents import Sentence, made_document, write_made
from workers.core.ports import ChunkFacts, Graph, Removed
from workers.ingest import link


def with_names(collection: str, chunk: ChunkFacts) -> ChunkFacts:
    """Return a chunk with what its text and facts state of names."""
    return link.with_names(collection, chunk.chunk, chunk.facts)


def tell(
    graph: Graph, collection: str, uri: str, *paragraphs: Sequence[Sentence], title: str | None = None
) -> Removed:
    """Write a document with what it states of names, and make it live."""
    document, chunks = made_document(collection, uri, *paragraphs, title=title)
    return write_made(graph, document, [with_names(collection, chunk) for chunk in chunks])
