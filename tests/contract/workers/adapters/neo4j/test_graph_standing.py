"""What every graph tells of documents as they stand: the double and the real Neo4j."""

from __future__ import annotations

from doubles.documents import CURIE, PRIZE, WARSAW, made_document, write
from doubles.graph_steps import write_hidden

from workers.core import ids
from workers.core.graph.stored_document import standing_chunks
from workers.core.ports import Graph


def test_the_chunks_of_a_live_document_are_read_in_order_page_by_page(graph: Graph, collection: str):
    write(graph, collection, "a", [CURIE], [WARSAW], [PRIZE])
    _document, made = made_document(collection, "a", [CURIE], [WARSAW], [PRIZE])
    document_id = ids.document_id(collection, "a")
    first = graph.store.chunks_standing(document_id, limit=2)
    assert first == [chunk.chunk for chunk in made[:2]]
    assert graph.store.chunks_standing(document_id, after=first[-1].index, limit=2) == [made[2].chunk]
    write_hidden(graph, collection, "a", [PRIZE], [CURIE, WARSAW])
    assert list(standing_chunks(graph.store, document_id)) == [chunk.chunk for chunk in made]
    assert list(standing_chunks(graph.store, ids.document_id(collection, "none"))) == []


def test_a_chunk_knows_which_splitter_found_its_sentences(graph: Graph, collection: str):
    document, made = made_document(collection, "a", [CURIE])
    for splitter in (1, 2):
        chunk = made[0].chunk.model_copy(update={"splitter": splitter})
        newer = document.model_copy(update={"content_hash": f"{document.content_hash}{splitter}"})
        opened = graph.store.open_version(newer)
        graph.store.write_chunks(opened, [made[0].model_copy(update={"chunk": chunk})])
        graph.store.make_live(opened)
        assert list(standing_chunks(graph.store, document.id)) == [chunk]


def test_a_document_tells_of_which_bytes_its_live_version_was_made(graph: Graph, collection: str):
    write(graph, collection, "a", [CURIE])
    document_id = ids.document_id(collection, "a")
    graph.store.note_source(document_id, 2, "not live", "b")
    assert graph.store.document(document_id).source_hash == ""
    graph.store.note_source(document_id, 1, "abc", "a")
    document, chunks = made_document(collection, "a", [PRIZE])
    opened = graph.store.open_version(document)
    assert opened.source_hash == "abc"
    graph.store.write_chunks(opened, chunks)
    graph.store.make_live(opened)
    changed = graph.store.document(document_id)
    assert changed.source_hash == ""  # it is not known yet
    graph.store.note_source(document_id, 2, "def", "moved/a")
    graph.store.make_live(opened)  # as after a crash
    again = graph.store.document(document_id)
    assert (again.source_hash, again.uri) == ("def", "a")  # as it is written anew, at its place
    graph.store.note_source(document_id, 2, "def", "moved/a")
    assert graph.store.document(document_id).uri == "moved/a"


def test_a_document_tells_the_chunk_sizes_of_its_live_version(graph: Graph, collection: str):
    write(graph, collection, "a", [CURIE])
    document, chunks = made_document(collection, "a", [PRIZE])
    sizes = {"chunk_tokens": 300, "chunk_overlap": 30}
    opened = graph.store.open_version(document).model_copy(update=sizes)
    assert graph.store.document(document.id).chunk_tokens is None
    graph.store.write_chunks(opened, chunks)
    graph.store.make_live(opened)
    sized = graph.store.document(document.id)
    assert (sized.chunk_tokens, sized.chunk_overlap) == (300, 30)
    plain, chunks = made_document(collection, "a", [WARSAW])
    opened = graph.store.open_version(plain).model_copy(update=dict.fromkeys(sizes))
    graph.store.write_chunks(opened, chunks)
    graph.store.make_live(opened)
    again = graph.store.document(document.id)
    assert (again.chunk_tokens, again.chunk_overlap) == (None, None)
