"""The census of a real Neo4j: what no product writes on purpose, pages, redirects, hubs."""

from collections.abc import Callable

import pytest
from doubles.documents import BOHR, CURIE, PRIZE, WARSAW, made_element, write
from doubles.graph_steps import write_hidden

from hopline.models.census import Counts
from workers.adapters.neo4j.census import take_census

ORPHANS = """
CREATE (c:Chunk {id: 'c-' + $collection, collection: $collection, text: 'Lost.'}),
  (f:AtomicFact {id: 'f-' + $collection, collection: $collection, text: 'Lost.'}),
  (k:KeyElement {id: 'k-' + $collection, collection: $collection, name: 'lost', aliases: []}),
  (c)-[:HAS_ATOMIC_FACT {grounded: true}]->(f)-[:HAS_KEY_ELEMENT]->(k)
"""
REDIRECT = """
MATCH (home:KeyElement {id: $home})
CREATE (:KeyElement {id: 'kr-' + $collection, collection: $collection, name: 'mme curie', aliases: []})
  -[:MERGED_INTO]->(home)
"""
RELATED = "MATCH (a:KeyElement {id: $a}), (b:KeyElement {id: $b}) CREATE (a)-[:ANALOGOUS_TO]->(b)"


@pytest.fixture
def change(raw, collection: str) -> Callable[..., None]:
    return lambda query, **values: raw.execute_query(query, collection=collection, **values)


def test_what_nothing_holds_is_an_orphan_and_in_no_other_count(graph, change, collection):
    write(graph, collection, "a", [CURIE])
    change(ORPHANS)
    census = graph.census(collection)
    assert census.live == Counts(documents=1, chunks=1, facts=1, elements=2)
    assert census.orphans == Counts(chunks=1, facts=1, elements=1)
    assert census.hidden == Counts()
    assert sum(degree_bin.elements for degree_bin in census.degrees) == 2
    assert census.relationships["HAS_KEY_ELEMENT"] == 2


def test_a_redirect_is_counted_as_merged_and_as_nothing_else(graph, change, collection):
    write(graph, collection, "a", [CURIE])
    home, other = (made_element(collection, name).id for name in CURIE[1])
    before = graph.census(collection)
    change(REDIRECT, home=home)
    change(RELATED, a=home, b=other)
    census = graph.census(collection)
    assert (before.merged, census.merged) == (0, 1)
    assert (census.live, census.orphans) == (before.live, before.orphans)
    assert census.relationships == {**before.relationships, "ANALOGOUS_TO": 1}


def test_pages_add_up(graph, collection):
    write(graph, collection, "a", [CURIE, PRIZE], [WARSAW], [BOHR, CURIE])
    write(graph, collection, "b", [CURIE])
    _hidden, _chunks = write_hidden(graph, collection, "c", [PRIZE, ("Ada met Bo.", ["Ada", "Bo", "Warsaw"])])
    whole = graph.census(collection)
    assert whole.hidden == Counts(documents=1, chunks=1, facts=1, elements=2)
    for page in (1, 2, 3):
        census = take_census(graph.connection, collection, lengths=False, page=page)
        assert census.model_copy(update={"seconds": whole.seconds}) == whole


def test_a_hub_is_not_looked_through_fact_by_fact(graph, collection):
    write(graph, collection, "a", [CURIE])
    sentences = [(f"Warsaw has street {nth}.", ["Warsaw", f"street {nth}"]) for nth in range(5)]
    write_hidden(graph, collection, "b", sentences)
    assert [hub.degree for hub in graph.census(collection).hubs] == [1, 1]
    [hub, _] = take_census(graph.connection, collection, lengths=False, facts_scanned=3).hubs
    assert (hub.name, hub.degree, hub.share) == ("Warsaw", 6, 1.0)
