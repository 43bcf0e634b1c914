"""The schema of a real Neo4j: with APOC, without it, from a sample, kept for a while, away."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from doubles.connections import Beside
from fleet.crew import wait_until

from hopline.errors import DependencyAway
from hopline.models.graph_schema import INTERNAL_LABELS, GraphSchema, Join
from infra.local.process import free_port
from workers.adapters.neo4j.connection import Connection, Row
from workers.adapters.neo4j.graph import Neo4jGraph
from workers.adapters.neo4j.schema import Neo4jSchema, SchemaBounds

STORY = """
CREATE (a:KeyElement:Keeper {id: $id, name: 'mara', aliases: ['Mara'], collection: $id, scope: 's'})
  -[:SWORE_TO {chapter: 1, `told by`: 'x'}]->(:Guild {name: 'Lamplighters', founded: date('1801-02-03')}),
  (:AtomicFact {id: $id, collection: $id, text: 'Mara swore.'})-[:HAS_KEY_ELEMENT]->(a)
"""
MOVIES = """Nodes:
(:Movie {released: INTEGER, tagline: STRING, title: STRING})
(:Person {born: INTEGER, name: STRING})
Relationships:
(:Person)-[:ACTED_IN {roles: LIST<STRING>}]->(:Movie)
(:Person)-[:DIRECTED]->(:Movie)
(:Person)-[:FOLLOWS]->(:Person)
(:Person)-[:PRODUCED]->(:Movie)
(:Person)-[:REVIEWED {rating: INTEGER, summary: STRING}]->(:Movie)
(:Person)-[:WROTE]->(:Movie)"""

# Other tests' facts are many: no sample of them would be sure to hold what is written here.
EVERY = 10_000_000
ALL = SchemaBounds(sample=EVERY, drawn=EVERY, counted=4, seconds=120.0)  # counted by several queries

Change = Callable[..., None]


@pytest.fixture(scope="module")
def connection(neo4j_graph: Neo4jGraph) -> Connection:
    return neo4j_graph.connection


class WithoutApoc(Beside):
    """Says that APOC is not there."""

    def run_text(self, name: str, text: str, seconds: float | None = None, /, **parameters: Any) -> list[Row]:
        if name == "schema_apoc_there":
            return [{"there": False}]
        return super().run_text(name, text, seconds, **parameters)


@pytest.fixture
def change(raw, collection: str) -> Iterator[Change]:
    yield raw.execute_query
    raw.execute_query("MATCH (n:Keeper|Guild|Late) DETACH DELETE n")
    raw.execute_query("MATCH (f:AtomicFact {id: $id}) DETACH DELETE f", id=collection)


def read_whole(source: Neo4jSchema) -> GraphSchema:
    """Read until APOC has: it fails where another process's test deletes a node that it is looking at."""

    def whole() -> GraphSchema | None:
        schema = source.schema(refresh=True)
        return schema if schema.source == "apoc" else None

    schema: GraphSchema = wait_until(whole, "APOC reads the graph")
    return schema


def test_hoplines_own_labels_are_left_out_unless_asked_for(connection, change, collection):
    change(STORY, id=collection)
    source = Neo4jSchema(connection, bounds=ALL)
    read_whole(source)
    shown, whole = source.schema(), source.schema(internal=True)
    assert {"Keeper", "Guild"} <= shown.labels
    assert not shown.labels & INTERNAL_LABELS
    assert "HAS_KEY_ELEMENT" not in shown.types
    assert "scope" not in shown.property_names
    assert "(:Keeper)-[:SWORE_TO {chapter: INTEGER, `told by`: STRING}]->(:Guild)" in shown.as_text()
    assert "(:Guild {founded: DATE, name: STRING})" in shown.as_text()
    assert {"KeyElement", "AtomicFact", "Migration"} <= whole.labels
    assert Join("AtomicFact", "Keeper") in whole.relationship("HAS_KEY_ELEMENT").joins
    assert "element_words" in {index.name for index in whole.indexes}


def test_names_that_are_no_words_are_counted_and_internal_ones_only_where_asked(connection, change):
    change("CREATE (:Guild:`NAME ``NTH``` {name: 'x'})-[:`}) RETURN 1 //`]->(:Guild)")
    source = Neo4jSchema(connection, bounds=ALL)
    shown, whole = source.schema(), source.schema(internal=True)
    assert (shown.label_counts["Guild"], shown.label_counts["NAME `NTH`"]) == (2, 1)
    assert shown.type_counts["}) RETURN 1 //"] == 1
    assert not shown.label_counts.keys() & INTERNAL_LABELS
    assert whole.label_counts["Migration"] > 0


def test_a_schema_is_kept_until_it_is_old_or_to_be_refreshed(connection, change):
    source = Neo4jSchema(connection, bounds=ALL)
    source.schema()
    change("CREATE (:Late {name: 'x'})")
    assert "Late" not in source.schema().labels
    assert "Late" in source.schema(refresh=True).labels
    change("MATCH (n:Late) DETACH DELETE n")
    assert "Late" in source.schema().labels
    hasty = Neo4jSchema(connection, seconds=0.0, bounds=ALL)
    hasty.schema()
    change("CREATE (:Late {name: 'x'})")
    assert "Late" in hasty.schema().labels


def test_of_a_large_graph_a_sample_is_read_and_no_label_or_type_is_missed(connection, change, collection):
    change(STORY, id=collection)
    schema = Neo4jSchema(WithoutApoc(connection), bounds=ALL._replace(drawn=3)).schema()
    assert (schema.source, schema.sampled) == ("procedures", True)
    assert {"Keeper", "Guild"} <= schema.labels
    assert Join("Keeper", "Guild") in schema.relationship("SWORE_TO").joins


def test_with_and_without_apoc_the_properties_and_directions_are_the_same(connection, change, collection):
    change(STORY, id=collection)
    by_apoc = read_whole(Neo4jSchema(connection, bounds=ALL)).without_internal()
    other = Neo4jSchema(WithoutApoc(connection), bounds=ALL).schema()
    assert (other.source, other.notes[0]) == ("procedures", "APOC is not there")
    for kind in ("Keeper", "Guild"):
        names = {node_property.name for node_property in by_apoc.node(kind).properties}
        assert names == {node_property.name for node_property in other.node(kind).properties}
    assert by_apoc.relationship("SWORE_TO") == other.relationship("SWORE_TO")


def test_a_server_that_is_away_has_no_schema():
    away = Connection(f"bolt://127.0.0.1:{free_port()}", "neo4j", "none", 2.0)
    with pytest.raises(DependencyAway):
        Neo4jSchema(away).schema()
    away.close()


@pytest.mark.long
def test_a_database_of_others_is_read_counted_and_indexed_whole(movies_neo4j):
    foreign = Connection(movies_neo4j.url, movies_neo4j.user, movies_neo4j.password, 30.0)
    source = Neo4jSchema(foreign)
    schema = source.schema()
    assert schema.as_text() == MOVIES
    assert (schema.source, schema.sampled, schema.indexes) == ("procedures", False, ())
    nodes = foreign.run_text("n", "MATCH (n) UNWIND labels(n) AS name RETURN name, count(*) AS count")
    edges = foreign.run_text("r", "MATCH ()-[r]->() RETURN type(r) AS name, count(*) AS count")
    assert schema.label_counts == {row["name"]: row["count"] for row in nodes}
    assert schema.type_counts == {row["name"]: row["count"] for row in edges}
    for _ in range(2):
        assert source.index_names() == ("Movie", "Person")
        [index] = source.schema().indexes
        assert (index.name, index.labels) == ("hopline_names", ("Movie", "Person"))
        assert set(index.properties) == {"name", "title", "alias", "aliases"}
    foreign.run("names_drop_index")
    foreign.close()
