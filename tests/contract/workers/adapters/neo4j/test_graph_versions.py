"""Of a document's versions that were written one is shown, whole and alone: the double and the real Neo4j."""

from __future__ import annotations

import pytest
from doubles.documents import BOHR, CURIE, PRIZE, WARSAW, all_texts, made_document, write
from doubles.graph_steps import write_hidden

from workers.core.errors import DocumentSuperseded
from workers.core.metadata.changes import MetadataChange
from workers.core.ports import Removed


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
    texts = [text for kind, text in all_texts(graph, collection) if kind == "chunk"]
    assert sorted(texts) == [f"A\n{CURIE[0]}", f"A\n{WARSAW[0]}"]
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
