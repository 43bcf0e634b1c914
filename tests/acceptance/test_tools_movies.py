"""The tools strategy by real workers over a graph that is not hopline's: the Movies graph, without APOC."""

import json
import secrets
from collections import Counter
from pathlib import Path
from typing import Any

import neo4j as driver
import pytest
from doubles.foreign import ForeignServer
from doubles.offline import MOVIES
from fleet.checks import assert_recorded_once, one_object
from fleet.crew import Crew, PrivateRedis, make_crew
from fleet.worlds import write_bridge

from hopline.models.answers import Answer, GraphCitation
from infra.local.process import free_port
from workers.adapters.neo4j.connection import Connection
from workers.adapters.neo4j.schema import Neo4jSchema

pytestmark = pytest.mark.long  # it needs a database of others, and workers that ask it
QUESTIONS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "data" / "movies_questions.json").read_text(encoding="utf-8")
)
NOWHERE = "movies"  # a collection without documents


@pytest.fixture(scope="module")
def asking(stack_env, movies_neo4j, tmp_path_factory):
    """Workers whose tools ask the Movies graph, and whose documents are hopline's own."""
    folder = tmp_path_factory.mktemp("asking")
    redis = PrivateRedis(folder / "redis")
    crew = make_crew(
        stack_env,
        redis.url,
        folder,
        HOPLINE_TOOLS_NEO4J_URL=movies_neo4j.url,
        HOPLINE_TOOLS_NEO4J_USER=movies_neo4j.user,
        HOPLINE_TOOLS_NEO4J_PASSWORD=movies_neo4j.password,
        HOPLINE_TOOL_PACKS="movies",
    )
    crew.model.set()
    crew.have(asking="interactive")
    yield crew
    crew.model.set()
    crew.stop()
    redis.kill()


def tools_of(answer: Answer) -> list[str]:
    return [call["tool"] for call in answer.details["tools"]]


def assert_citations_stand(server: ForeignServer, answer: Answer) -> None:
    """Every row is found again by its query, and every node and relationship is there."""
    login = (server.user, server.password)
    with driver.GraphDatabase.driver(server.url, auth=login) as raw:
        for citation in answer.citations:
            assert isinstance(citation, GraphCitation)
            assert f"[{citation.n}]" in answer.text
            assert citation.cypher
            assert raw.execute_query(citation.cypher, citation.parameters).records
            for kind, ids in (("(n)", citation.nodes), ("()-[n]->()", citation.relationships)):
                result = raw.execute_query(
                    f"MATCH {kind} WHERE elementId(n) IN $ids RETURN count(n) AS found", ids=list(ids)
                )
                assert result.records[0]["found"] == len(ids)


@pytest.mark.parametrize("question", QUESTIONS, ids=[question["question"][:48] for question in QUESTIONS])
def test_a_question_about_movies_is_answered_by_the_right_tools(asking, movies_neo4j, question):
    answer = asking.client.ask(question["question"], collection=NOWHERE, strategy="tools")
    assert answer.status == "done", (answer.reason, answer.details)
    assert Counter(tools_of(answer)) >= Counter(question["tools"]) - Counter(["respond"]), answer.details
    assert answer.details["rounds"] == (2 if "second round" in question["about"] else 1)
    for phrase in question["answer_has"]:
        assert phrase in answer.text
    assert bool(answer.citations) == (question["tools"] != ["respond"])
    assert_citations_stand(movies_neo4j, answer)
    if answer.citations:
        assert_recorded_once(asking, answer.job_id)


def test_without_documents_tools_are_asked_and_what_they_lack_is_declined(asking: Crew) -> None:
    answer = one_object(asking.run("ask", "Who directed The Matrix?", "-c", NOWHERE, "--json").stdout)
    assert answer["details"]["chosen"]["strategy"] == "tools"
    assert "no documents" in answer["details"]["chosen"]["why"]
    assert {citation["kind"] for citation in answer["citations"]} == {"graph"}
    done = asking.run("ask", "Who directed Tokyo Story?", "-c", NOWHERE, "--strategy", "tools")
    assert done.returncode == 3
    assert "tried " in " ".join(done.stdout.split())
    assert "Tokyo Story" in done.stdout


def test_a_database_that_is_away_costs_tools_their_answer_and_documents_nothing(stack_env, tmp_path):
    redis = PrivateRedis(tmp_path / "redis")
    nowhere = f"bolt://127.0.0.1:{free_port()}"
    crew = make_crew(stack_env, redis.url, tmp_path, HOPLINE_TOOLS_NEO4J_URL=nowhere)
    try:
        crew.have(a="interactive", bulk="bulk")
        collection = f"away-{secrets.token_hex(4)}"
        crew.ingest(write_bridge(tmp_path / "bridge"), collection)
        answer = crew.client.ask("Who designed the Alda Bridge?", collection=collection)
        assert (answer.status, "Maren Holt" in answer.text) == ("done", True)
        assert "cannot be reached" in answer.details["chosen"]["why"]
        tools_answer = crew.client.ask(
            "How many bridges are there?", collection=collection, strategy="tools", timeout=20
        )
        assert tools_answer.status == "failed"
        assert nowhere.removeprefix("bolt://") in (tools_answer.reason or "")
        done = crew.run("tools", "run", "lookup_knowledge", "entity=Maren Holt", "-c", collection)
        assert done.returncode == 1
        assert nowhere.removeprefix("bolt://") in done.stderr
    finally:
        crew.stop()
        redis.kill()


@pytest.mark.long  # a foreign database
def test_the_schema_of_the_unit_tests_is_the_graphs_own(movies_neo4j: ForeignServer) -> None:
    connection = Connection(movies_neo4j.url, movies_neo4j.user, movies_neo4j.password, 30.0)
    assert Neo4jSchema(connection).schema().as_text() == MOVIES
    connection.close()
