"""Chunks of small documents that come at the same time are written together, over a real Neo4j."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import neo4j as driver
import pytest
from doubles.documents import BOHR, CURIE, PRIZE, WARSAW, facts_at, made_document

from workers.adapters.neo4j import documents
from workers.adapters.neo4j.connection import Row
from workers.adapters.neo4j.documents import DocumentStore
from workers.adapters.neo4j.graph import Neo4jGraph
from workers.core.errors import DocumentSuperseded, HoplineError, Transient
from workers.core.graph.stored_document import standing_chunks
from workers.core.ports import ChunkFacts
from workers.core.records import Document

Written = tuple[Document, Sequence[ChunkFacts]]


class Gate:
    """A connection whose first write waits until it is opened; counts the documents of each."""

    def __init__(self, graph: Neo4jGraph) -> None:
        self.opened = threading.Event()
        self.entered = threading.Event()
        self.documents: list[int] = []
        self.fails = 0
        self._connection = graph.connection

    def run(self, query: str, /, **parameters: object) -> list[Row]:
        together = parameters["documents"]
        assert isinstance(together, list)
        self.documents.append(len(together))
        self.entered.set()
        assert self.opened.wait(60)
        if len(together) > 1 and self.fails:
            self.fails -= 1
            raise Transient("once")
        return self._connection.run(query, **parameters)


@pytest.fixture
def gate(neo4j_graph: Neo4jGraph, monkeypatch: pytest.MonkeyPatch) -> Gate:
    monkeypatch.setattr(documents, "_WRITERS", 1)
    return Gate(neo4j_graph)


def write_all(gate: Gate, written: Sequence[Written]) -> list[HoplineError | None]:
    """Write the first, and all others while it is being written; return what each raised."""
    store = DocumentStore(gate)  # type: ignore[arg-type]
    with ThreadPoolExecutor(len(written)) as pool:
        first = pool.submit(store.write_chunks, *written[0])
        assert gate.entered.wait(60)
        others = [pool.submit(store.write_chunks, *pair) for pair in written[1:]]
        while store._writes.waiting < len(others):
            threading.Event().wait(0.01)
        gate.opened.set()
        return [_raised(result) for result in (first, *others)]


def _raised(result: Future[None]) -> HoplineError | None:
    error = result.exception(20)
    assert error is None or isinstance(error, HoplineError)
    return error


def opened(graph: Neo4jGraph, collection: str, name: str, *chunks: object) -> Written:
    document, made = made_document(collection, name, *chunks)  # type: ignore[arg-type]
    return graph.store.open_version(document), made


PARTS: dict[str, tuple[object, ...]] = {
    "a": ([CURIE],),
    "b": ([WARSAW, CURIE], [BOHR]),
    "c": ([PRIZE],),
    "d": ([WARSAW],),
}


def test_documents_that_wait_are_written_in_one_transaction(
    neo4j_graph: Neo4jGraph, gate: Gate, collection: str
) -> None:
    written = [opened(neo4j_graph, collection, name, *parts) for name, parts in PARTS.items()]
    assert write_all(gate, written) == [None] * 4
    assert gate.documents == [1, 3]
    for document, chunks in written:
        neo4j_graph.store.make_live(document)
        stored = neo4j_graph.store.document(document.id)
        assert stored is not None
        assert stored.chunks == len(chunks)
        assert stored.facts == len({fact.id for chunk in chunks for fact in chunk.facts})
        for chunk in chunks:
            for fact in chunk.facts:
                places = neo4j_graph.nodes.fact_sources(collection, [fact.id])
                assert chunk.chunk.id in {place.chunk_id for place in places}
    assert facts_at(neo4j_graph, collection, "Warsaw") == facts_at_alone(neo4j_graph, f"{collection}-alone")


def facts_at_alone(graph: Neo4jGraph, collection: str) -> list[str]:
    for name, parts in PARTS.items():
        document, chunks = opened(graph, collection, name, *parts)
        graph.store.write_chunks(document, chunks)
        graph.store.make_live(document)
    return facts_at(graph, collection, "Warsaw")


def test_one_that_is_superseded_fails_alone(neo4j_graph: Neo4jGraph, gate: Gate, collection: str) -> None:
    written = [opened(neo4j_graph, collection, name, *parts) for name, parts in PARTS.items()]
    opened(neo4j_graph, collection, "c", [BOHR])  # a newer version
    failures = write_all(gate, written)
    assert [type(failure) for failure in failures] == [type(None), type(None), DocumentSuperseded, type(None)]
    assert sorted(gate.documents) == [1, 1, 1, 1, 3]
    for nth in (0, 1, 3):
        neo4j_graph.store.make_live(written[nth][0])
    assert facts_at(neo4j_graph, collection, "Warsaw") == sorted({CURIE[0], WARSAW[0]})


def test_a_transaction_that_fails_is_repeated_for_each_alone(
    neo4j_graph: Neo4jGraph, gate: Gate, collection: str
) -> None:
    gate.fails = 1
    written = [opened(neo4j_graph, collection, name, *parts) for name, parts in PARTS.items()]
    assert write_all(gate, written) == [None] * 4
    assert sorted(gate.documents) == [1, 1, 1, 1, 3]


def test_collections_are_not_mixed_nor_two_writes_of_a_document(
    neo4j_graph: Neo4jGraph, gate: Gate, collection: str
) -> None:
    written = [opened(neo4j_graph, collection, "a", [CURIE]), opened(neo4j_graph, collection, "b", [BOHR])]
    elsewhere = opened(neo4j_graph, f"{collection}-2", "b", [BOHR])
    assert write_all(gate, [*written, written[1], elsewhere]) == [None] * 4
    assert gate.documents == [1, 1, 1, 1]


def test_a_large_document_waits_for_nobody(neo4j_graph: Neo4jGraph, gate: Gate, collection: str) -> None:
    gate.opened.set()
    document, chunks = opened(
        neo4j_graph, collection, "large", *([(f"Marie met {n}.", ("Marie",))] for n in range(51))
    )
    DocumentStore(gate).write_chunks(document, chunks)  # type: ignore[arg-type]
    assert gate.documents == [1]


def test_a_chunk_of_a_version_without_splitters_is_of_the_first(
    neo4j: Any, neo4j_graph: Neo4jGraph, collection: str
) -> None:
    document, chunks = opened(neo4j_graph, collection, "old", [CURIE])
    neo4j_graph.store.write_chunks(document, chunks)
    neo4j_graph.store.make_live(document)
    with driver.GraphDatabase.driver(neo4j.url, auth=(neo4j.user, neo4j.password)) as raw:
        raw.execute_query("MATCH (c:Chunk {id: $id}) REMOVE c.splitter", id=chunks[0].chunk.id)
    assert [chunk.splitter for chunk in standing_chunks(neo4j_graph.store, document.id)] == [1]
