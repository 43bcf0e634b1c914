"""Chunks that searches have read stay in memory while the graph is as it was, within a bound."""

from __future__ import annotations

import pytest

from workers.adapters.neo4j.snapshot.said_chunks import SaidChunks
from workers.core.graph.surroundings import SaidChunk, SaidFact
from workers.core.records import Chunk, Document

FACTS = 2  # of each chunk


class Graph:
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
        facts=tuple(SaidFact(f"{name}{nth}", name) for nth in range(FACTS)),
    )


@pytest.fixture
def graph() -> Graph:
    return Graph()


def names(chunks: SaidChunks, graph: Graph, mark: str, *ids: str, facts: int = 9) -> list[str]:
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
    chunks = SaidChunks(2 * FACTS)
    names(chunks, graph, "1", "a", "b")
    names(chunks, graph, "1", "a")
    names(chunks, graph, "1", "c")
    assert names(chunks, graph, "1", "a", "c", "b") == ["a", "c", "b"]
    assert graph.read == [["a", "b"], ["c"], ["b"]]
    nothing = SaidChunks(0)
    assert names(nothing, graph, "1", "a") == names(nothing, graph, "1", "a") == ["a"]
    assert graph.read[-2:] == [["a"], ["a"]]
