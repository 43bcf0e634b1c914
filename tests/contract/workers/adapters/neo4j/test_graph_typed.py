"""What facts state is labels, relations and events as long as a live document states it: double and Neo4j."""

from collections.abc import Callable, Iterator

import neo4j as driver
import pytest
from doubles.documents import CURIE, made_element, read, write
from doubles.graph import MemoryGraph
from doubles.graph_steps import merge
from doubles.graph_typed import View
from doubles.typed import BOTH, FIGHT, GUILD, OATH, STATED, VENN, Stated, typed_document, view_of, write_typed

from hopline.errors import InvalidInput
from workers.core import ids
from workers.core.errors import DocumentSuperseded
from workers.core.ports import Graph

View_of = Callable[[], View]


@pytest.fixture
def view(graph: Graph, collection: str, request: pytest.FixtureRequest) -> Iterator[View_of]:
    if isinstance(graph, MemoryGraph):
        yield lambda: view_of(graph, collection)
        return
    server = request.getfixturevalue("neo4j")
    with driver.GraphDatabase.driver(server.url, auth=(server.user, server.password)) as raw:
        yield lambda: view_of(graph, collection, raw)


@pytest.fixture
def element(collection: str) -> Callable[[str], str]:
    return lambda name: made_element(collection, name).id


def types(view: View) -> set[str]:
    return {kind for _source, kind, _target, _where in view.relations}


def names(view: View) -> set[str]:
    return {event.name for event in view.events.values()}


EMPTY = View({}, frozenset(), {})


def test_what_facts_state_is_seen_only_when_the_document_is_live(graph, collection, view, element):
    document, chunks = typed_document(collection, "a", [OATH], [FIGHT, GUILD])
    opened = graph.store.open_version(document)
    graph.store.write_chunks(opened, chunks)
    assert view() == EMPTY
    graph.store.make_live(opened)
    seen = view()
    assert seen.labels == {
        element("Mara"): {"Character", "Sailor"}, element("Corvin"): {"Character"},
        element("wheel"): {"Item"}, element("Lamplighters"): {"Organization"},
    }  # fmt: skip
    relations = {(source, kind, target): where for source, kind, target, where in seen.relations}
    assert set(relations) == {
        (element("Mara"), "FRIEND_OF", element("Corvin")),
        (element("Mara"), "ENEMY_OF", element("Corvin")),
        (element("Corvin"), "ENEMY_OF", element("Mara")),
        (element("Mara"), "MEMBER_OF", element("Lamplighters")),
    }
    where = relations[element("Mara"), "FRIEND_OF", element("Corvin")]
    assert where == (ids.fact_id(collection, OATH[0]), chunks[0].chunk.id, document.id, 1, 1, OATH[0], 0)
    fight = next(event for event in seen.events.values() if event.name == "The fight")
    assert (fight.kind, fight.summary, fight.where.chapter, fight.where.order) == ("conflict", FIGHT[0], 2, 2)
    assert fight.experienced == {
        (element("Mara"), "challenger", "wins"),
        (element("Corvin"), "captain", "loses"),
    }
    graph.store.make_live(opened)
    assert view() == seen


def test_a_fact_without_a_place_in_the_text_is_its_own_evidence(graph, collection, view):
    document, chunks = typed_document(collection, "a", [GUILD])
    lost = [fact.model_copy(update={"match": 0.2, "grounded": False}) for fact in chunks[0].facts]
    opened = graph.store.open_version(document)
    sentence = "Mara is of the Lamplighters."
    lost = [
        fact.model_copy(update={"text": sentence, "id": ids.fact_id(collection, sentence)}) for fact in lost
    ]
    graph.store.write_chunks(opened, [chunks[0].model_copy(update={"facts": tuple(lost)})])
    graph.store.make_live(opened)
    [(_source, _type, _target, where)] = view().relations
    assert where.evidence == sentence


def test_a_changed_document_states_only_what_its_new_text_says(graph, collection, view, element):
    write_typed(graph, collection, "a", [OATH], [GUILD])
    document, chunks = typed_document(collection, "a", [FIGHT], [OATH], chapter=7)
    opened = graph.store.open_version(document)
    graph.store.write_chunks(opened, chunks)
    assert types(view()) == {"FRIEND_OF", "MEMBER_OF"}
    assert {where.chapter for *_ends, where in view().relations} == {1, 2}
    graph.store.make_live(opened)
    assert types(view()) == {"FRIEND_OF", "ENEMY_OF"}
    assert view().labels[element("Mara")] == {"Character"}
    assert element("Lamplighters") not in view().labels
    assert {where.chapter for _s, kind, _t, where in view().relations if kind == "FRIEND_OF"} == {8}
    assert names(view()) == {"The oath", "The fight"}
    chunk = chunks[1].chunk
    assert graph.nodes.chunks(collection, [chunk.id])[0][0] == chunk  # its chapter and order too


def test_a_chunk_that_stays_may_state_something_else_once_that_is_live(graph, collection, view):
    write_typed(graph, collection, "a", [OATH, GUILD])
    seen = view()
    stated = Stated(types={"Mara": ("Warden",)}, relations=(("Corvin", "SWORE_IN", "Mara"),))
    other = STATED | {OATH[0]: stated}
    document, chunks = typed_document(collection, "a", [OATH, GUILD], [FIGHT], stated=other)
    for lives in (False, True):
        opened = graph.store.open_version(document)
        graph.store.write_chunks(opened, chunks)
        if lives:
            graph.store.make_live(opened)
            continue
        graph.store.set_status(opened.id, opened.version, "failed", "no model")
        back = graph.store.open_version(typed_document(collection, "a", [OATH, GUILD])[0])
        assert back.status == "indexed"
        with pytest.raises(DocumentSuperseded):
            graph.store.make_live(opened)
        assert view() == seen
    assert types(view()) == {"SWORE_IN", "MEMBER_OF", "ENEMY_OF"}
    assert names(view()) == {"The fight"}


def test_the_same_document_without_a_profile_states_nothing(graph, collection, view):
    write_typed(graph, collection, "a", [OATH], [FIGHT])
    write(graph, collection, "a", [OATH], [FIGHT], [GUILD])
    assert view() == EMPTY
    assert read(graph, collection, "Mara").labels == ("KeyElement",)


def test_a_deleted_document_takes_back_what_no_other_states(graph, collection, view, element):
    write_typed(graph, collection, "a", [OATH, GUILD])
    write_typed(graph, collection, "b", [OATH])
    write(graph, collection, "c", [GUILD])
    assert len(view().relations) == 3
    graph.store.delete_document(ids.document_id(collection, "a"))
    seen = view()
    assert [(kind, where.document) for _s, kind, _t, where in seen.relations] == [
        ("FRIEND_OF", ids.document_id(collection, "b"))
    ]
    assert seen.labels == {element("Mara"): {"Character"}, element("Corvin"): {"Character"}}
    assert len(seen.events) == 1
    graph.store.delete_document(ids.document_id(collection, "b"))
    assert view() == EMPTY


def test_relations_follow_a_merge_and_come_apart_again(graph, collection, view, element):
    write_typed(graph, collection, "a", [OATH, GUILD], [VENN])
    before = view()
    name = merge(graph, collection, "Mara Venn", "Mara")
    seen = view()
    assert element("Mara Venn") not in seen.labels
    assert seen.labels[element("Mara")] == {"Character", "Sailor", "Warden"}
    assert {(source, kind) for source, kind, *_ in seen.relations} == {
        (element("Mara"), "FRIEND_OF"),
        (element("Mara"), "MEMBER_OF"),
    }
    assert all(element("Mara") in {who for who, *_ in event.experienced} for event in seen.events.values())
    write_typed(graph, collection, "b", [VENN, FIGHT])
    assert {source for source, *_ in view().relations} == {element("Mara"), element("Corvin")}
    graph.store.delete_document(ids.document_id(collection, "b"))
    assert view() == seen
    graph.merging.undo_merge(collection, name)
    assert view() == before


def test_what_holds_between_two_names_of_one_thing_is_no_relation(graph, collection, view, element):
    write_typed(graph, collection, "a", [BOTH, OATH, VENN])
    before = view()
    name = merge(graph, collection, "Mara", "Mara Venn")
    assert types(view()) == {"FRIEND_OF"}
    named = next(event for event in view().events.values() if event.name == "The name")
    assert named.experienced == {(element("Mara Venn"), "named", "")}  # the first of the two
    graph.merging.undo_merge(collection, name)
    assert view() == before


def test_merges_of_merges_come_apart_in_any_order(graph, collection, view):
    write_typed(graph, collection, "a", [BOTH, OATH], [VENN, GUILD, FIGHT])
    before = view()
    first = merge(graph, collection, "Mara", "Mara Venn")
    second = merge(graph, collection, "Mara Venn", "Corvin")
    assert types(view()) == {"MEMBER_OF"}
    graph.merging.undo_merge(collection, first)
    assert types(view()) == {"FRIEND_OF", "ENEMY_OF", "MEMBER_OF", "SAME_AS"}
    graph.merging.undo_merge(collection, second)
    assert view() == before


def test_a_visit_knows_types_and_relations(graph, collection, element):
    write_typed(graph, collection, "a", [OATH, GUILD], [FIGHT])
    write(graph, collection, "b", [CURIE])
    node = read(graph, collection, "Mara")
    assert node.labels == ("Character", "KeyElement", "Sailor")
    near = {neighbour.name: neighbour for neighbour in node.neighbours}
    assert {name: neighbour.relationship for name, neighbour in near.items()} == {
        "corvin": "ENEMY_OF, FRIEND_OF", "lamplighters": "MEMBER_OF", "oath": "SHARES_FACT",
        "wheel": "SHARES_FACT",
    }  # fmt: skip
    assert len(node.neighbours) == len(near)
    assert (near["corvin"].shared, near["corvin"].degree) == (2, 2)
    assert near["corvin"].context in {OATH[0], FIGHT[0]}
    census = graph.census(collection)
    kinds = {kind: count for kind, count in census.relationships.items() if not kind.startswith("HAS_")}
    assert kinds == {"NEXT": 1, "ENEMY_OF": 2, "FRIEND_OF": 1, "MEMBER_OF": 1, "EXPERIENCES": 4}
    assert census.labels == {"Character": 2, "Item": 1, "Organization": 1, "Sailor": 1}
    assert {
        neighbour.name for neighbour in graph.paths.neighbours_of(collection, [element("Mara")], limit=9)
    } == set(near)


@pytest.mark.parametrize(("stated", "field"), [
    (Stated(types={"Mara": ("KeyElement",)}), "type"),
    (Stated(types={"Mara": ("Two words",)}), "type"),
    (Stated(relations=(("Mara", "HAS_CHUNK", "Corvin"),)), "relation"),
    (Stated(relations=(("Mara", "A`]->() DETACH DELETE n//", "Corvin"),)), "relation"),
])  # fmt: skip
def test_hoplines_own_words_and_what_is_no_word_are_refused(graph, collection, view, stated, field):
    document, chunks = typed_document(collection, "a", [OATH], stated={OATH[0]: stated})
    with pytest.raises(InvalidInput, match=f"^{field} is "):
        graph.store.write_chunks(graph.store.open_version(document), chunks)
    assert view() == EMPTY


def test_relations_of_elements_that_the_fact_does_not_name_are_left_out(graph, collection, view):
    stray = Stated(relations=(("Mara", "MEMBER_OF", "Guild of Thieves"), ("Mara", "FRIEND_OF", "Corvin")))
    write_typed(graph, collection, "a", [OATH], stated={OATH[0]: stray})
    assert types(view()) == {"FRIEND_OF"}
