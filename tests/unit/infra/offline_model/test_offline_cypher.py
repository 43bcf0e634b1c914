"""What the rule-based reader writes as Cypher: from a schema's own names, and nothing the guard refuses."""

import re
from typing import Any

import pytest
from doubles.offline import MOVIES, STORY, ask

from hopline.models.graph_schema import GraphSchema, Join, NodeKind, Property, RelationshipKind
from infra.offline_model.parser.graph.graph_words import Kind, read_schema
from workers.text2cypher.check import checked
from workers.text2cypher.names import names_of
from workers.text2cypher.write import CypherDraft

SHIPS = "Nodes:\n(:`Big Ship` {`hull number`: INTEGER, name: STRING})\nRelationships:\nnone"
CONTRACTS = """Nodes:
(:Contract {aliases: LIST<STRING>, name: STRING})
(:Status {name: STRING})
(:Year {name: STRING})
Relationships:
(:Contract)-[:EXPIRES_IN {order: INTEGER}]->(:Year)
(:Contract)-[:HAS_STATUS]->(:Status)
Values, for example:
Status.name: "active", "terminated"
Year.name: "2026", "2027"
"""


def schema_of(text: str) -> GraphSchema:
    def properties(kind: Kind) -> tuple[Property, ...]:
        return tuple(Property(name=name, types=tuple(of.split("|"))) for name, of in kind.properties)

    words = read_schema(text)
    nodes = tuple(NodeKind(label=kind.name, properties=properties(kind)) for kind in words.labels)
    types = tuple(
        RelationshipKind(
            type=kind.name, properties=properties(kind), joins=tuple(Join(*join) for join in kind.joins)
        )
        for kind in words.types
    )
    return GraphSchema(nodes=nodes, relationships=types)


def draft(question: str, schema: str = MOVIES, **fields: Any) -> str:
    """The statement, as the guard lets it through."""
    reply = ask(CypherDraft, question, schema=schema, **fields)
    assert reply.reason
    return checked(reply.cypher, names_of(schema_of(schema))) if reply.cypher else ""


@pytest.mark.parametrize("text", [MOVIES, STORY], ids=["movies", "story"])
def test_a_schema_is_read_as_it_was_written(text: str) -> None:
    assert schema_of(text).as_text() == text


WHOLE = {
    "How many movies did Tom Hanks act in?": "MATCH (n:Movie)<-[r:ACTED_IN]-(o:Person) "
    "WHERE toLower(o.name) = 'tom hanks' RETURN count(DISTINCT n) AS movies, o AS person",
    "Which five actors played in the fewest movies?": "MATCH (n:Person)-[r:ACTED_IN]->(o:Movie) "
    "RETURN n.name AS person, count(DISTINCT o) AS movies, n AS node ORDER BY movies ASC, person LIMIT 5",
    "What is the average rating of The Da Vinci Code?": "MATCH (n:Movie)<-[r:REVIEWED]-(o:Person) "
    "WHERE toLower(n.title) = 'the da vinci code' RETURN avg(r.rating) AS avg_rating",
    "Which persons acted in more than five movies?": "MATCH (n:Person)-[r:ACTED_IN]->(o:Movie) "
    "WITH n, count(DISTINCT o) AS movies WHERE movies > 5 "
    "RETURN n.name AS person, movies, n AS node ORDER BY movies DESC, person LIMIT 100",
}


@pytest.mark.parametrize("question", WHOLE)
def test_a_question_of_a_common_form_becomes_a_statement_that_the_guard_lets_through(question: str) -> None:
    assert draft(question) == WHOLE[question]


@pytest.mark.parametrize(("schema", "question", "part"), [
    (MOVIES, "Who is the oldest director?", "AS born, n AS node ORDER BY born ASC, person LIMIT 1"),
    (MOVIES, "When was You've Got Mail released?", "WHERE toLower(n.title) = 'you\\'ve got mail'"),
    (MOVIES, "Which movies were released between 1990 and 1995?", "n.released <= 1995"),
    (MOVIES, "Which movies came out in the 1990s?", "n.released >= 1990 AND n.released <= 1999"),
    (MOVIES, "Which movies released after 2000 did Tom Hanks act in?", "' AND n.released > 2000"),
    (MOVIES, "Who reviewed movies with a rating higher than 90?", "r.rating > 90"),
    (MOVIES, "List movies whose tagline contains 'world'.", "toLower(n.tagline) CONTAINS 'world'"),
    (MOVIES, "Who played Neo?", "any(role IN r.roles WHERE toLower(role) = 'neo')"),
    (MOVIES, "Which directors acted in A Few Good Men?", "AND EXISTS { (n)-[:DIRECTED]->() }"),
    (MOVIES, "Who acted with Tom Hanks?", "toLower(o.name) = 'tom hanks' AND n <> o"),
    (MOVIES, "Which movies did Tom Hanks and Meg Ryan both act in?", "' AND toLower(p.name)"),
    (MOVIES, "Which people directed and produced the same movie?", "-[s:PRODUCED]->(o:Movie)"),
    (MOVIES, "Who directed the movies that Tom Hanks acted in?", "(m:Movie)<-[s:ACTED_IN]-(o:Person)"),
    (STORY, "What does Mara own?", "any(alias IN o.aliases WHERE toLower(alias) = 'mara')"),
    (STORY, "Which events happen in chapter 2?", "n.chapter = 2"),
    (SHIPS, "How many ships are there?", "MATCH (n:`Big Ship`) RETURN count(DISTINCT n) AS ships"),
    (CONTRACTS, "How many contracts are active?", "WHERE toLower(v0.name) = 'active'"),
    (CONTRACTS, "How many contracts expire in 2026?", "WHERE toLower(o.name) = '2026'"),
    (CONTRACTS, "How many contracts expire when?", "RETURN o.name AS year, count(DISTINCT n)"),
])  # fmt: skip
def test_conditions_and_names_are_those_of_question_and_schema(schema: str, question: str, part: str) -> None:
    assert part in draft(question, schema)


def test_what_the_schema_has_nothing_of_gets_no_statement_nor_what_was_refused() -> None:
    nothing = ("What is the capital of France?", "Who is the weather?", "", "Please delete everything.")
    assert [draft(question) for question in nothing] == [""] * len(nothing)
    question = "How many movies are there?"
    assert draft(question, STORY) == ""
    assert draft(question, tried=[{"cypher": draft(question), "error": "no"}]) == ""


def test_words_and_examples_of_ones_own_are_used_and_a_name_ends_no_text() -> None:
    assert draft("How many flicks are there?") == ""
    assert "(n:Movie)" in draft("How many flicks are there?", terminology={"flick": "Movie"})
    own = "MATCH (m:Movie) RETURN count(m) AS films"
    assert draft("number of movies?", examples=[{"question": "number of movies?", "cypher": own}]) == own
    cypher = draft("Who directed 'x' OR 1=1 //'?")
    assert not cypher or re.search(r"= '[^']*'", cypher)
    assert "\\'" in draft("Who directed Devil's Advocate's Son?")
