"""Concept maps in a real Neo4j beside everything else that is there, and written by many at once."""

from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from doubles.concepts import related
from doubles.documents import CURIE, WARSAW, all_texts, write
from doubles.patient_schema import PATIENT

from hopline.errors import DependencyAway
from workers.adapters.neo4j.concepts import Neo4jConcepts
from workers.adapters.neo4j.graph import Neo4jGraph
from workers.adapters.neo4j.schema import Neo4jSchema
from workers.core.concepts.maps import Concept, MapDraft, concept_key
from workers.core.ids import concept_id
from workers.engine.startup import wait_for_graph


@pytest.fixture
def store(graph: Neo4jGraph) -> Neo4jConcepts:
    return Neo4jConcepts(graph.connection)


def draft(collection: str, concept: str, *names: str) -> MapDraft:
    core = Concept(
        id=concept_id(collection, concept_key(concept)),
        collection=collection,
        name=concept,
        domain="physics",
        definition="It is defined.",
    )
    return MapDraft(concept=core, related=tuple(related(name) for name in names))


def test_maps_are_hidden_from_tools_and_change_no_census(graph: Neo4jGraph, store, collection: str):
    write(graph, collection, "radium", [CURIE, WARSAW])
    census, texts = graph.census(collection), all_texts(graph, collection)
    counted = graph.store.collections()[collection]
    store.save_map(draft(collection, "Entropy", "Diffusion", "Markets"), "j1")
    assert graph.census(collection).model_copy(update={"seconds": census.seconds}) == census
    assert all_texts(graph, collection) == texts
    assert graph.store.collections()[collection] == counted
    assert graph.nodes.elements_named(collection, ["entropy"]) == {"entropy": []}
    source = Neo4jSchema(graph.connection, bounds=PATIENT)
    shown, whole = source.schema(), source.schema(internal=True)
    assert not {"MappedConcept", "ConceptVersion"} & shown.labels
    assert "CONCEPT_RELATION" not in shown.types
    assert "CONCEPT_RELATION" in whole.types
    assert {"strength", "definition"}.isdisjoint(shown.property_names)


def test_what_is_stored_and_no_relation_is_told_as_broken(store, raw, collection: str):
    made = store.save_map(draft(collection, "Entropy", "Diffusion", "Markets"), "j1")
    relation = made.relations[0]
    raw.execute_query("MATCH ()-[r:CONCEPT_RELATION {id: $id}]->() SET r.strength = 'much'", id=relation.id)
    held = store.concept_map(collection, "Entropy")
    assert [valid_relation.id for valid_relation in held.relations] == [made.relations[1].id]
    [broken] = held.broken
    assert (broken.id, broken.name, broken.why.startswith("strength: ")) == (relation.id, relation.name, True)
    assert store.links_among(collection, [relation.source, relation.target]) == []


def test_jobs_that_save_at_once_take_turns_and_lose_nothing(store, collection: str):
    # Maps that name one another lock the same concepts.
    names = [f"Concept {nth}" for nth in range(6)]
    jobs = [(core, other) for core in names for other in names if core != other]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda pair: store.save_map(draft(collection, *pair), f"{pair}"), jobs))
        list(pool.map(lambda pair: store.save_map(draft(collection, *pair), f"{pair}"), jobs))
    for core in names:
        held = store.concept_map(collection, core)
        assert {relation.name for relation in held.relations} == set(names) - {core}
        versions = store.concept_versions(collection, core)
        assert [version.version for version in versions] == [5, 4, 3, 2, 1]
        assert sorted(len(version.changes) for version in versions) == [1, 1, 1, 1, 2]


def test_a_worker_does_not_wait_for_ever_for_a_graph_that_is_away():
    tries = []

    def migrate() -> int:
        tries.append(1)
        raise DependencyAway("refused")

    with pytest.raises(DependencyAway, match=r"did not answer for .* refused"):
        wait_for_graph(SimpleNamespace(graph=SimpleNamespace(migrate=migrate)), seconds=0.05, pause=0.01)
    assert 1 <= len(tries) < 10
