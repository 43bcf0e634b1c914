"""A search in memory: it is done again in the graph where that has changed, and leaves nothing running."""

import threading
from copy import deepcopy
from typing import Any

import pytest
from doubles.documents import made_document, write
from doubles.graph import MemoryGraph
from doubles.vectors import MemoryVectors

from hopline.errors import DependencyAway
from workers.core.graph.surroundings import CollectionSize, SnapshotOutdated
from workers.core.graph.vectors import Embedder, Point
from workers.search.region import Live
from workers.search.search import search

C = "bridges"
TOWER = ("Tower Bridge crosses the Thames.", ["Tower Bridge", "Thames"])
OPENED = ("Tower Bridge was opened in 1894.", ["Tower Bridge", "1894"])
QUESTION = "What does Tower Bridge cross?"


class Kept(Live):
    """A collection as a graph held it."""

    mark = "as it was"

    @property
    def size(self) -> CollectionSize:
        return self.graph.around.size(self.collection)


class Held(MemoryGraph):
    """A graph of which a snapshot may be taken; a write to it is known to have been."""

    kept: Kept | None = None
    changed = False
    reads = 0  # of what is in the snapshot, too

    def take(self) -> None:
        self.kept, self.changed = Kept(C, deepcopy_of(self)), False

    def snapshot(self, _collection: str) -> Kept | None:
        return self.kept

    def chunks_like(self, collection: str, texts: Any, limit: int, snapshot: Any = None) -> Any:
        if snapshot and self.changed:
            raise SnapshotOutdated
        return super().chunks_like(collection, texts, limit)

    def facts_around(self, *args: Any) -> Any:
        self.reads += 1
        return super().facts_around(*args)


def deepcopy_of(graph: MemoryGraph) -> MemoryGraph:
    copy = MemoryGraph()
    for name in ("stored", "fact_nodes", "element_nodes", "own_nodes"):
        setattr(copy, name, deepcopy(getattr(graph, name)))
    return copy


class Embedding:
    """Embeds every text as the same, and remembers them."""

    embedder = Embedder(name="same", dimension=2)

    def __init__(self) -> None:
        self.embedded: list[list[str]] = []

    def embed(self, texts: list[str]) -> list[list[float]]:
        self.embedded.append(list(texts))
        return [[1.0, 0.0] for _ in texts]


class World:
    def __init__(self) -> None:
        self.graph, self.vectors, self.model = Held(), MemoryVectors(), Embedding()

    def add(self, uri: str, paragraph: Any) -> str:
        write(self.graph, C, uri, [paragraph])
        [chunk] = made_document(C, uri, [paragraph])[1]
        self.vectors.prepare(C, self.model.embedder)
        self.vectors.upsert(C, [Point(graph_id=chunk.chunk.id, kind="chunk", vector=(1.0, 0.0))])
        return chunk.chunk.id


@pytest.fixture
def world() -> World:
    world = World()
    world.add("tower", TOWER)
    world.graph.take()
    return world


def test_a_collection_in_memory_is_not_asked_of_the_graph(world):
    result = search(QUESTION, C, world)
    assert [fact.text for fact in result.facts] == [TOWER[0]]
    assert [element.name for element in result.elements if element.asked] == ["tower bridge"]
    assert world.graph.reads == 0


def test_a_search_of_what_has_changed_is_done_again_in_the_graph_and_embeds_once(world):
    world.graph.changed = True
    opened = world.add("opened", OPENED)
    result = search(QUESTION, C, world)
    assert opened in {passage.chunk.id for passage in result.chunks}
    assert "1894" in {element.name for element in result.elements}
    assert world.graph.reads > 0
    assert len(world.model.embedded) == 1


def test_where_the_change_is_of_a_name_the_text_without_it_is_embedded_anew(world):
    world.graph.changed = True
    world.add("vauxhall", ("Vauxhall Bridge is red.", ["Vauxhall Bridge", "red"]))
    search("What colour is Vauxhall Bridge?", C, world)
    expected = [["What colour is Vauxhall Bridge?"], ["What colour is Vauxhall Bridge?", "What colour is"]]
    assert world.model.embedded == expected


def test_a_search_that_fails_ends_after_what_it_began_beside_it(world, monkeypatch):
    going, ended = threading.Event(), threading.Event()
    words = world.graph.chunks_like

    def slow(*args: Any) -> Any:
        assert going.wait(120)
        ended.set()
        return words(*args)

    def fail(_texts: Any) -> Any:
        threading.Timer(0.05, going.set).start()
        raise DependencyAway("no embedder")

    monkeypatch.setattr(world.graph, "chunks_like", slow)
    monkeypatch.setattr(world.model, "embed", fail)
    with pytest.raises(DependencyAway):
        search(QUESTION, C, world)
    assert ended.is_set()
