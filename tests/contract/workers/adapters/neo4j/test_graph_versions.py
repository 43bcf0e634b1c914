"""Which version of a document is shown, whole and alone, and what is told of it: the double and Neo4j."""

import pytest
from doubles.documents import BOHR, CURIE, PRIZE, WARSAW, all_texts, made_document, write, write_made
from doubles.graph_steps import write_hidden

from workers.core import ids
from workers.core.errors import DocumentSuperseded
from workers.core.graph.stored_document import standing_chunks
from workers.core.metadata.changes import MetadataChange
from workers.core.ports import Graph, Removed


def test_a_late_worker_of_a_text_that_came_again_makes_nothing_live(graph, collection):
    document, chunks = made_document(collection, "a", [CURIE], [WARSAW])
    late = graph.store.open_version(document)
    graph.store.write_chunks(late, chunks)
    graph.store.open_version(made_document(collection, "a", [BOHR])[0])
    again = graph.store.open_version(document)
    assert (again.version, again.content_hash) == (late.version + 2, late.content_hash)
    graph.store.write_chunks(again, chunks[:1])
    with pytest.raises(DocumentSuperseded):
        graph.store.make_live(late, metadata=MetadataChange(values={"allow": ("*",)}))
    assert all_texts(graph, collection) == []
    graph.store.write_chunks(again, chunks[1:])
    graph.store.make_live(again, metadata=MetadataChange(values={"allow": ("user:ann",)}))
    stored = graph.store.document(document.id)
    assert (stored.chunks, stored.metadata) == (2, {"allow": ("user:ann",)})


def test_what_an_overtaken_version_says_is_not_shown_and_keeps_nothing(graph, collection):
    write(graph, collection, "a", [CURIE], [WARSAW])
    _overtaken, chunks = write_hidden(graph, collection, "a", [CURIE], [PRIZE])
    write(graph, collection, "a", [BOHR])
    texts = [text for kind, text in all_texts(graph, collection) if kind == "chunk"]
    assert texts == [f"A\n{BOHR[0]}"]
    assert graph.nodes.held(collection, [chunk.chunk.id for chunk in chunks]) == []


def test_what_an_overtaken_version_says_goes_when_the_live_text_comes_back(graph, collection):
    write(graph, collection, "a", [CURIE], [WARSAW])
    live = sorted(all_texts(graph, collection))
    document, _chunks = made_document(collection, "a", [CURIE], [WARSAW])
    overtaken, chunks = write_hidden(graph, collection, "a", [WARSAW], [BOHR])
    opened = graph.store.open_version(document)
    assert (opened.status, opened.source_hash, opened.version) == ("indexed", "", overtaken.version + 1)
    assert (document.id, collection) in graph.store.superseded(1000)
    removed = graph.store.remove_superseded(document.id)
    ids = [chunk.chunk.id for chunk in chunks]
    assert set(removed.chunks) <= set(ids)
    assert BOHR[0] not in {text for _id, _kind, text in graph.nodes.held(collection, [*ids, *removed.facts])}
    assert (document.id, collection) not in graph.store.superseded(1000)
    assert sorted(all_texts(graph, collection)) == live
    assert graph.store.remove_superseded(document.id) == Removed()
    assert graph.store.remove_superseded("d0") == Removed()


def test_what_an_overtaken_version_says_can_go_while_the_next_one_is_written(graph, collection):
    write(graph, collection, "a", [CURIE])
    write_hidden(graph, collection, "a", [CURIE], [BOHR])
    following, _chunks = write_hidden(graph, collection, "a", [CURIE], [PRIZE])
    assert (following.id, collection) in graph.store.superseded(1000)
    assert len(graph.store.remove_superseded(following.id).chunks) == 1
    graph.store.make_live(following)
    texts = [text for kind, text in all_texts(graph, collection) if kind == "chunk"]
    assert sorted(texts) == [f"A\n{CURIE[0]}", f"A\n{PRIZE[0]}"]


def test_a_worker_from_before_a_deletion_makes_nothing_of_the_document_made_anew_live(graph, collection):
    before = graph.store.open_version(made_document(collection, "a", [CURIE])[0])
    graph.store.delete_document(before.id)
    anew, _chunks = write_hidden(graph, collection, "a", [BOHR])
    assert anew.version == before.version
    with pytest.raises(DocumentSuperseded):
        graph.store.make_live(before)
    assert all_texts(graph, collection) == []


def test_another_document_of_the_same_text_stays_hidden(graph, collection):
    other, _chunks = write_hidden(graph, collection, "b", [CURIE])
    write(graph, collection, "a", [CURIE])
    assert [text for kind, text in all_texts(graph, collection) if kind == "chunk"] == [f"A\n{CURIE[0]}"]
    assert graph.store.document(other.id).status != "indexed"


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
        write_made(graph, newer, [made[0].model_copy(update={"chunk": chunk})])
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
    assert (again.source_hash, again.uri) == ("def", "a")  # as rewritten, at its place
    graph.store.note_source(document_id, 2, "def", "moved/a")
    assert graph.store.document(document_id).uri == "moved/a"


def test_a_document_tells_when_it_came_and_changed_and_the_size_and_type_of_its_source(
    graph: Graph, collection: str
):
    document, chunks = made_document(collection, "a", [CURIE])
    opened = graph.store.open_version(document)
    graph.store.write_chunks(opened, chunks)
    assert (opened.created is None, opened.updated, opened.size) == (False, None, None)
    graph.store.make_live(opened.model_copy(update={"size": 3, "media_type": "text/plain"}))
    live = graph.store.document(document.id)
    assert (live.created, live.size, live.media_type) == (opened.created, 3, "text/plain")
    assert live.updated >= live.created
    made_of = live.model_copy(update={"size": 4, "media_type": "text/markdown"})
    graph.store.note_source(document.id, 1, "abc", "a", made_of=made_of)
    noted = graph.store.document(document.id)
    assert (noted.updated, noted.size, noted.media_type) == (live.updated, 4, "text/markdown")
    graph.store.note_source(document.id, 1, "def", "a")
    assert graph.store.document(document.id).size == 4
    graph.store.change_metadata([document.id], MetadataChange(values={"author": "Ann"}))
    changed = graph.store.document(document.id)
    assert (changed.created, changed.updated > live.updated) == (live.created, True)


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
