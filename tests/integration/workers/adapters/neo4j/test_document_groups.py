"""Documents that come at the same time are opened and made live in one transaction, over a real Neo4j."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

import pytest
from doubles.documents import BOHR, CURIE, PRIZE, WARSAW, facts_at, made_document, made_element
from doubles.naming import tell

from workers.adapters.neo4j import documents, merges
from workers.adapters.neo4j.connection import Connection, Row
from workers.adapters.neo4j.documents import DocumentStore
from workers.adapters.neo4j.graph import Neo4jGraph
from workers.adapters.neo4j.merges import MergeStore
from workers.core.errors import DocumentSuperseded, HoplineError, Transient
from workers.core.ports import Removed
from workers.core.records import Document

Reply = TypeVar("Reply")
NAMES = ("a", "b", "c", "d")


class Gate(Connection):
    """A connection whose first transaction waits until it is opened; notes how many each is for."""

    def __init__(self, graph: Neo4jGraph) -> None:
        self.opened, self.entered = threading.Event(), threading.Event()
        self.sent: list[tuple[str, int]] = []
        self.fails = 0
        self._connection = graph.connection

    @property
    def sizes(self) -> list[int]:
        """Of all transactions, in order."""
        return [size for _query, size in self.sent]

    def run(self, query: str, /, **parameters: object) -> list[Row]:
        rows = parameters.get("documents", parameters.get("ids"))
        if not isinstance(rows, list):  # a transaction of one document
            return self._connection.run(query, **parameters)
        self.sent.append((query, len(rows)))
        self.entered.set()
        assert self.opened.wait(60)
        if len(rows) > 1 and self.fails:
            self.fails -= 1
            raise Transient("DeadlockDetected")
        return self._connection.run(query, **parameters)

    def together(self, name: str, work: Callable[..., Reply]) -> Reply:
        return self._connection.together(name, work)


@pytest.fixture
def gate(neo4j_graph: Neo4jGraph, monkeypatch: pytest.MonkeyPatch) -> Gate:
    monkeypatch.setattr(documents, "_WRITERS", 1)
    monkeypatch.setattr(merges, "_READERS", 1)
    return Gate(neo4j_graph)


def at_once(
    gate: Gate, waiting: Callable[[], int], calls: Sequence[Callable[[], Reply]]
) -> list[Reply | HoplineError]:
    """Make the first call, and the others while it is under way; return what each gave or raised."""
    with ThreadPoolExecutor(len(calls)) as pool:
        first = pool.submit(calls[0])
        assert gate.entered.wait(60)
        others = [pool.submit(call) for call in calls[1:]]
        while waiting() < len(others):
            threading.Event().wait(0.01)
        gate.opened.set()
        return [_result(call) for call in (first, *others)]


def _result(call: Future[Reply]) -> Reply | HoplineError:
    try:
        return call.result(120)
    except HoplineError as error:
        return error


def written(graph: Neo4jGraph, collection: str, *sentences: object) -> list[Document]:
    """Write a document of each sentence, hidden."""
    opened = []
    for name, sentence in zip(NAMES, sentences, strict=True):
        document, chunks = made_document(collection, name, [sentence])  # type: ignore[list-item]
        opened.append(graph.store.open_version(document))
        graph.store.write_chunks(opened[-1], chunks)
    return opened


def show(gate: Gate, opened: Sequence[Document]) -> list[object]:
    store = DocumentStore(gate)
    calls = [
        lambda document=document: store.make_live(document, f"bytes of {document.uri}") for document in opened
    ]
    return list(at_once(gate, lambda: store._showings.waiting, calls))


def open_all(gate: Gate, made: Sequence[Document]) -> list[object]:
    store = DocumentStore(gate)
    calls = [lambda document=document: store.open_version(document) for document in made]
    return list(at_once(gate, lambda: store._openings.waiting, calls))


def made(collection: str, *names: str) -> list[Document]:
    return [made_document(collection, name, [CURIE])[0] for name in names]


def test_documents_that_wait_are_made_live_in_one_transaction(
    neo4j_graph: Neo4jGraph, gate: Gate, collection: str
) -> None:
    opened = written(neo4j_graph, collection, CURIE, WARSAW, BOHR, PRIZE)
    for removed in show(gate, opened):
        assert not isinstance(removed, HoplineError)
    assert gate.sizes == [1, 3]
    for document in opened:
        stored = neo4j_graph.store.document(document.id)
        assert stored is not None
        assert (stored.status, stored.chunks, stored.facts) == ("indexed", 1, 1)
        assert stored.source_hash == f"bytes of {document.uri}"
    assert facts_at(neo4j_graph, collection, "Warsaw") == sorted({CURIE[0], WARSAW[0]})


def test_an_overtaken_version_among_them_is_not_shown_and_hinders_none(
    neo4j_graph: Neo4jGraph, gate: Gate, collection: str
) -> None:
    opened = written(neo4j_graph, collection, CURIE, WARSAW, BOHR, PRIZE)
    newer = neo4j_graph.store.open_version(made_document(collection, "c", [PRIZE])[0])
    results = show(gate, opened)
    assert [type(result) for result in results].count(DocumentSuperseded) == 1
    assert isinstance(results[2], DocumentSuperseded)
    assert gate.sizes == [1, 3, 1]
    stored = [neo4j_graph.store.document(document.id) for document in opened]
    assert [document and document.status for document in stored] == [
        "indexed",
        "indexed",
        newer.status,
        "indexed",
    ]


def test_each_keeps_to_its_own_older_version(neo4j_graph: Neo4jGraph, gate: Gate, collection: str) -> None:
    for document in written(neo4j_graph, collection, CURIE, WARSAW, BOHR, PRIZE):
        neo4j_graph.store.make_live(document)
    opened = [
        neo4j_graph.store.open_version(made_document(collection, name, [PRIZE])[0]) for name in NAMES[1:3]
    ]
    for name, document in zip(NAMES[1:3], opened, strict=True):
        neo4j_graph.store.write_chunks(document, made_document(collection, name, [PRIZE])[1])
    show(gate, opened)
    assert [stored and stored.source_hash for stored in map(neo4j_graph.store.document, _ids(opened))] == [
        f"bytes of {document.uri}" for document in opened
    ]
    assert facts_at(neo4j_graph, collection, "Warsaw") == [CURIE[0]]


def _ids(opened: Sequence[Document]) -> list[str]:
    return [document.id for document in opened]


def test_a_deadlock_of_many_is_repeated_for_each_alone(
    neo4j_graph: Neo4jGraph, gate: Gate, collection: str
) -> None:
    gate.fails = 1
    opened = written(neo4j_graph, collection, CURIE, WARSAW, BOHR, PRIZE)
    assert not [result for result in show(gate, opened) if isinstance(result, HoplineError)]
    assert sorted(gate.sizes) == [1, 1, 1, 1, 3]


def test_documents_that_wait_are_opened_in_one_transaction(
    neo4j_graph: Neo4jGraph, gate: Gate, collection: str
) -> None:
    live, *_ = written(neo4j_graph, collection, CURIE, WARSAW, BOHR, PRIZE)
    neo4j_graph.store.make_live(live)
    again = made_document(collection, "b", [PRIZE])[0]
    results = open_all(gate, [*made(collection, "x", "y"), made_document(collection, "a", [CURIE])[0], again])
    assert gate.sizes == [1, 3]
    versions = [(document.version, document.status) for document in results if isinstance(document, Document)]
    assert versions == [(1, "loaded"), (1, "loaded"), (1, "indexed"), (2, "loaded")]


def test_one_document_is_not_opened_twice_in_a_transaction(gate: Gate, collection: str) -> None:
    results = open_all(gate, made(collection, "x", "y", "y"))
    assert gate.sizes == [1, 1, 1]
    assert [document.version for document in results if isinstance(document, Document)] == [1, 1, 1]


def test_redirects_are_looked_up_together(gate: Gate, collection: str) -> None:
    store = MergeStore(gate)
    wanted = [[made_element(collection, name).id for name in names] for names in (["A"], ["B", "C"], ["C"])]
    calls = [lambda ids=ids: store.redirects(collection, ids) for ids in wanted]
    assert at_once(gate, lambda: store._redirects.waiting, calls) == [{}, {}, {}]
    assert gate.sizes == [1, 2]


def test_vectors_that_are_due_are_left_to_one_of_a_group(
    neo4j_graph: Neo4jGraph, gate: Gate, collection: str
) -> None:
    stated = ("The sailors called Corvin Drake the Heron.", ["Corvin Drake", "the Heron"])
    tell(neo4j_graph, collection, "one", [stated])
    due = {vector.id for vector in neo4j_graph.store.vectors_due(collection)}
    removed = show(gate, written(neo4j_graph, collection, CURIE, WARSAW, BOHR, PRIZE))
    assert [size for query, size in gate.sent if query == "make_live"] == [1, 3]
    handed = [{vector.id for vector in each.due} for each in removed if isinstance(each, Removed)]
    assert len(due) == 1
    assert [handed.count(due), handed.count(set())] == [2, 2]
