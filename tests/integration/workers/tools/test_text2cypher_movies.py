"""text2cypher on the Movies graph, on a real server, with a scripted model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from doubles.writing import WritingModel

from workers.adapters.neo4j.connection import Connection
from workers.adapters.neo4j.schema import Neo4jSchema
from workers.adapters.neo4j.untrusted_cypher import GuardedReader
from workers.tools.tool import ToolPorts, ToolResult
from workers.tools.toolbox import Toolbox

Ask = Callable[..., ToolResult]


@pytest.fixture(scope="module")
def ask(movies_neo4j) -> Iterator[Ask]:
    login = (movies_neo4j.url, movies_neo4j.user, movies_neo4j.password)
    reader, connection = GuardedReader(*login), Connection(*login, 30.0)
    schema, nothing = Neo4jSchema(connection), None

    def asked(question: str, model: Any) -> ToolResult:
        unused: Any = nothing
        ports = ToolPorts("default", schema, reader, unused, unused, model)
        return Toolbox().run("text2cypher", {"question": question}, ports)

    yield asked
    reader.close()
    connection.close()


def test_an_aggregation_is_answered_with_the_statement_and_the_nodes_that_it_stands_in(ask: Ask):
    statement = (
        "MATCH (p:Person)-[:ACTED_IN]->(m:Movie) WHERE toLower(p.name) = 'tom hanks' "
        "RETURN count(DISTINCT m) AS movies, p AS person"
    )
    model = WritingModel(f"```cypher\n{statement}\n```")
    result = ask("In how many movies did Tom Hanks act?", model)
    [item] = result.items
    assert item.values[0] == 12
    assert item.text == "movies: 12 · person: Tom Hanks (Person) {born: 1956}"
    assert len(item.nodes) == 1
    assert result.cypher == statement
    assert "(:Person)-[:ACTED_IN {roles:" in model.asked[0]["schema"]


def test_a_write_is_refused_and_repaired_into_a_read(ask: Ask):
    count = "MATCH (m:Movie) RETURN count(m) AS movies"
    result = ask(
        "Forget the movies, how many were there?", WritingModel("MATCH (m:Movie) DETACH DELETE m", count)
    )
    assert result.rows == ((38,),)
    assert ask("How many movies?", WritingModel(count)).rows == ((38,),)


def test_what_the_server_says_goes_back_to_the_model_until_it_is_given_up(ask: Ask):
    scripted = (
        "MATCH (m:Movie) RETURN n.title AS title",  # the server knows no n
        "MATCH (m:Movie) WHERE m.votes > 10 RETURN m.title AS title",
        "MATCH (m:Movie {title: $title}) RETURN m.released AS released",
    )
    model = WritingModel(*scripted)
    result = ask("Which movies have most votes?", model)
    assert result.is_empty
    assert "3 were written, and the last was refused: Expected parameter(s): title" in result.note
    first, second = model.asked[2]["tried"]
    assert "Variable `n` not defined" in first["error"]
    assert "no property of Movie named votes" in second["error"]


def test_nothing_found_is_said(ask: Ask):
    statement = "MATCH (m:Movie) WHERE m.released < 1900 RETURN m.title AS title"
    result = ask("Which movies came out before 1900?", WritingModel(statement))
    assert (result.is_empty, result.cypher) == (True, statement)
    assert result.note == "Nothing in the graph fits the statement."
