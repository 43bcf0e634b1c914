"""Searches in memory find what searches in the graph find, and see each change at once.

Others write to the same database, which makes every snapshot stale: here it changes when a test says so.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from doubles.connections import Steady
from doubles.documents import CURIE, PRIZE, WARSAW, made_document, made_element, write
from doubles.graph_around import links_of
from doubles.graph_steps import merge, write_hidden
from doubles.vectors import MemoryVectors
from fleet.crew import wait_until

from workers.adapters.neo4j.around import AroundReader
from workers.adapters.neo4j.graph import Neo4jGraph
from workers.adapters.neo4j.snapshot.keeper import Snapshots
from workers.adapters.neo4j.snapshot.snapshot import Snapshot
from workers.core.graph.surroundings import FACTS_OF_ELEMENT, FactColumns, FactLinks, SnapshotOutdated
from workers.core.graph.vectors import Embedder, Point
from workers.search.region import Live
from workers.search.search import search

LETTERS = "abcdefghijklmnopqrstuvwxyz"
HELD = 1_000  # facts
NAMES = ["Curie", "Marie Curie", "Warsaw", "Vistula", "1903", "Paris", "street 3", "nobody", "guest 55", "x"]
HUB = [(f"Paris has street {nth}.", ["Paris", f"street {nth}"]) for nth in range(FACTS_OF_ELEMENT + 10)]
LISTED = ("They are all here.", [f"guest {nth}" for nth in range(60)])  # more than are scanned of a fact


class Letters:
    """Embeds a text as how often each letter stands in it."""

    embedder = Embedder(name="letters", dimension=len(LETTERS))

    def embed(self, texts: list[str]) -> list[list[float]]:
        return [[float(text.casefold().count(letter)) for letter in LETTERS] for text in texts]


@dataclass
class World:
    """What a search needs."""

    graph: Neo4jGraph
    vectors: Any
    model: Any

    def add(self, collection: str, uri: str, *sentences: Any, title: str | None = None) -> None:
        write(self.graph, collection, uri, sentences, title=title)
        [chunk] = made_document(collection, uri, sentences, title=title)[1]
        self.vectors.prepare(collection, self.model.embedder)
        [vector] = self.model.embed([chunk.chunk.text])
        self.vectors.upsert(collection, [Point(graph_id=chunk.chunk.id, kind="chunk", vector=tuple(vector))])


@pytest.fixture
def connection(neo4j_graph: Neo4jGraph) -> Steady:
    return Steady(neo4j_graph.connection)


@pytest.fixture
def graph(neo4j, neo4j_graph: Neo4jGraph, connection: Steady) -> Iterator[Neo4jGraph]:  # noqa: ARG001 - it migrates
    graph = Neo4jGraph(neo4j.url, neo4j.user, neo4j.password)
    graph.around = AroundReader(connection, HELD)
    yield graph
    graph.close()


@pytest.fixture
def world(graph: Neo4jGraph) -> World:
    return World(graph, MemoryVectors(), Letters())


def taken(graph: Neo4jGraph, collection: str) -> Snapshot:
    graph.around.size(collection)
    assert graph.around.snapshots.take(collection)
    snapshot = graph.around.snapshot(collection)
    assert isinstance(snapshot, Snapshot)
    return snapshot


def by_fact(columns: FactColumns) -> dict[str, FactLinks]:
    return {link.fact: link for link in links_of(columns)}


def test_a_snapshot_answers_as_the_graph_does(graph, collection):
    write(graph, collection, "a", [CURIE, PRIZE], [WARSAW], title="Warsaw")
    write(graph, collection, "b", [CURIE, ("Curie studied.", ["Curie"])])
    write(graph, collection, "hub", HUB[:60], HUB[60:])
    write(graph, collection, "list", [LISTED])
    for nth in range(10):  # more places than are told of a fact
        write(graph, collection, f"again {nth}", [WARSAW])
    write_hidden(graph, collection, "hidden", [PRIZE, ("Nobody knows it.", ["nobody"])])
    merge(graph, collection, "Curie", "Marie Curie")
    snapshot, live = taken(graph, collection), Live(collection, graph)
    wanted = [made_element(collection, name).id for name in NAMES]
    assert snapshot.elements_found(wanted) == live.elements_found(wanted)
    for element_ids in (*[[name] for name in wanted], wanted):
        columns = snapshot.facts_around(element_ids, FACTS_OF_ELEMENT)
        assert by_fact(columns) == by_fact(live.facts_around(element_ids, FACTS_OF_ELEMENT))
    live_names = live.names([name for name in wanted if name != made_element(collection, "Curie").id])
    assert {name: snapshot.names(wanted)[name] for name in live_names} == live_names
    assert snapshot.size == graph.around.size(collection)
    assert snapshot.elements_found([]) == snapshot.facts_around([], 1).facts == []


def test_what_is_committed_changes_the_mark_of_the_database(neo4j_graph, collection):
    before = neo4j_graph.connection.mark()
    write(neo4j_graph, collection, "a", [CURIE])
    assert neo4j_graph.connection.mark() != before
    [_row], read = neo4j_graph.connection.run_marked("collection_size", collection=collection)
    assert read
    assert read != before


def test_a_change_is_seen_by_the_next_search(world, connection, collection):
    world.add(collection, "a", CURIE)
    taken(world.graph, collection)
    question = "What did Marie Curie win?"
    assert len(search(question, collection, world).chunks) == 1
    world.add(collection, "b", PRIZE)
    connection.state += 1
    assert len(search(question, collection, world).chunks) == 2
    assert world.graph.around.snapshot(collection) is None
    taken(world.graph, collection)
    world.graph.store.delete_document(made_document(collection, "b", [PRIZE])[0].id)
    connection.state += 1
    assert len(search(question, collection, world).chunks) == 1


def test_a_write_drops_all_that_were_taken_before_it_when_one_is_checked(graph, connection, collection):
    other = f"{collection}-other"
    write(graph, collection, "a", [CURIE])
    write(graph, other, "a", [WARSAW])
    taken(graph, other)
    snapshot = taken(graph, collection)
    [[hit]] = graph.around.chunks_like(collection, ["Curie"], 5)
    [[again]] = graph.around.chunks_like(collection, ["Curie"], 5, snapshot)
    assert again.id == hit.id  # scores follow what others write into the index meanwhile
    assert graph.around.chunks_like(collection, [""], 5, snapshot) == [[]]
    connection.state += 1
    for text in ("Curie", ""):  # without a word nothing is looked for, and the state is asked for by itself
        with pytest.raises(SnapshotOutdated):
            graph.around.chunks_like(collection, [text], 5, snapshot)
    assert (graph.around.snapshot(other), graph.around.snapshot(collection)) == (None, None)


def test_what_chunks_say_is_read_once_in_a_state_of_the_graph(graph, connection, collection):
    write(graph, collection, "a", [CURIE], [WARSAW])
    document, [first, second] = made_document(collection, "a", [CURIE], [WARSAW])
    snapshot, live = taken(graph, collection), graph.around.chunks_said(collection, [first.chunk.id], 9)
    assert graph.around.chunks_said(collection, [first.chunk.id], 9, snapshot) == live
    both = graph.around.chunks_said(collection, [second.chunk.id, first.chunk.id], 9, snapshot)
    assert [chunk.chunk for chunk in both] == [second.chunk, first.chunk]
    connection.ran.clear()
    assert graph.around.chunks_said(collection, [first.chunk.id, second.chunk.id], 9, snapshot) == both[::-1]
    assert connection.ran == [], "nothing is asked of the graph"
    graph.store.delete_document(document.id)
    connection.state += 1
    with pytest.raises(SnapshotOutdated):
        graph.around.chunks_like(collection, ["Curie"], 5, snapshot)
    assert graph.around.chunks_said(collection, [first.chunk.id], 9, snapshot) == []


def test_a_graph_that_is_written_to_is_not_held(graph, connection, collection):
    write(graph, collection, "a", [CURIE])

    def change() -> None:
        connection.state += 1

    for query in ("collection_size", "snapshot_facts"):
        connection.before = {query: change}
        keeper = Snapshots(connection, HELD)
        assert keeper.take(collection) is False
        assert keeper.get(collection, 1) is None


def test_no_more_facts_are_held_than_may_be(graph, connection, collection):
    other = f"{collection}-other"
    write(graph, collection, "a", [CURIE, PRIZE])
    write(graph, other, "a", [CURIE, WARSAW])
    keeper = Snapshots(connection, 3)
    assert keeper.take(collection)
    assert keeper.get(collection, 2) is not None
    assert keeper.take(other)
    assert keeper.get(other, 2) is not None
    assert keeper.get(collection, 2) is None
    write(graph, other, "b", [PRIZE, ("More.", ["more"])])
    assert keeper.take(other) is False
    assert Snapshots(connection, 0).get(other, 2) is None


def test_a_collection_that_is_searched_is_soon_held(world, connection, collection):
    world.graph.around.snapshots = Snapshots(connection, HELD, rest=0.0)
    world.add(collection, "a", CURIE)
    world.graph.around.size(collection)
    wait_until(lambda: world.graph.around.snapshot(collection) is not None, "it is held")
    assert world.graph.around.snapshot(f"{collection}-other") is None
