"""What every graph keeps of documents and their versions: the double and the real Neo4j."""

import unicodedata

import pytest
from doubles.documents import (
    BOHR,
    CURIE,
    PRIZE,
    WARSAW,
    all_texts,
    facts_at,
    made_document,
    made_element,
    read,
    write,
    write_made,
)
from doubles.graph_steps import write_hidden
from doubles.scoped import scoped_too

from workers.core import ids
from workers.core.errors import DocumentSuperseded
from workers.core.ports import ChunkFacts, Graph


@scoped_too
def test_a_document_is_seen_only_when_it_is_live(graph: Graph, collection: str):
    document, chunks = made_document(collection, "a", [CURIE], [WARSAW])
    opened = graph.store.open_version(document)
    graph.store.write_chunks(opened, chunks)
    element, fact = made_element(collection, "Warsaw").id, chunks[0].facts[0].id
    assert (opened.version, opened.status) == (1, "loaded")
    written = graph.store.document(document.id)
    assert (written.status, written.error) == ("extracted", None)
    assert read(graph, collection, "Warsaw") is None
    assert graph.nodes.elements(collection, [element]) == []
    assert graph.nodes.fact_sources(collection, [fact]) == []
    assert graph.nodes.chunks(collection, [chunks[0].chunk.id]) == []
    assert graph.nodes.elements_named(collection, ["Warsaw"]) == {"Warsaw": []}
    assert graph.nodes.elements_like(collection, "Warsaw", 5) == all_texts(graph, collection) == []
    assert {kind for _id, kind, _text in graph.nodes.held(collection, [element, fact, "f0"])} == {
        "fact",
        "element",
    }
    graph.store.make_live(opened)
    assert facts_at(graph, collection, "Warsaw") == [CURIE[0], WARSAW[0]]
    assert [fact.fact for fact in graph.nodes.fact_sources(collection, [fact])] == [CURIE[0]]
    stored = graph.store.document(document.id)
    assert (stored.status, stored.chunks, stored.facts) == ("indexed", 2, 2)


def test_a_version_is_opened_where_the_text_is_new_or_was_not_written_whole(graph: Graph, collection: str):
    document, _chunks = made_document(collection, "a", [CURIE])
    opened = graph.store.open_version(document)
    assert graph.store.open_version(document) == opened, "it is being written"
    graph.store.set_status(opened.id, opened.version, "failed", "no model")
    assert graph.store.open_version(document).version == 2
    write(graph, collection, "a", [CURIE])
    again = graph.store.open_version(document)
    assert (again.status, again.version) == ("indexed", 2)
    graph.store.set_status(document.id, 2, "partial", "one chunk failed")
    assert graph.store.open_version(document).version == 3


def test_documents_come_in_the_order_that_is_asked_for_page_by_page(graph: Graph, collection: str):
    write(graph, collection, "z/one.txt", [CURIE, PRIZE], title="Äpfel")
    write(graph, collection, "a/two.txt", [CURIE], [WARSAW], [BOHR], title="bridges")
    write(graph, collection, "m/three.txt", [BOHR], title="")
    graph.store.open_version(made_document(collection, "q/four.txt", [WARSAW], title="Bridges")[0])
    orders = {
        "title": ["bridges", "Bridges", "", "Äpfel"],  # without a title, by the address
        "uri": ["bridges", "", "Bridges", "Äpfel"],
        "facts": ["bridges", "Äpfel", "", "Bridges"],
        "chunks": ["bridges"],
        "status": [],
    }
    for order, first in orders.items():
        whole = graph.store.documents_found(collection, order=order, limit=9)
        titles = [hit.document.title for hit in whole]
        if order == "title":
            assert {*titles[:2]} == {*first[:2]}
            assert titles[2:] == first[2:]
        else:
            assert titles[: len(first)] == first
        paged = []
        while page := graph.store.documents_found(
            collection, order=order, after=paged[-1].place if paged else None, limit=1
        ):
            paged += page
        assert paged == whole
    assert graph.store.documents_found(f"{collection}-other", order="title") == []


def test_documents_are_found_by_words_of_title_or_address(graph: Graph, collection: str):
    write(graph, collection, "z/one.txt", [CURIE], title="Äpfel")
    write(graph, collection, "a/two.txt", [WARSAW], title="Bridges")
    write(graph, collection, "m/bridge.txt", [BOHR], title="Three")
    write(graph, collection, unicodedata.normalize("NFD", "m/ötzi.txt"), [BOHR], title="Four")
    counts = {"ötzi": 1, "bridge": 2, "bridge two": 1, "a/": 1, "%": 0, "äpfel": 1, "two äpfel": 0}
    for order in ("id", "title"):
        found = {
            text: len(graph.store.documents_found(collection, words=text.split(), order=order))
            for text in counts
        }
        assert found == counts


def test_every_step_may_be_repeated(graph: Graph, collection: str):
    document, chunks = made_document(collection, "a", [CURIE], [WARSAW])
    for _ in range(2):
        opened = graph.store.open_version(document)
        graph.store.write_chunks(opened, chunks)
        graph.store.write_chunks(opened, chunks)
    assert graph.store.make_live(opened) == graph.store.make_live(opened)
    assert facts_at(graph, collection, "Warsaw") == [CURIE[0], WARSAW[0]]
    assert graph.store.collections()[collection] == 1
    assert graph.store.has_documents(collection)
    assert not graph.store.has_documents(f"{collection}-none")


def test_a_changed_document_replaces_its_chunks_and_what_nothing_else_holds(graph: Graph, collection: str):
    write(graph, collection, "a", [CURIE], [WARSAW])
    write(graph, collection, "b", [WARSAW])
    opened, _chunks = write_hidden(graph, collection, "a", [PRIZE])
    assert facts_at(graph, collection, "Marie Curie") == [CURIE[0]]
    removed = graph.store.make_live(opened)
    assert len(removed.chunks) == 2
    assert removed.facts == (ids.fact_id(collection, CURIE[0]),)
    assert removed.elements == ()
    assert facts_at(graph, collection, "Marie Curie") == [PRIZE[0]]
    assert facts_at(graph, collection, "Warsaw") == [WARSAW[0]]


@scoped_too
def test_an_unchanged_chunk_keeps_its_old_place_until_the_new_version_is_live(graph: Graph, collection: str):
    write(graph, collection, "a", [CURIE], [WARSAW])
    opened, chunks = write_hidden(graph, collection, "a", [BOHR, PRIZE], [WARSAW])
    fact = ids.fact_id(collection, WARSAW[0])
    [before] = graph.nodes.fact_sources(collection, [fact])
    assert before.start == len(CURIE[0]) + 2
    assert graph.store.make_live(opened).facts == (ids.fact_id(collection, CURIE[0]),)
    [after] = graph.nodes.fact_sources(collection, [fact])
    assert after.chunk_id == before.chunk_id
    assert (after.start, after.quote) == (chunks[1].facts[0].start, WARSAW[0])
    [(chunk, _document)] = graph.nodes.chunks(collection, [after.chunk_id])
    assert chunk == chunks[1].chunk


@scoped_too
def test_a_chunk_is_read_with_its_places_in_the_file(graph: Graph, collection: str):
    document, [only] = made_document(collection, "a", [CURIE])
    placed = only.chunk.model_copy(update={"places": '{"line":3}'})
    write_made(graph, document, [ChunkFacts(chunk=placed, facts=only.facts)])
    [(chunk, _document)] = graph.nodes.chunks(collection, [placed.id])
    assert chunk == placed


def test_an_unchanged_chunk_loses_the_facts_no_longer_drawn_from_it(graph: Graph, collection: str):
    write(graph, collection, "a", [CURIE, WARSAW])
    document, chunks = made_document(collection, "a", [CURIE, WARSAW], [BOHR])
    fewer = [ChunkFacts(chunk=chunks[0].chunk, facts=chunks[0].facts[:1]), chunks[1]]
    removed = write_made(graph, document, fewer)
    assert removed.chunks == ()
    assert removed.facts == (ids.fact_id(collection, WARSAW[0]),)
    assert removed.elements == (made_element(collection, "Vistula").id,)
    assert facts_at(graph, collection, "Warsaw") == [CURIE[0]]


def test_a_writer_of_an_older_version_stops(graph: Graph, collection: str):
    document, chunks = made_document(collection, "a", [CURIE])
    older = graph.store.open_version(document)
    newer = graph.store.open_version(made_document(collection, "a", [WARSAW])[0])
    assert newer.version == older.version + 1
    with pytest.raises(DocumentSuperseded):
        graph.store.write_chunks(older, chunks)
    with pytest.raises(DocumentSuperseded):
        graph.store.make_live(older)
    graph.store.set_status(older.id, older.version, "failed")
    assert graph.store.document(document.id).status == "loaded"


def test_the_live_text_coming_back_stops_the_newer_version(graph: Graph, collection: str):
    write(graph, collection, "a", [CURIE])
    pending, chunks = write_hidden(graph, collection, "a", [WARSAW])
    assert graph.store.open_version(made_document(collection, "a", [CURIE])[0]).status == "indexed"
    with pytest.raises(DocumentSuperseded):
        graph.store.make_live(pending)
    assert facts_at(graph, collection, "Warsaw") == [CURIE[0]]
    write(graph, collection, "a", [BOHR])
    assert all_texts(graph, collection) == [
        ("chunk", f"A\n{BOHR[0]}"), ("element", "copenhagen"), ("element", "niels bohr"), ("fact", BOHR[0]),
    ]  # fmt: skip
    assert graph.nodes.held(collection, [chunks[0].chunk.id, chunks[0].facts[0].id]) == []


def test_a_live_document_is_only_marked_by_what_went_wrong(graph: Graph, collection: str):
    write(graph, collection, "a", [CURIE])
    document, chunks = made_document(collection, "a", [CURIE])
    graph.store.set_status(document.id, 1, "linked")
    assert graph.store.open_version(document).status == "indexed"
    graph.store.set_status(document.id, 1, "partial", "one chunk failed")
    stored = graph.store.document(document.id)
    assert (stored.status, stored.error) == ("partial", "one chunk failed")
    # The retry of what failed writes into the live version.
    more = made_document(collection, "a", [CURIE, WARSAW])[1]
    graph.store.write_chunks(stored, [ChunkFacts(chunk=chunks[0].chunk, facts=(chunks[0].facts[0],)), *more])
    graph.store.make_live(stored)
    assert facts_at(graph, collection, "Warsaw") == [CURIE[0], WARSAW[0]]


def test_deleting_keeps_what_another_document_holds(graph: Graph, collection: str):
    write(graph, collection, "a", [CURIE], [WARSAW])
    write(graph, collection, "b", [WARSAW])
    removed = graph.store.delete_document(ids.document_id(collection, "a"))
    assert len(removed.chunks) == 2
    assert removed.facts == (ids.fact_id(collection, CURIE[0]),)
    assert removed.elements == (made_element(collection, "Marie Curie").id,)
    assert facts_at(graph, collection, "Warsaw") == [WARSAW[0]]
    assert [document.uri for document in graph.store.documents(collection)] == ["b"]
    assert graph.store.delete_document(ids.document_id(collection, "a")).chunks == ()


def test_deleting_stops_a_writer_and_takes_the_hidden_chunks_too(graph: Graph, collection: str):
    opened, chunks = write_hidden(graph, collection, "a", [CURIE])
    assert graph.store.delete_document(opened.id).facts == (chunks[0].facts[0].id,)
    assert graph.store.document(opened.id) is None
    assert graph.nodes.held(collection, [chunks[0].chunk.id, chunks[0].facts[0].id]) == []
    with pytest.raises(DocumentSuperseded):
        graph.store.write_chunks(opened, chunks)
    anew = graph.store.open_version(made_document(collection, "a", [WARSAW])[0])
    assert anew.version == opened.version
    with pytest.raises(DocumentSuperseded):
        graph.store.write_chunks(opened, chunks)


def test_a_large_document_is_replaced_and_deleted_whole(graph: Graph, collection: str):
    def paragraphs(word: str):
        return [[(f"{word} {nth} is a number of {nth % 7}.", [word, str(nth % 7)])] for nth in range(230)]

    write(graph, collection, "a", *paragraphs("alpha"))
    removed = write(graph, collection, "a", *paragraphs("beta"))
    assert (len(removed.chunks), len(removed.facts), len(removed.elements)) == (230, 230, 1)
    removed = graph.store.delete_document(ids.document_id(collection, "a"))
    assert (len(removed.chunks), len(removed.facts), len(removed.elements)) == (230, 230, 8)
    assert graph.store.documents(collection) == []


def test_contents_tell_what_else_says_the_same(graph: Graph, collection: str):
    # no other test's
    alone, shared = ((f"{name} is of {collection}.", [name]) for name in ("Curie", "Warsaw"))
    document, chunks = write_hidden(graph, collection, "a", [alone], [shared])
    write_hidden(graph, f"{collection}-other", "b", [shared])  # as live ones
    both = {each.chunk.content_hash for each in chunks}
    others = {chunks[1].chunk.content_hash}
    assert graph.store.contents_of(document.id) == graph.store.contents_held(both) == both
    assert graph.store.contents_held(both, document.id) == others
    graph.store.delete_document(document.id)
    assert graph.store.contents_of(document.id) == set()
    assert graph.store.contents_held(both) == others
    assert graph.store.contents_held([]) == set()
