"""Merging key elements and undoing it: the double and the real Neo4j."""

from doubles.documents import CURIE, PRIZE, WARSAW, all_texts, facts_at, made_document, read, write
from doubles.graph_steps import element_id, proposal, undo
from doubles.scoped import scoped_too

from workers.core import ids
from workers.core.graph.merges import Pattern
from workers.core.ports import Graph

SHORT = ("Curie studied physics.", ["Curie", "physics"])
BOTH = ("Marie Curie was called Madame Curie.", ["Marie Curie", "Madame Curie"])
AGAIN = ("Curie founded an institute.", ["CURIE", "institute"])


def merge(graph: Graph, collection: str, source: str, target: str) -> bool:
    return graph.merging.merge_elements(collection, proposal(collection, source, target), "j1")


def seen(graph: Graph, collection: str) -> tuple[object, ...]:
    """All that readers see: texts, and every element with its facts, aliases and neighbours."""
    page, _next = graph.merging.element_page(collection, after="", before="l", limit=1000)
    nodes = [
        graph.nodes.read_node(collection, element.id, max_facts=99, max_neighbours=99) for element in page
    ]
    return (page, nodes, all_texts(graph, collection))


@scoped_too
def test_the_names_of_a_chunk_are_those_that_lead_to_one_another(graph: Graph, collection: str):
    write(graph, collection, "a", [CURIE], [SHORT, WARSAW])
    _document, chunks = made_document(collection, "a", [CURIE], [SHORT, WARSAW])
    named = [chunk.chunk.id for chunk in chunks]
    assert graph.merging.names_in(collection, named) == {}
    assert merge(graph, collection, "Curie", "Marie Curie")
    groups_by_chunk = graph.merging.names_in(collection, [*named, "none"])
    names = {"marie curie", "curie", "Marie Curie", "Curie"}
    assert {name: [set(group) for group in groups] for name, groups in groups_by_chunk.items()} == {
        name: [names] for name in named
    }
    assert graph.merging.names_in(f"{collection}-other", named) == {}
    undo(graph, collection, "Curie", "Marie Curie")
    assert graph.merging.names_in(collection, named) == {}


@scoped_too
def test_a_merged_element_leads_to_its_target(graph: Graph, collection: str):
    write(graph, collection, "a", [CURIE, SHORT])
    assert merge(graph, collection, "Curie", "Marie Curie")
    target = element_id(collection, "Marie Curie")
    node = read(graph, collection, "Curie")
    assert (node.id, node.name) == (target, "marie curie")
    assert facts_at(graph, collection, "Marie Curie") == sorted([CURIE[0], SHORT[0]])
    assert {neighbour.name for neighbour in node.neighbours} == {"warsaw", "physics"}
    assert all(neighbour.relationship == "SHARES_FACT" for neighbour in node.neighbours)
    [key_element] = graph.nodes.elements(collection, [element_id(collection, "Curie"), target])
    assert (key_element.id, key_element.aliases) == (target, ("Curie", "Marie Curie"))
    named = graph.nodes.elements_named(collection, ["Curie", "curie", "Marie Curie"])
    assert [[element.id for element in elements] for elements in named.values()] == [[target]] * 3
    assert [hit.id for hit in graph.nodes.elements_like(collection, "Curie", 5)] == [target]
    assert graph.merging.redirects(collection, [element_id(collection, "Curie"), target]) == {
        element_id(collection, "Curie"): target
    }
    assert ("element", "curie") not in all_texts(graph, collection)
    assert graph.nodes.held(collection, [element_id(collection, "Curie")]) == []


def test_merging_twice_is_merging_once(graph: Graph, collection: str):
    write(graph, collection, "a", [CURIE, SHORT])
    assert merge(graph, collection, "Curie", "Marie Curie")
    once = seen(graph, collection)
    assert merge(graph, collection, "Curie", "Marie Curie")
    assert seen(graph, collection) == once
    [record] = graph.merging.merges(collection)
    assert (record.source_name, record.target_name, record.rule) == ("curie", "marie curie", "surname")
    assert (record.evidence, record.job, record.undone) == ("1 of 1 documents", "j1", None)
    assert record in graph.merging.merges(None, limit=10_000)
    assert (graph.merging.merge(record.id), graph.merging.merge("m0"), record.collection) == (
        record,
        None,
        collection,
    )
    assert graph.merging.merges(collection, after=record.id) == []


def test_undoing_brings_everything_back(graph: Graph, collection: str):
    write(graph, collection, "a", [CURIE, SHORT, BOTH])
    before = seen(graph, collection)
    merge(graph, collection, "Madame Curie", "Marie Curie")
    assert facts_at(graph, collection, "Marie Curie") == sorted([BOTH[0], CURIE[0]])  # it named both
    undo(graph, collection, "Madame Curie", "Marie Curie")
    assert seen(graph, collection) == before
    merge(graph, collection, "Curie", "Marie Curie")
    undone = undo(graph, collection, "Curie", "Marie Curie")
    assert [element.name for element in undone.restored] == ["curie"]
    assert undone.removed == ()
    assert undone.merge.undone
    assert seen(graph, collection) == before
    assert undo(graph, collection, "Curie", "Marie Curie") == undone
    assert graph.merging.undo_merge(collection, "m0") is None
    assert graph.merging.undo_merge("another", undone.merge.id) is None


def test_writers_follow_a_redirect_and_undoing_sorts_out_what_they_wrote(graph: Graph, collection: str):
    write(graph, collection, "a", [CURIE, SHORT])
    merge(graph, collection, "Curie", "Marie Curie")
    write(graph, collection, "b", [AGAIN, PRIZE, BOTH])
    assert facts_at(graph, collection, "Marie Curie") == sorted(
        [CURIE[0], SHORT[0], AGAIN[0], PRIZE[0], BOTH[0]]
    )
    [key_element] = graph.nodes.elements(collection, [element_id(collection, "Marie Curie")])
    assert key_element.aliases == ("CURIE", "Curie", "Marie Curie")
    undo(graph, collection, "Curie", "Marie Curie")
    merged = seen(graph, collection)
    other = f"{collection}-2"
    write(graph, other, "a", [CURIE, SHORT])
    write(graph, other, "b", [AGAIN, PRIZE, BOTH])
    assert facts_at(graph, collection, "Curie") == facts_at(graph, other, "Curie")
    assert facts_at(graph, collection, "Marie Curie") == facts_at(graph, other, "Marie Curie")
    assert sorted(element.aliases for element in merged[0]) == sorted(
        element.aliases for element in graph.merging.element_page(other, after="", before="l", limit=99)[0]
    )


def test_an_undone_merge_is_not_made_again_nor_over_a_third(graph: Graph, collection: str):
    write(graph, collection, "a", [CURIE, SHORT, BOTH])
    merge(graph, collection, "Curie", "Marie Curie")
    undo(graph, collection, "Curie", "Marie Curie")
    before = seen(graph, collection)
    assert not merge(graph, collection, "Curie", "Marie Curie")
    assert not merge(graph, collection, "Marie Curie", "Curie")
    assert seen(graph, collection) == before
    assert merge(graph, collection, "Madame Curie", "Marie Curie")
    assert not merge(graph, collection, "Curie", "Madame Curie")
    assert not merge(graph, collection, "Marie Curie", "Curie")


def test_chains_are_flat_and_come_apart_in_any_order(graph: Graph, collection: str):
    write(graph, collection, "a", [CURIE, SHORT, BOTH])
    before = seen(graph, collection)
    merge(graph, collection, "Curie", "Madame Curie")
    halfway = seen(graph, collection)
    merge(graph, collection, "Madame Curie", "Marie Curie")
    target = element_id(collection, "Marie Curie")
    shorter = [element_id(collection, name) for name in ("Curie", "Madame Curie")]
    assert graph.merging.redirects(collection, shorter) == dict.fromkeys(shorter, target)
    write(graph, collection, "b", [AGAIN])
    graph.store.delete_document(ids.document_id(collection, "b"))
    undo(graph, collection, "Madame Curie", "Marie Curie")
    assert graph.merging.redirects(collection, shorter) == {shorter[0]: shorter[1]}
    assert _without_aliases(seen(graph, collection)) == _without_aliases(halfway)
    undo(graph, collection, "Curie", "Madame Curie")
    assert _without_aliases(seen(graph, collection)) == _without_aliases(before)


def test_a_chain_is_no_circle_and_its_inner_merge_may_be_undone_first(graph: Graph, collection: str):
    write(graph, collection, "a", [CURIE, SHORT, BOTH])
    before = seen(graph, collection)
    assert not merge(graph, collection, "Pierre Curie", "Marie Curie")
    assert not merge(graph, collection, "Marie Curie", "Pierre Curie")
    assert graph.merging.merges(collection) == []
    merge(graph, collection, "Curie", "Madame Curie")
    merge(graph, collection, "Madame Curie", "Marie Curie")
    chained = seen(graph, collection)
    for name in ("Curie", "Madame Curie"):
        assert not merge(graph, collection, "Marie Curie", name)
    assert not merge(graph, collection, "Curie", "Curie")
    assert seen(graph, collection) == chained
    undo(graph, collection, "Curie", "Madame Curie")
    assert facts_at(graph, collection, "Curie") == [SHORT[0]]
    assert facts_at(graph, collection, "Madame Curie") == sorted([CURIE[0], BOTH[0]])
    undo(graph, collection, "Madame Curie", "Marie Curie")
    assert seen(graph, collection) == before


def test_merging_into_a_redirect_merges_into_what_it_leads_to(graph: Graph, collection: str):
    write(graph, collection, "a", [CURIE, SHORT, BOTH])
    merge(graph, collection, "Madame Curie", "Marie Curie")
    before = seen(graph, collection)
    assert merge(graph, collection, "Curie", "Madame Curie")
    target = element_id(collection, "Marie Curie")
    assert graph.merging.redirects(collection, [element_id(collection, "Curie")]) == {
        element_id(collection, "Curie"): target
    }
    undo(graph, collection, "Curie", "Madame Curie")
    assert seen(graph, collection) == before


def test_a_merge_stays_within_its_collection(graph: Graph, collection: str):
    other = f"{collection}-2"
    write(graph, collection, "a", [CURIE, SHORT])
    write(graph, other, "a", [CURIE, SHORT])
    before = seen(graph, other)
    assert not graph.merging.merge_elements(other, proposal(collection, "Curie", "Marie Curie"), "j1")
    merge(graph, collection, "Curie", "Marie Curie")
    assert seen(graph, other) == before
    assert graph.merging.merges(other) == []
    assert graph.merging.redirects(other, [element_id(collection, "Curie")]) == {}


def test_a_redirect_goes_with_the_element_it_leads_to(graph: Graph, collection: str):
    write(graph, collection, "a", [CURIE, SHORT])
    write(graph, collection, "b", [WARSAW])
    merge(graph, collection, "Curie", "Marie Curie")
    removed = graph.store.delete_document(ids.document_id(collection, "a"))
    gone = {element_id(collection, name) for name in ("Curie", "Marie Curie", "physics")}
    assert set(removed.elements) == gone
    assert graph.merging.redirects(collection, list(gone)) == {}
    assert graph.merging.merges(collection) == []
    write(graph, collection, "a", [CURIE, SHORT])
    assert facts_at(graph, collection, "Curie") == [SHORT[0]]


def test_a_target_lives_on_what_came_through_its_redirects(graph: Graph, collection: str):
    write(graph, collection, "a", [CURIE])
    write(graph, collection, "b", [SHORT])
    merge(graph, collection, "Curie", "Marie Curie")
    removed = graph.store.delete_document(ids.document_id(collection, "a"))
    assert element_id(collection, "Marie Curie") not in removed.elements
    assert facts_at(graph, collection, "Marie Curie") == [SHORT[0]]
    undone = undo(graph, collection, "Curie", "Marie Curie")
    assert undone.removed == (element_id(collection, "Marie Curie"),)
    assert [element.name for element in undone.restored] == ["curie"]
    assert read(graph, collection, "Marie Curie") is None
    assert facts_at(graph, collection, "Curie") == [SHORT[0]]


def test_undoing_takes_away_a_redirect_whose_facts_are_gone(graph: Graph, collection: str):
    write(graph, collection, "a", [CURIE])
    write(graph, collection, "b", [SHORT])
    merge(graph, collection, "Curie", "Marie Curie")
    graph.store.delete_document(ids.document_id(collection, "b"))
    undone = undo(graph, collection, "Curie", "Marie Curie")
    assert (undone.restored, undone.removed) == ((), (element_id(collection, "Curie"),))
    assert facts_at(graph, collection, "Marie Curie") == [CURIE[0]]


def test_a_document_that_is_being_written_follows_a_merge_made_meanwhile(graph: Graph, collection: str):
    write(graph, collection, "a", [CURIE, SHORT])
    document, chunks = made_document(collection, "b", [AGAIN], [PRIZE])
    opened = graph.store.open_version(document)
    graph.store.write_chunks(opened, chunks[:1])
    merge(graph, collection, "Curie", "Marie Curie")
    graph.store.write_chunks(opened, chunks)
    assert facts_at(graph, collection, "Marie Curie") == sorted([CURIE[0], SHORT[0]])
    graph.store.make_live(opened)
    assert facts_at(graph, collection, "Marie Curie") == sorted([CURIE[0], SHORT[0], AGAIN[0], PRIZE[0]])


def test_elements_come_in_pages_with_their_degrees(graph: Graph, collection: str):
    write(graph, collection, "a", [CURIE, SHORT, WARSAW])
    whole, end = graph.merging.element_page(collection, after="", before="l", limit=100)
    assert end == ""
    assert {element.name: element.facts for element in whole} == {
        "marie curie": 1, "curie": 1, "warsaw": 2, "vistula": 1, "physics": 1,
    }  # fmt: skip
    first, following = graph.merging.element_page(collection, after="", before="l", limit=2)
    rest, _end = graph.merging.element_page(collection, after=following, before="l", limit=100)
    assert [*first, *rest] == whole
    middle = whole[2].id
    assert graph.merging.element_page(collection, after="", before=middle, limit=100)[0] == whole[:2]


def test_elements_are_found_by_the_shape_of_their_names(graph: Graph, collection: str):
    write(graph, collection, "a", [CURIE, SHORT, BOTH])
    wanted = {
        ("phrase", "curie"): {"curie", "madame curie", "marie curie"},
        ("phrase", "marie curie"): {"marie curie"},
        ("phrase", "curie marie"): set(),
        ("ends", "m curie"): {"madame curie", "marie curie"},
        ("ends", "mar curie"): {"marie curie"},
        ("resembling", "madame curye"): {"madame curie"},
        ("resembling", "ma rie curie"): {"marie curie"},
        ("phrase", '"'): set(),
    }
    patterns = [Pattern(mode=mode, name=name) for mode, name in wanted]
    matching = graph.merging.elements_matching(collection, patterns, 10)
    assert [{element.name for element in some} for some in matching] == list(wanted.values())


def test_what_two_elements_share_is_counted(graph: Graph, collection: str):
    write(graph, collection, "a", [CURIE, SHORT], [BOTH])
    write(graph, collection, "b", [PRIZE])
    pairs = [
        ("Curie", "Marie Curie"), ("Madame Curie", "Marie Curie"), ("Marie Curie", "Curie"), ("x", "Curie"),
    ]  # fmt: skip
    shares = graph.merging.shared(
        collection, [(element_id(collection, name), element_id(collection, other)) for name, other in pairs]
    )
    counts = [(share.facts, share.chunks, share.documents, share.source_documents) for share in shares]
    assert counts == [(0, 1, 1, 1), (1, 1, 1, 1), (0, 1, 1, 2), (0, 0, 0, 0)]
    assert all(share.whole for share in shares)


def _without_aliases(view: tuple[object, ...]) -> tuple[object, ...]:
    page, nodes, texts = view
    return (
        [element.model_copy(update={"aliases": ()}) for element in page],
        [
            node.model_copy(
                update={
                    "spelled": "",
                    "neighbours": [near.model_copy(update={"spelled": ""}) for near in node.neighbours],
                }
            )
            for node in nodes
        ],
        texts,
    )
