"""A graph of an older version becomes one of the newest, with what was in it."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import neo4j as driver
import pytest
from doubles.documents import BOHR, CURIE, PRIZE, WARSAW, made_document, write
from doubles.foreign import ForeignServer, empty
from doubles.graph_steps import write_hidden

from hopline.errors import Permanent
from workers.adapters.neo4j.connection import load_query
from workers.adapters.neo4j.graph import Neo4jGraph, check, migrations

Query = Callable[..., list[dict[str, Any]]]


@pytest.fixture(scope="module")
def neo4j(foreign_neo4j: ForeignServer) -> ForeignServer:
    """One that nobody else uses: others need a graph of the newest version."""
    empty(foreign_neo4j)
    return foreign_neo4j


@pytest.fixture
def graph(neo4j) -> Iterator[Neo4jGraph]:
    graph = Neo4jGraph(neo4j.url, neo4j.user, neo4j.password)
    graph.migrate()
    yield graph
    graph.migrate()
    graph.close()


@pytest.fixture
def query(neo4j) -> Iterator[Query]:
    with driver.GraphDatabase.driver(neo4j.url, auth=(neo4j.user, neo4j.password)) as raw:
        yield lambda text, **values: [record.data() for record in raw.execute_query(text, **values).records]


def back_to_version_3(query: Query) -> None:
    """Undo what came after it: chunks had no title then, their text alone was an index, and facts had one."""
    query("MATCH (c:Chunk) REMOVE c.title")
    query("DROP INDEX chunk_texts IF EXISTS")
    for name, node in (("chunk_words", "c:Chunk"), ("fact_words", "c:AtomicFact")):
        query(
            f"CREATE FULLTEXT INDEX {name} IF NOT EXISTS FOR ({node}) ON EACH [c.text, c.scope] "
            "OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-folding'}}"
        )
    query("MATCH (m:Migration) WHERE m.version > 3 DELETE m")


def titles(query: Query, collection: str) -> set[tuple[str, str | None]]:
    rows = query(
        "MATCH (c:Chunk) WHERE c.collection = $collection RETURN c.text AS text, c.title AS title",
        collection=collection,
    )
    return {(row["text"], row["title"]) for row in rows}


@pytest.mark.long
def test_chunks_of_a_graph_at_version_3_get_their_titles_and_are_found_by_them(graph, query, collection):
    write(graph, collection, "radium", [CURIE, PRIZE], [WARSAW])
    opened, chunks = write_hidden(graph, collection, "atoms", [BOHR])
    back_to_version_3(query)
    assert {title for _text, title in titles(query, collection)} == {None}
    with pytest.raises(Permanent, match="version 3"):
        graph.check()

    graph.migrate()
    graph.check()
    assert titles(query, collection) == {
        (f"{CURIE[0]} {PRIZE[0]}", "Radium"),
        (WARSAW[0], "Radium"),
        (BOHR[0], "Atoms"),  # of a version that was being written
    }
    _document, radium = made_document(collection, "radium", [CURIE, PRIZE], [WARSAW])
    by_title, by_text, unseen = graph.around.chunks_like(collection, ["radium", "vistula", "atoms"], 10)
    assert {hit.id for hit in by_title} == {chunk.chunk.id for chunk in radium}
    assert [hit.id for hit in by_text] == [radium[1].chunk.id]
    assert unseen == []
    graph.store.make_live(opened)
    [hits] = graph.around.chunks_like(collection, ["atoms"], 10)
    assert [hit.id for hit in hits] == [chunks[0].chunk.id]
    indexes = {index["name"] for index in query("SHOW FULLTEXT INDEXES YIELD name")}
    assert {"chunk_texts", "element_words"} <= indexes
    assert not {"chunk_words", "fact_words"} & indexes


def test_thai_that_was_written_before_there_was_an_index_of_pairs_is_found(graph, query, collection):
    text = "นายกเทศมนตรีทำงานที่พิพิธภัณฑ์ since 1962."
    write(graph, collection, "old", [(text, ["1962"])])
    write(graph, collection, "plain", [CURIE])
    kept = "MATCH (c:Chunk) WHERE c.collection = $collection RETURN c.pairs AS pairs ORDER BY pairs"
    [row, plain] = query(kept, collection=collection)
    assert plain["pairs"] is None
    query("MATCH (c:Chunk) WHERE c.collection = $collection REMOVE c.pairs", collection=collection)
    query("DROP INDEX chunk_pairs IF EXISTS")
    query("MATCH (m:Migration) WHERE m.version > 11 DELETE m")
    graph.migrate()
    graph.check()
    again = query(kept, collection=collection)
    assert [held["pairs"] and held["pairs"].split() for held in again] == [row["pairs"].split(), None]
    [hits] = graph.around.chunks_like(collection, ["ทำงาน"], 10)
    assert len(hits) == 1


@pytest.mark.long
def test_a_migration_that_was_interrupted_is_done_again(graph, query, collection):
    write(graph, collection, "radium", [CURIE])
    back_to_version_3(query)
    graph.migrate()
    query("MATCH (m:Migration) WHERE m.version > 3 DELETE m")  # all was done, but not yet recorded
    query("MATCH (c:Chunk) WHERE c.collection = $collection REMOVE c.title", collection=collection)
    graph.migrate()
    graph.check()
    assert titles(query, collection) == {(CURIE[0], "Radium")}
    [version] = query("MATCH (m:Migration {version: 4}) RETURN m.name AS name")
    assert version == {"name": "titles"}
    assert query(load_query("migration_versions"))[-1] == {"version": graph.migrate()}


@pytest.mark.long
def test_several_processes_may_migrate_at_once(neo4j, graph, query):
    graphs = [Neo4jGraph(neo4j.url, neo4j.user, neo4j.password) for _ in range(4)]
    query("MATCH (m:Migration) WHERE m.version > 0 DELETE m")
    with pytest.raises(Permanent, match="migrate"):
        graph.check()
    gate = threading.Barrier(len(graphs))

    def migrate(process_graph: Neo4jGraph) -> int:
        gate.wait(120)
        return process_graph.migrate()

    with ThreadPoolExecutor(len(graphs)) as pool:
        assert set(pool.map(migrate, graphs)) == {migrations()[-1].version}
    done = query("MATCH (m:Migration) RETURN m.version AS version ORDER BY version")
    assert [record["version"] for record in done] == [0, *(migration.version for migration in migrations())]
    for process_graph in graphs:
        process_graph.check()
        process_graph.close()


@pytest.mark.parametrize(("beyond", "why"), [(-1, "hopline migrate"), (0, ""), (1, "update hopline")])
def test_a_graph_of_another_version_is_refused_with_the_way_out(beyond: int, why: str):
    versions = [{"version": version} for version in range(migrations()[-1].version + beyond + 1)]
    connection: Any = SimpleNamespace(run=lambda _query: versions)
    if not why:
        check(connection)
        return
    with pytest.raises(Permanent, match=why):
        check(connection)
