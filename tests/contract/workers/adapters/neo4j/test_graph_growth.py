"""How every graph tells what a batch added to it: the double and the real Neo4j."""

from __future__ import annotations

from doubles.documents import BOHR, CURIE, PRIZE, WARSAW, write

from workers.core.jobs.report import Growth, hubs_grown
from workers.core.ports import Graph


def test_an_empty_collection_has_no_elements_and_no_hubs(graph: Graph, collection: str):
    assert graph.growth(collection) == Growth(elements=0)


def test_growth_counts_the_elements_and_hubs_of_one_collection(graph: Graph, collection: str):
    write(graph, collection, "a", [CURIE, PRIZE], [WARSAW])
    write(graph, collection + "x", "a", [BOHR])
    growth = graph.growth(collection)
    assert growth is not None
    assert growth.elements == graph.census(collection).live.elements == 5
    assert {name for name, degree in growth.hubs.items() if degree == 2} == {"marie curie", "warsaw"}


def test_a_hub_grew_by_what_was_added_since(graph: Graph, collection: str):
    write(graph, collection, "a", [CURIE])
    before = graph.growth(collection)
    write(graph, collection, "b", [PRIZE])
    grown = hubs_grown(before, graph.growth(collection))
    assert ("marie curie", 1, 2) in [(hub.name, hub.before, hub.after) for hub in grown]
    assert all(hub.after > (hub.before or 0) for hub in grown)
