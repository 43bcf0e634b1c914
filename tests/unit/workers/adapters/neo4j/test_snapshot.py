"""What a snapshot holds in memory: its rows, and the chunks that searches have read."""

import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest

from hopline.models.documents import Chunk, Document
from workers.adapters.neo4j.snapshot.keeper import Snapshots
from workers.adapters.neo4j.snapshot.said_chunks import SaidChunks
from workers.core.graph.surroundings import SaidChunk, SaidFact

FACTS, ELEMENTS = 8_000, 4  # of each fact
MEGABYTE = 1_000_000


class Rows:
    """A graph of made-up facts, each in a chunk of its own and with key elements of its own."""

    def __init__(self, facts: int) -> None:
        self.facts = facts
        self.keeper = Snapshots(self, facts)  # type: ignore[arg-type]
        self.held: dict[str, int] = {}  # facts that were kept when a query began

    def mark(self) -> str:
        return "as it is"

    def stream(self, query: str, _seconds: float, _mark: str, /, **_parameters: Any) -> Iterator[list[Any]]:
        self.held[query] = self.keeper.facts
        return getattr(self, query)()

    def collection_size(self) -> Iterator[list[Any]]:
        yield [self.facts, self.facts]

    def snapshot_chunks(self) -> Iterator[list[Any]]:
        return ([10**9 + nth, f"c{nth:024}"] for nth in range(self.facts))

    def snapshot_facts(self) -> Iterator[list[Any]]:
        for nth in range(self.facts):
            yield [2 * 10**9 + nth, f"f{nth:024}", [10**9 + nth], list(self._elements(nth))]

    def snapshot_elements(self) -> Iterator[list[Any]]:
        for nth in range(self.facts):
            for number in self._elements(nth):
                yield [number, f"k{number:024}", f"element {number}", 1, 1, True, -1, [2 * 10**9 + nth]]

    def _elements(self, fact: int) -> range:
        return range(3 * 10**9 + ELEMENTS * fact, 3 * 10**9 + ELEMENTS * (fact + 1))


def test_taking_a_snapshot_needs_little_more_than_it_keeps():
    assert Rows(1).keeper.take("small")  # what its modules hold is there from now on
    graph = Rows(FACTS)
    tracemalloc.start()
    assert graph.keeper.take("large")
    kept, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 5 * MEGABYTE
    assert peak < 2 * kept


def test_what_has_to_go_goes_before_the_new_one_is_read():
    graph = Rows(100)
    assert graph.keeper.take("first")
    assert graph.keeper.take("second")
    assert graph.held["collection_size"] == 100
    assert graph.held["snapshot_facts"] == 0
    assert graph.keeper.get("second", 100)


def test_one_that_is_too_large_is_not_read():
    graph = Rows(100)
    assert graph.keeper.take("first")
    graph.held.clear()
    graph.facts = 101
    assert not graph.keeper.take("second")
    assert list(graph.held) == ["collection_size"]
    assert graph.keeper.get("first", 100)


def test_an_empty_collection_is_held_too():
    graph = Rows(0)
    graph.keeper = Snapshots(graph, 1)  # type: ignore[arg-type]
    assert graph.keeper.take("empty")
    snapshot = graph.keeper.get("empty", 1)
    assert snapshot
    assert snapshot.elements_found(["k1"]) == snapshot.facts_around(["k1"], 1).facts == []


SAID = 2  # of each chunk


class ReadGraph:
    """Reads chunks, and remembers which; one that is gone is not there."""

    def __init__(self) -> None:
        self.read: list[list[str]] = []
        self.gone: set[str] = set()

    def fetch(self, ids: list[str]) -> list[SaidChunk]:
        self.read.append(ids)
        return [said(name) for name in ids if name not in self.gone]


def said(name: str) -> SaidChunk:
    return SaidChunk(
        chunk=Chunk(id=name, index=0, text=name, start=0, end=len(name), tokens=1, content_hash=""),
        document=Document(id="d", collection="c", uri="u", title="t", content_hash=""),
        facts=tuple(SaidFact(f"{name}{nth}", name) for nth in range(SAID)),
    )


@pytest.fixture
def graph() -> ReadGraph:
    return ReadGraph()


def names(chunks: SaidChunks, graph: ReadGraph, mark: str, *ids: str, facts: int = 9) -> list[str]:
    return [passage.chunk.id for passage in chunks.read(mark, "c", ids, facts, graph.fetch)]


def test_a_chunk_is_read_once_in_a_state_and_comes_in_the_order_asked_for(graph):
    chunks = SaidChunks(100)
    assert names(chunks, graph, "1", "b", "a") == ["b", "a"]
    assert names(chunks, graph, "1", "a", "c", "b") == ["a", "c", "b"]
    assert names(chunks, graph, "1", "c", "a") == ["c", "a"]
    assert graph.read == [["b", "a"], ["c"]]


def test_what_was_read_in_another_state_or_let_go_of_is_read_again(graph):
    chunks = SaidChunks(100)
    names(chunks, graph, "1", "a", "b")
    graph.gone.add("a")
    assert names(chunks, graph, "2", "a", "b") == ["b"]
    names(chunks, graph, "1", "b")  # a search that began before the change
    chunks.clear()
    names(chunks, graph, "1", "b")
    assert graph.read == [["a", "b"], ["a", "b"], ["b"], ["b"]]


def test_chunks_with_fewer_facts_or_of_another_collection_are_others(graph):
    chunks = SaidChunks(100)
    names(chunks, graph, "1", "a")
    names(chunks, graph, "1", "a", facts=1)
    chunks.read("1", "other", ["a"], 9, graph.fetch)
    assert graph.read == [["a"]] * 3


def test_a_chunk_that_is_gone_is_looked_for_again(graph):
    graph.gone.add("a")
    chunks = SaidChunks(100)
    assert names(chunks, graph, "1", "a") == names(chunks, graph, "1", "a") == []
    assert graph.read == [["a"], ["a"]]


def test_no_more_facts_stay_than_may_and_those_used_last_do(graph):
    chunks = SaidChunks(2 * SAID)
    names(chunks, graph, "1", "a", "b")
    names(chunks, graph, "1", "a")
    names(chunks, graph, "1", "c")
    assert names(chunks, graph, "1", "a", "c", "b") == ["a", "c", "b"]
    assert graph.read == [["a", "b"], ["c"], ["b"]]
    nothing = SaidChunks(0)
    assert names(nothing, graph, "1", "a") == names(nothing, graph, "1", "a") == ["a"]
    assert graph.read[-2:] == [["a"], ["a"]]
