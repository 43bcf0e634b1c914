"""Documents that come at the same time are opened, written and made live together, over a real Neo4j."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

import pytest
from doubles.documents import BOHR, CURIE, PRIZE, WARSAW, facts_at, made_document, write
from doubles.graph_steps import element_id, write_hidden
from doubles.naming import tell

from hopline.errors import HoplineError
from hopline.models.documents import Document
from workers.adapters.groups import Groups
from workers.adapters.neo4j.connection import Connection, Row
from workers.adapters.neo4j.documents import DocumentStore
from workers.adapters.neo4j.graph import Neo4jGraph
from workers.adapters.neo4j.merges import MergeStore
from workers.core.errors import DocumentSuperseded
from workers.core.graph.stored_document import standing_chunks
from workers.core.ports import ChunkFacts, Removed

Reply = TypeVar("Reply")
Written = tuple[Document, Sequence[ChunkFacts]]
PARTS = {"a": ([CURIE],), "b": ([WARSAW, CURIE], [BOHR]), "c": ([PRIZE],), "d": ([WARSAW],)}


class Gate(Connection):
    """A connection whose first transaction waits until it is opened; notes how many each is for."""

    def __init__(self, graph: Neo4jGraph) -> None:
        self.opened, self.entered = threading.Event(), threading.Event()
        self.sent: list[tuple[str, int]] = []
        self._connection = graph.connection

    @property
    def sizes(self) -> list[int]:
        """Of all transactions, in order."""
        return [size for _query, size in self.sent]

    def run(self, query: str, /, **parameters: object) -> list[Row]:
        rows = parameters.get("documents", parameters.get("ids"))
        if isinstance(rows, list):
            self.sent.append((query, len(rows)))
            self.entered.set()
            assert self.opened.wait(120)
        return self._connection.run(query, **parameters)

    def together(self, name: str, work: Callable[..., Reply]) -> Reply:
        return self._connection.together(name, work)


@pytest.fixture
def gate(neo4j_graph: Neo4jGraph) -> Gate:
    return Gate(neo4j_graph)


@pytest.fixture
def store(gate: Gate) -> DocumentStore:
    return DocumentStore(gate, writers=1)


def at_once(gate: Gate, group: Groups, calls: Sequence[Callable[[], Reply]]) -> list[Reply | HoplineError]:
    """Make the first call, and the others while it is under way; return what each gave or raised."""
    with ThreadPoolExecutor(len(calls)) as pool:
        first = pool.submit(calls[0])
        assert gate.entered.wait(120)
        others = [pool.submit(call) for call in calls[1:]]
        while group.waiting < len(others):
            threading.Event().wait(0.01)
        gate.opened.set()
        return [_result(call) for call in (first, *others)]


def _result(call: Future[Reply]) -> Reply | HoplineError:
    try:
        return call.result(120)
    except HoplineError as error:
        return error


def write_all(gate: Gate, store: DocumentStore, made: Sequence[Written]) -> list[object]:
    return at_once(gate, store._writes, [lambda pair=pair: store.write_chunks(*pair) for pair in made])


def show_all(gate: Gate, store: DocumentStore, opened: Sequence[Document]) -> list[object]:
    calls = [lambda one=one: store.make_live(one, f"bytes of {one.uri}") for one in opened]
    return at_once(gate, store._showings, calls)


def open_all(gate: Gate, store: DocumentStore, made: Sequence[Document]) -> list[object]:
    return at_once(gate, store._openings, [lambda one=one: store.open_version(one) for one in made])


def opened(graph: Neo4jGraph, collection: str, uri: str, *parts: object) -> Written:
    document, chunks = made_document(collection, uri, *parts)
    return graph.store.open_version(document), chunks


def all_hidden(graph: Neo4jGraph, collection: str) -> list[Document]:
    return [write_hidden(graph, collection, uri, *parts)[0] for uri, parts in PARTS.items()]


def test_chunks_of_documents_that_wait_are_written_in_one_transaction(neo4j_graph, gate, store, collection):
    graph = neo4j_graph
    made = [opened(graph, collection, uri, *parts) for uri, parts in PARTS.items()]
    assert write_all(gate, store, made) == [None] * 4
    assert gate.sizes == [1, 3]
    for document, chunks in made:
        graph.store.make_live(document)
        stored = graph.store.document(document.id)
        assert stored.chunks == len(chunks)
        assert stored.facts == len({fact.id for chunk in chunks for fact in chunk.facts})
        for chunk in chunks:
            for fact in chunk.facts:
                places = graph.nodes.fact_sources(collection, [fact.id])
                assert chunk.chunk.id in {place.chunk_id for place in places}
    alone = f"{collection}-alone"
    for uri, parts in PARTS.items():
        write(graph, alone, uri, *parts)
    assert facts_at(graph, collection, "Warsaw") == facts_at(graph, alone, "Warsaw")


def test_chunks_of_an_overtaken_version_among_them_are_not_written(neo4j_graph, gate, store, collection):
    made = [opened(neo4j_graph, collection, uri, *parts) for uri, parts in PARTS.items()]
    opened(neo4j_graph, collection, "c", [BOHR])  # a newer version
    failures = write_all(gate, store, made)
    assert [type(failure) for failure in failures] == [type(None), type(None), DocumentSuperseded, type(None)]
    assert sorted(gate.sizes) == [1, 1, 1, 1, 3]
    for nth in (0, 1, 3):
        neo4j_graph.store.make_live(made[nth][0])
    assert facts_at(neo4j_graph, collection, "Warsaw") == sorted({CURIE[0], WARSAW[0]})


def test_collections_are_not_mixed_nor_two_writes_of_a_document(neo4j_graph, gate, store, collection):
    made = [opened(neo4j_graph, collection, "a", [CURIE]), opened(neo4j_graph, collection, "b", [BOHR])]
    elsewhere = opened(neo4j_graph, f"{collection}-2", "b", [BOHR])
    assert write_all(gate, store, [*made, made[1], elsewhere]) == [None] * 4
    assert gate.sizes == [1, 1, 1, 1]


def test_a_large_document_waits_for_nobody(neo4j_graph, gate, store, collection):
    gate.opened.set()
    chunks = ([(f"Marie met {n}.", ("Marie",))] for n in range(51))
    store.write_chunks(*opened(neo4j_graph, collection, "large", *chunks))
    assert gate.sizes == [1]


def test_a_chunk_of_a_version_without_splitters_is_of_the_first(neo4j_graph, collection):
    write(neo4j_graph, collection, "old", [CURIE])
    document, [chunk] = made_document(collection, "old", [CURIE])
    forget = "MATCH (c:Chunk {id: $id}) REMOVE c.splitter"
    neo4j_graph.connection.run_text("forget", forget, id=chunk.chunk.id)
    assert [chunk.splitter for chunk in standing_chunks(neo4j_graph.store, document.id)] == [1]


def test_documents_that_wait_are_made_live_in_one_transaction(neo4j_graph, gate, store, collection):
    made = all_hidden(neo4j_graph, collection)
    assert all(isinstance(removed, Removed) for removed in show_all(gate, store, made))
    assert gate.sizes == [1, 3]
    for document in made:
        stored = neo4j_graph.store.document(document.id)
        assert (stored.status, stored.chunks) == ("indexed", len(PARTS[document.uri]))
        assert stored.source_hash == f"bytes of {document.uri}"
    assert facts_at(neo4j_graph, collection, "Warsaw") == sorted({CURIE[0], WARSAW[0]})


def test_an_overtaken_version_among_them_is_not_shown_and_hinders_none(neo4j_graph, gate, store, collection):
    made = all_hidden(neo4j_graph, collection)
    opened(neo4j_graph, collection, "c", [BOHR])
    results = show_all(gate, store, made)
    assert [isinstance(result, DocumentSuperseded) for result in results] == [False, False, True, False]
    assert gate.sizes == [1, 3, 1]
    stored = [neo4j_graph.store.document(document.id).status for document in made]
    assert stored == ["indexed", "indexed", "loaded", "indexed"]


def test_each_keeps_to_its_own_older_version(neo4j_graph, gate, store, collection):
    for uri, parts in PARTS.items():
        write(neo4j_graph, collection, uri, *parts)
    newer = [write_hidden(neo4j_graph, collection, uri, [PRIZE])[0] for uri in ("b", "d")]
    show_all(gate, store, newer)
    stored = [neo4j_graph.store.document(document.id) for document in newer]
    assert [document.source_hash for document in stored] == ["bytes of b", "bytes of d"]
    assert facts_at(neo4j_graph, collection, "Warsaw") == [CURIE[0]]


def test_documents_that_wait_are_opened_in_one_transaction(neo4j_graph, gate, store, collection):
    write(neo4j_graph, collection, "a", [CURIE])
    opened(neo4j_graph, collection, "b", [WARSAW])
    texts = {"x": CURIE, "y": CURIE, "a": CURIE, "b": PRIZE}
    results = open_all(
        gate, store, [made_document(collection, uri, [text])[0] for uri, text in texts.items()]
    )
    assert gate.sizes == [1, 3]
    versions = [(document.version, document.status) for document in results]
    assert versions == [(1, "loaded"), (1, "loaded"), (1, "indexed"), (2, "loaded")]


def test_one_document_is_not_opened_twice_in_a_transaction(gate, store, collection):
    results = open_all(gate, store, [made_document(collection, uri, [CURIE])[0] for uri in "xyy"])
    assert gate.sizes == [document.version for document in results] == [1, 1, 1]


def test_redirects_are_looked_up_together(gate, collection):
    merges = MergeStore(gate, readers=1)
    wanted = [[element_id(collection, name) for name in names] for names in (["A"], ["B", "C"], ["C"])]
    calls = [lambda ids=ids: merges.redirects(collection, ids) for ids in wanted]
    assert at_once(gate, merges._redirects, calls) == [{}, {}, {}]
    assert gate.sizes == [1, 2]


def test_vectors_that_are_due_are_left_to_one_of_a_group(neo4j_graph, gate, store, collection):
    stated = ("The sailors called Corvin Drake the Heron.", ["Corvin Drake", "the Heron"])
    tell(neo4j_graph, collection, "one", [stated])
    due = {vector.id for vector in neo4j_graph.store.vectors_due(collection)}
    removed = show_all(gate, store, all_hidden(neo4j_graph, collection))
    assert [size for query, size in gate.sent if query == "make_live"] == [1, 3]
    handed = [{vector.id for vector in each.due} for each in removed]
    assert len(due) == 1
    assert [handed.count(due), handed.count(set())] == [2, 2]
