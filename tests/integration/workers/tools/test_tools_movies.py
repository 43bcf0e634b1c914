"""Tools on a graph that is not hopline's: the Movies example, without APOC and migrations."""

from collections.abc import Iterator
from typing import Any

import neo4j as driver
import pytest
from doubles.patient_schema import PATIENT

from hopline.models.tools import ToolResult
from workers.adapters.neo4j.connection import Connection
from workers.adapters.neo4j.schema import Neo4jSchema
from workers.adapters.neo4j.untrusted_cypher import GuardedReader
from workers.tools.packs import load_toolbox
from workers.tools.tool import ToolPorts
from workers.tools.toolbox import Toolbox

pytestmark = pytest.mark.long  # others' tests would see a graph that is not hopline's
INDEX = (
    "CREATE FULLTEXT INDEX names IF NOT EXISTS FOR (n:Movie|Person) ON EACH [n.title, n.name] "
    "OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-folding'}}"
)


@pytest.fixture(scope="module")
def reader(movies_neo4j) -> Iterator[GuardedReader]:
    reader = GuardedReader(movies_neo4j.url, movies_neo4j.user, movies_neo4j.password)
    yield reader
    reader.close()


@pytest.fixture(scope="module")
def connection(movies_neo4j) -> Iterator[Connection]:
    connection = Connection(movies_neo4j.url, movies_neo4j.user, movies_neo4j.password, 30.0)
    yield connection
    connection.close()


@pytest.fixture
def ports(reader: GuardedReader, connection: Connection) -> ToolPorts:
    nothing: Any = None
    return ToolPorts("default", Neo4jSchema(connection, bounds=PATIENT), reader, nothing, nothing, nothing)


@pytest.fixture
def indexed(movies_neo4j, ports: ToolPorts) -> Iterator[ToolPorts]:
    """The same with a full-text index over titles and names."""
    auth = (movies_neo4j.user, movies_neo4j.password)
    with driver.GraphDatabase.driver(movies_neo4j.url, auth=auth) as raw:
        raw.execute_query(INDEX)
        raw.execute_query("CALL db.awaitIndexes(60)")
        ports.schema_source.schema(refresh=True)
        yield ports
        raw.execute_query("DROP INDEX names")


@pytest.fixture(scope="module")
def tools() -> Toolbox:
    return load_toolbox("movies")


def columns(result: ToolResult) -> list[dict[str, Any]]:
    return [dict(zip(result.columns, row, strict=True)) for row in result.rows]


@pytest.mark.parametrize("title", ["THE MATRIX", "The Matrix (movie)"])
def test_a_movie_is_found_by_its_title_in_any_case(ports, tools, title):
    result = tools.run("movie_info_by_title", {"title": title}, ports)
    [movie] = columns(result)
    assert (movie["title"], movie["released"]) == ("The Matrix", 1999)
    assert "Keanu Reeves as Neo" in movie["actors"]
    assert movie["directors"] == ["Lana Wachowski", "Lilly Wachowski"]
    assert result.markdown.startswith("### Movies\n\n- The Matrix · released: 1999")
    assert len(result.items[0].nodes) == 9  # the movie, five actors, two directors, a producer
    assert len(result.items[0].relationships) == 8


def test_a_whole_title_finds_its_movie_and_names_lesser_candidates(ports, tools):
    result = tools.run("movie_info_by_title", {"title": "The Matrix"}, ports)
    assert "Less near: The Matrix Reloaded (Movie); The Matrix Revolutions (Movie)." in result.note
    assert {candidate.name for candidate in result.candidates} == {
        "The Matrix Reloaded",
        "The Matrix Revolutions",
    }
    near = tools.run("movie_info_by_title", {"title": "Cloud Atlantis"}, ports)
    assert (near.is_empty, "Similar names: Cloud Atlas (Movie)" in near.note) == (True, True)


def test_each_movie_of_an_actor_comes_with_cast_and_directors(ports, tools):
    [movie] = columns(tools.run("movies_info_by_actor", {"actor": "Emil Eifrem"}, ports))
    assert movie["directors"] == ["Lana Wachowski", "Lilly Wachowski"]
    assert movie["cast"][0] == "Keanu Reeves"
    assert {"Hugo Weaving", "Carrie-Anne Moss", "Laurence Fishburne"} == set(movie["cast"][1:])


def test_movies_of_an_actor_come_newest_first(ports, tools):
    result = tools.run("movies_info_by_actor", {"actor": "tom hanks", "limit": "3"}, ports)
    titles = [row["title"] for row in columns(result)]
    assert titles == ["Cloud Atlas", "Charlie Wilson's War", "The Da Vinci Code"]
    none = tools.run("movies_info_by_actor", {"actor": "Rob Reiner"}, ports)
    assert "When Harry" not in none.markdown  # he directed that one, and acted in another
    result = tools.run("movies_info_by_actor", {"actor": "The Matrix"}, ports)
    assert result.is_empty
    assert "No node is named “The Matrix”." in result.note


def test_without_a_full_text_index_one_word_of_a_name_has_to_be_right(ports, tools):
    result = tools.run("movies_info_by_actor", {"actor": "Keanu Reevs"}, ports)
    assert "“Keanu Reevs” was taken for Keanu Reeves (Person)." in result.note
    wrong = tools.run("movies_info_by_actor", {"actor": "Kianu Reevs"}, ports)
    assert (wrong.is_empty, wrong.note) == (True, "No node is named “Kianu Reevs”.")


def test_with_a_full_text_index_names_may_be_misspelt(indexed, tools):
    result = tools.run("movies_info_by_actor", {"actor": "Kianu Reevs"}, indexed)
    assert {row["actor"] for row in columns(result)} == {"Keanu Reeves"}
    assert "“Kianu Reevs” was taken for Keanu Reeves (Person)." in result.note
    title = tools.run("movie_info_by_title", {"title": "sleepless in seatle"}, indexed)
    assert [row["title"] for row in columns(title)] == ["Sleepless in Seattle"]
    for hostile in ('" OR name:*', "name:* AND title:*", "(((", "\\", "AND"):
        assert tools.run("movie_info_by_title", {"title": hostile}, indexed).is_empty


@pytest.fixture
def marked(movies_neo4j, ports: ToolPorts) -> Iterator[ToolPorts]:
    """The same after somebody put films and people into collections of their own."""
    auth = (movies_neo4j.user, movies_neo4j.password)
    with driver.GraphDatabase.driver(movies_neo4j.url, auth=auth) as raw:
        raw.execute_query("MATCH (n:Movie|Person) SET n.collection = head(labels(n))")
        raw.execute_query(
            "MATCH (p:Person {name: 'Keanu Reeves'}) CREATE (p)-[:EXPERIENCES {role: 'guest'}]->"
            "(:MajorEvent {name: 'A premiere', event_type: 'encounter', collection: 'events'})"
        )
        yield ports
        raw.execute_query("MATCH (n:MajorEvent) DETACH DELETE n")
        raw.execute_query("MATCH (n) REMOVE n.collection")


@pytest.mark.parametrize("found_by", ["marked", "indexed"])
def test_a_property_of_others_that_is_called_collection_hides_nothing(marked, tools, found_by, request):
    ports = request.getfixturevalue(found_by)
    assert ports.collection == marked.collection
    known = tools.run("lookup_knowledge", {"entity": "Keanu Reeves"}, ports)
    assert "born: 1964" in known.markdown
    assert "The Matrix" in {row["target"] for row in columns(known)}
    path = tools.run("find_connection", {"entity1": "Keanu Reeves", "entity2": "Tom Hanks"}, ports)
    assert len(path.items) == 4
    journey = tools.run("track_journey", {"entity": "Keanu Reeves"}, ports)
    assert "8 relations without a chapter or date" in journey.note
    [event] = tools.run("get_character_events", {"entity": "Keanu Reeves"}, ports).items
    assert "Keanu Reeves" in event.text
    [movie] = columns(tools.run("movie_info_by_title", {"title": "The Matrix"}, ports))
    assert "Keanu Reeves as Neo" in movie["actors"]
    assert tools.run("movies_info_by_actor", {"actor": "Tom Hanks"}, ports).items
