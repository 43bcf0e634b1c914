"""What several collections hold is read as if it were one collection's, within a scope as without."""

import pytest
from doubles.documents import made_element, write
from doubles.graph_steps import merge

from workers.adapters.neo4j.graph import Neo4jGraph
from workers.adapters.neo4j.scoped.graph import ScopedGraph
from workers.core import ids
from workers.core.metadata.changes import MetadataChange
from workers.core.scope import Scope
from workers.search.region import Live, named_in

CONTRACT = ("Acme built the mill in 1843.", ["Acme", "mill", "1843"])
LETTER = ("The mill of Ann burned.", ["mill", "Ann"])
ANN = ("Ann lives in Paris.", ["Ann", "Paris"])
SECRET = ("Ann owes Bo a horse.", ["Ann", "Bo", "horse"])


@pytest.fixture
def both(neo4j_graph: Neo4jGraph, collection: str) -> tuple[str, str]:
    """Two collections that share names: a contract, and letters of which one is for Ann only."""
    letters = f"{collection}-letters"
    write(neo4j_graph, collection, "contract", [CONTRACT])
    write(neo4j_graph, letters, "letter", [LETTER], [ANN])
    write(neo4j_graph, letters, "secret", [SECRET])
    hidden = MetadataChange(values={"allow": ("user:ann",)})
    neo4j_graph.store.change_metadata([ids.document_id(letters, "secret")], hidden)
    return collection, letters


def reading(graph: ScopedGraph, collection: str, *names: str) -> object:
    """Return all that is told of some names, without ids."""
    descriptions: list[tuple[object, ...]] = []
    for name in names:
        for element in graph.nodes.elements_named(collection, [name])[name]:
            node = graph.nodes.read_node(collection, element.id, max_facts=9, max_neighbours=9)
            around = graph.around.facts_around(collection, [element.id], 9)
            near = [
                (neighbour.name, neighbour.shared, neighbour.degree, neighbour.context)
                for neighbour in node.neighbours
            ]
            facts = sorted((fact.fact, fact.uri, fact.start) for fact in node.facts)
            held = graph.around.elements_found(collection, [element.id])
            descriptions.append((element.name, element.aliases, facts, sorted(near), len(around.facts)))
            descriptions += [(element.name, element.degree, element.chunks) for element in held]
    (hits,) = graph.around.chunks_like(collection, ["mill Ann"], 9)
    chunks = sorted((chunk.text, document.uri) for chunk, document in _chunks(graph, collection, hits))
    scores = sorted(round(hit.score, 6) for hit in hits)
    like = sorted((hit.text, hit.score) for hit in graph.nodes.elements_like(collection, "mill", 9))
    named = [
        element.name for element in named_in("Did Ann own the mill?", collection, Live(collection, graph))
    ]
    return descriptions, chunks, scores, like, named, graph.around.size(collection)


def _chunks(graph, collection, hits):
    return graph.nodes.chunks(collection, [hit.id for hit in hits])


@pytest.mark.parametrize("principals", [None, ["user:bo"], ["user:ann"]])
def test_two_collections_are_read_as_one_that_holds_both(neo4j_graph, collection, keeper, both, principals):
    whole = f"{collection}-whole"
    write(neo4j_graph, whole, "contract", [CONTRACT])
    write(neo4j_graph, whole, "letter", [LETTER], [ANN])
    if principals != ["user:bo"]:
        write(neo4j_graph, whole, "secret", [SECRET])
    scope = Scope() if principals is None else Scope().seen_by(principals)
    names = ("mill", "Ann", "Acme", "Bo", "Paris", "horse", "nobody")
    joined = ScopedGraph(lambda: keeper.view(both, scope))
    alone = ScopedGraph(lambda: keeper.view(whole, Scope()))
    assert reading(joined, collection, *names) == reading(alone, whole, *names)


def test_a_walk_goes_from_one_collection_to_another_by_the_names_they_share(collection, keeper, both):
    graph = ScopedGraph(lambda: keeper.view(both, Scope()))
    acme, mill = (made_element(collection, name).id for name in ("Acme", "mill"))
    near = {
        neighbour.name: neighbour.id for neighbour in graph.paths.neighbours_of(collection, [acme], limit=9)
    }
    assert near["mill"] == mill
    assert {neighbour.name for neighbour in graph.paths.neighbours_of(collection, [mill], limit=9)} >= {
        "acme",
        "ann",
    }
    assert {fact.fact for fact in graph.paths.facts_of(collection, [mill], limit=9)} == {
        CONTRACT[0],
        LETTER[0],
    }
    [letter] = graph.store.documents_of([ids.document_id(both[1], "letter")])
    assert letter.collection == both[1]


def test_a_scope_is_looked_up_in_each_collection(keeper, both):
    contract = ids.document_id(both[0], "contract")
    letter, secret = (ids.document_id(both[1], uri) for uri in ("letter", "secret"))
    everyones = Scope().seen_by(["user:bo"])
    assert keeper.documents_in(both, everyones) == {contract, letter}
    assert keeper.among(both, [contract, secret], everyones) == {contract}
    keeper.view(both, everyones)
    assert keeper.documents_in(both, everyones) == {contract, letter}
    assert keeper.documents_in(both[0], everyones) == {contract}
    named = Scope(documents=(contract, secret))
    assert keeper.view(both, named).contents.document_at.keys() == {contract, secret}


def test_what_is_named_in_a_collection_is_told_by_the_id_that_it_has_there(keeper, both):
    view = keeper.view(both, Scope().seen_by(["user:bo"]))
    own, letters = both
    here = {name: made_element(own, name).id for name in ("mill", "Ann", "Acme", "1843", "Paris")}
    there = {name: made_element(letters, name).id for name in here}
    assert view.elements_in(own) == {here[name]: here[name] for name in ("mill", "Acme", "1843")}
    assert view.elements_in(letters) == {there[name]: here[name] for name in ("mill", "Ann", "Paris")}
    assert view.chunks_in(own).keys() | view.chunks_in(letters).keys() == view.chunk_ids
    assert len(view.chunks_in(letters)) == 2


@pytest.mark.parametrize("merged_in", [0, 1])
def test_merges_of_each_collection_count_where_both_names_may_be_seen(neo4j_graph, keeper, both, merged_in):
    name = both[merged_in]
    write(neo4j_graph, both[0], "more", [("Acme Corp sold Bo a mill.", ["Acme Corp", "Bo", "mill"])])
    write(neo4j_graph, both[1], "more", [("Acme met Acme Corp.", ["Acme", "Acme Corp"])])
    merge(neo4j_graph, name, "Acme", "Acme Corp", "job")
    graph = ScopedGraph(lambda: keeper.view(both, Scope()))
    known = graph.nodes.elements_named(both[0], ["Acme"])["Acme"]
    assert [element.name for element in known] == ["acme corp"]
    contract = ids.document_id(both[0], "contract")
    alone = ScopedGraph(lambda: keeper.view(both, Scope(documents=(contract,))))
    assert [element.name for element in alone.nodes.elements_named(both[0], ["Acme"])["Acme"]] == ["acme"]


def test_a_document_that_changes_is_read_anew_for_all(neo4j_graph, keeper, both):
    before = keeper.view(both, Scope())
    assert keeper.view(both, Scope()) is before
    write(neo4j_graph, both[1], "letter", [ANN])
    after = ScopedGraph(lambda: keeper.view(both, Scope()))
    [mill] = after.nodes.elements_named(both[0], ["mill"])["mill"]
    assert [fact.fact for fact in after.paths.facts_of(both[0], [mill.id], limit=9)] == [CONTRACT[0]]
