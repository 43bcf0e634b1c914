"""A document's title is an element of facts that do not name it, as long as a document of it says them."""

from doubles.documents import CURIE, WARSAW, all_texts, facts_at, made_document, read, write
from doubles.graph_around import links_of
from doubles.graph_steps import element_id, merge, write_hidden
from doubles.scoped import scoped_too

from workers.core import ids
from workers.core.ports import Graph

FOUNDED = ("It was founded in 1990.", ["1990"])
RIGHTS = ("All rights reserved.", ["rights"])
MANY = 70  # documents: more than the elements and the places that are looked at of one fact


def fact(collection: str, sentence: str) -> str:
    return ids.fact_id(collection, sentence)


def uris(graph: Graph, collection: str, *names: str) -> tuple[list[str], list[str]]:
    """Return where the facts of some elements are quoted from: by a visit of the last, by paths from all."""
    node = read(graph, collection, names[-1])
    paths = graph.paths.facts_of(collection, [element_id(collection, name) for name in names], limit=9)
    return [place.uri for place in node.facts] if node else [], [place.uri for place in paths]


def delete(graph: Graph, collection: str, uri: str):
    return graph.store.delete_document(ids.document_id(collection, uri))


@scoped_too
def test_what_two_documents_say_is_quoted_from_the_one_of_the_title(graph, collection):
    write(graph, collection, "a", [FOUNDED], title="Alpha")
    write(graph, collection, "b", [FOUNDED], title="Beta")
    assert uris(graph, collection, "Alpha") == (["a"], ["a"])
    assert uris(graph, collection, "Beta") == (["b"], ["b"])
    [near] = graph.paths.facts_of(
        collection, [element_id(collection, "Beta")], near=[fact(collection, FOUNDED[0])], limit=1
    )
    assert (near.uri, near.title, near.quote) == ("b", "Beta", FOUNDED[0])


@scoped_too
def test_a_fact_of_a_merged_title_is_quoted_from_its_document(graph, collection):
    write(graph, collection, "a", [FOUNDED], [CURIE], title="Alpha")
    write(graph, collection, "b", [FOUNDED], title="Beta")
    write(graph, collection, "c", [("Alpha Works is large.", ["Alpha Works"])])
    name = merge(graph, collection, "Alpha", "Alpha Works")
    node = read(graph, collection, "Alpha Works")
    assert {place.fact: place.uri for place in node.facts}[FOUNDED[0]] == "a"
    assert {
        place.uri for place in graph.paths.facts_of(collection, [element_id(collection, "Alpha")], limit=9)
    } == {"a", "c"}
    graph.merging.undo_merge(collection, name)
    assert uris(graph, collection, "Alpha")[0] == ["a", "a"]
    write(graph, collection, "a", [CURIE], title="Alpha")
    assert facts_at(graph, collection, "Alpha") == [CURIE[0]]


def test_a_deleted_document_takes_its_title_from_what_others_say_too(graph, collection):
    write(graph, collection, "a", [FOUNDED, WARSAW], title="Alpha")
    write(graph, collection, "b", [FOUNDED], title="Beta")
    removed = delete(graph, collection, "a")
    assert element_id(collection, "Alpha") in removed.elements
    assert read(graph, collection, "Alpha") is None
    assert graph.nodes.held(collection, [element_id(collection, "Alpha")]) == []
    assert uris(graph, collection, "Beta") == (["b"], ["b"])
    assert facts_at(graph, collection, "1990") == [FOUNDED[0]]
    assert element_id(collection, "Beta") in delete(graph, collection, "b").elements


def test_a_title_stays_as_long_as_one_document_of_it_says_the_fact(graph, collection):
    for uri in ("a", "a2"):
        write(graph, collection, uri, [FOUNDED], title="Alpha")
    write(graph, collection, "b", [FOUNDED], title="Beta")
    assert delete(graph, collection, "a").elements == ()
    assert uris(graph, collection, "Alpha") == (["a2"], ["a2"])
    assert delete(graph, collection, "a2").elements == (element_id(collection, "Alpha"),)


def test_a_title_that_a_document_names_plainly_is_an_element_like_others(graph, collection):
    write(graph, collection, "a", [FOUNDED], title="Alpha")
    write(graph, collection, "b", [(FOUNDED[0], ["Alpha", "1990"])], title="Beta")
    assert delete(graph, collection, "a").elements == ()
    assert uris(graph, collection, "Alpha") == (["b"], ["b"])
    write(graph, collection, "a", [FOUNDED], title="Alpha")
    delete(graph, collection, "a")
    assert facts_at(graph, collection, "Alpha") == [FOUNDED[0]]


def test_a_fact_that_a_document_or_a_chunk_no_longer_says_loses_its_title(graph, collection):
    write(graph, collection, "b", [FOUNDED], title="Beta")
    write(graph, collection, "a", [FOUNDED], [CURIE], title="Alpha")
    write(graph, collection, "a", [CURIE], title="Alpha")
    assert facts_at(graph, collection, "Alpha") == [CURIE[0]]
    write(graph, collection, "a", [FOUNDED, CURIE], title="Alpha")
    document, chunks = made_document(collection, "a", [FOUNDED, CURIE], [WARSAW], title="Alpha")
    opened = graph.store.open_version(document)
    fewer = chunks[0].model_copy(update={"facts": chunks[0].facts[1:]})
    graph.store.write_chunks(opened, [fewer, chunks[1]])
    graph.store.make_live(opened)
    assert facts_at(graph, collection, "Alpha") == [CURIE[0], WARSAW[0]]
    assert uris(graph, collection, "Beta") == (["b"], ["b"])


def test_a_document_of_another_title_takes_the_old_one_from_what_stays(graph, collection):
    write(graph, collection, "a", [FOUNDED], title="Alpha")
    write(graph, collection, "b", [FOUNDED], title="Beta")
    write_hidden(graph, collection, "a", [FOUNDED], [CURIE], title="Never shown")
    opened, _chunks = write_hidden(graph, collection, "a", [FOUNDED], [WARSAW], title="Gamma")
    assert uris(graph, collection, "Alpha") == (["a"], ["a"])
    removed = graph.store.make_live(opened)
    assert graph.nodes.held(collection, [element_id(collection, "Never shown")]) == []
    assert element_id(collection, "Alpha") in removed.elements
    assert read(graph, collection, "Alpha") is None
    assert facts_at(graph, collection, "Gamma") == [FOUNDED[0], WARSAW[0]]
    assert set(uris(graph, collection, "Gamma")[0]) == {"a"}
    assert graph.store.make_live(opened).elements == ()
    assert element_id(collection, "Gamma") in delete(graph, collection, "a").elements
    assert uris(graph, collection, "Beta") == (["b"], ["b"])


def test_a_title_of_a_version_being_written_stays_when_another_document_of_it_goes(graph, collection):
    write(graph, collection, "a", [FOUNDED], title="Alpha")
    write(graph, collection, "b", [FOUNDED], title="Gamma")
    opened, _chunks = write_hidden(graph, collection, "a", [FOUNDED], [WARSAW], title="Gamma")
    assert delete(graph, collection, "b").elements == ()
    graph.store.make_live(opened)
    assert facts_at(graph, collection, "Gamma") == [FOUNDED[0], WARSAW[0]]
    assert uris(graph, collection, "Gamma")[0] == ["a", "a"]


def test_a_version_opened_again_under_another_title_is_shown_whole(graph, collection):
    write_hidden(graph, collection, "a", [FOUNDED], [CURIE], title="Alpha")
    opened, _chunks = write_hidden(graph, collection, "a", [FOUNDED], [CURIE], title="Gamma")
    assert graph.store.make_live(opened).elements == (element_id(collection, "Alpha"),)
    assert facts_at(graph, collection, "Gamma") == sorted([FOUNDED[0], CURIE[0]])
    stored = graph.store.document(opened.id)
    assert (stored.title, stored.chunks) == ("Gamma", 2)
    texts = {text for kind, text in all_texts(graph, collection) if kind == "chunk"}
    assert texts == {f"Gamma\n{FOUNDED[0]}", f"Gamma\n{CURIE[0]}"}


def test_a_retitled_chunk_is_found_by_its_new_title_only_when_it_is_live(graph, collection):
    write(graph, collection, "a", [FOUNDED], title="Alpha")
    opened, _chunks = write_hidden(graph, collection, "a", [FOUNDED], [WARSAW], title="Gamma")
    old, new = graph.around.chunks_like(collection, ["alpha", "gamma"], 9)
    assert (len(old), new) == (1, [])
    graph.store.make_live(opened)
    old, new = graph.around.chunks_like(collection, ["alpha", "gamma"], 9)
    assert (old, len(new)) == ([], 2)


@scoped_too
def test_a_fact_of_many_documents_is_read_in_part(graph, collection):
    for nth in range(MANY):
        write(graph, collection, f"u{nth}", [RIGHTS], title=f"Title {nth}")
    element_ids = [element_id(collection, name) for name in ("Title 0", f"Title {MANY - 1}", "rights")]
    [link] = links_of(graph.around.facts_around(collection, element_ids, 100))
    assert {name for name, _degree in link.elements} >= set(element_ids)
    assert len(link.elements) <= 50 + len(element_ids)
    node = read(graph, collection, "Title 3", max_neighbours=MANY)
    assert [place.uri for place in node.facts] == ["u3"]
    assert 0 < len(node.neighbours) <= 50
    assert 0 < len(graph.paths.neighbours_of(collection, element_ids[:1], limit=MANY)) <= 50
    [passage] = graph.around.chunks_said(collection, [node.facts[0].chunk_id], 9)
    assert 0 < len(passage.facts[0].elements) <= 50
    [rights] = graph.around.elements_found(collection, [element_ids[2]])
    assert (rights.degree, rights.chunks) == (1, MANY)
    for nth in range(2):
        assert delete(graph, collection, f"u{nth}").elements == (element_id(collection, f"Title {nth}"),)
