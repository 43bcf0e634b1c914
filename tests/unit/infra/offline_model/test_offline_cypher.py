"""What the rule-based reader writes as Cypher: from a schema's own names, and nothing the guard refuses."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from infra.offline_model.parser.graph.cypher import draft_cypher
from infra.offline_model.parser.graph.graph_words import Kind, read_schema
from infra.offline_model.replies import content_of
from workers.core.errors import CypherRefused
from workers.core.graph.schema import GraphSchema, Join, NodeKind, Property, RelationshipKind
from workers.text2cypher.check import checked
from workers.text2cypher.names import names_of
from workers.text2cypher.write import CypherDraft

SCHEMAS = Path(__file__).parents[3] / "data" / "schemas"
MOVIES = (SCHEMAS / "movies.txt").read_text(encoding="utf-8")
STORY = (SCHEMAS / "story.txt").read_text(encoding="utf-8")


def schema_of(text: str) -> GraphSchema:
    """The schema that has this text."""
    words = read_schema(text)
    nodes = tuple(NodeKind(label=kind.name, properties=properties(kind)) for kind in words.labels)
    types = tuple(
        RelationshipKind(
            type=kind.name, properties=properties(kind), joins=tuple(Join(*join) for join in kind.joins)
        )
        for kind in words.types
    )
    return GraphSchema(nodes=nodes, relationships=types)


def properties(kind: Kind) -> tuple[Property, ...]:
    return tuple(Property(name=name, types=tuple(of.split("|"))) for name, of in kind.properties)


def draft(question: str, schema: str = MOVIES, **fields: Any) -> str:
    """The statement, as the guard lets it through."""
    material = {"schema": schema, "terminology": {}, "examples": [], "question": question, "tried": []}
    reply = CypherDraft.model_validate(draft_cypher(material | fields))
    assert reply.reason
    return checked(reply.cypher, names_of(schema_of(schema))) if reply.cypher else ""


@pytest.mark.parametrize("text", [MOVIES, STORY], ids=["movies", "story"])
def test_a_schema_is_read_as_it_was_written(text: str):
    assert schema_of(text).as_text() == text


def test_labels_and_types_that_are_no_plain_words_are_written_in_backticks():
    schema = "Nodes:\n(:`Big Ship` {`hull number`: INTEGER, name: STRING})\nRelationships:\nnone"
    assert draft("How many ships are there?", schema) == (
        "MATCH (n:`Big Ship`) RETURN count(DISTINCT n) AS ships"
    )


ACTED = "MATCH (n:Movie)<-[r:ACTED_IN]-(o:Person)"
CASES = {
    "How many movies are there?": "MATCH (n:Movie) RETURN count(DISTINCT n) AS movies",
    "How many movies did Tom Hanks act in?": f"{ACTED} WHERE toLower(o.name) = 'tom hanks' "
    "RETURN count(DISTINCT n) AS movies, o AS person",
    "Who acted in the most movies?": "MATCH (n:Person)-[r:ACTED_IN]->(o:Movie) RETURN n.name AS person, "
    "count(DISTINCT o) AS movies, n AS node ORDER BY movies DESC, person LIMIT 1",
    "Which five actors played in the fewest movies?": "MATCH (n:Person)-[r:ACTED_IN]->(o:Movie) "
    "RETURN n.name AS person, count(DISTINCT o) AS movies, n AS node ORDER BY movies ASC, person LIMIT 5",
    "Which movies were released after 2000?": "MATCH (n:Movie) WHERE n.released > 2000 RETURN DISTINCT "
    "n.title AS movie, n.released AS released, n AS node ORDER BY movie LIMIT 100",
    "Who is the oldest director?": "MATCH (n:Person)-[r:DIRECTED]->(o:Movie) WHERE n.born IS NOT NULL RETURN "
    "DISTINCT n.name AS person, n.born AS born, n AS node ORDER BY born ASC, person LIMIT 1",
    "What is the average rating of The Da Vinci Code?": "MATCH (n:Movie)<-[r:REVIEWED]-(o:Person) "
    "WHERE toLower(n.title) = 'the da vinci code' RETURN avg(r.rating) AS avg_rating",
    "When was You've Got Mail released?": "MATCH (n:Movie) WHERE toLower(n.title) = 'you\\'ve got mail' "
    "RETURN DISTINCT n.title AS movie, n.released AS released, n AS node ORDER BY movie LIMIT 100",
    "Who directed Top Gun?": "MATCH (n:Person)-[r:DIRECTED]->(o:Movie) WHERE toLower(o.title) = 'top gun' "
    "RETURN DISTINCT n.name AS person, n AS node ORDER BY person LIMIT 100",
    "Which persons acted in more than five movies?": "MATCH (n:Person)-[r:ACTED_IN]->(o:Movie) "
    "WITH n, count(DISTINCT o) AS movies WHERE movies > 5 "
    "RETURN n.name AS person, movies, n AS node ORDER BY movies DESC, person LIMIT 100",
}


@pytest.mark.parametrize("question", CASES)
def test_a_question_of_a_common_form_becomes_a_statement_that_the_guard_lets_through(question: str):
    assert draft(question) == CASES[question]


WHERE = {
    "Which movies were released between 1990 and 1995?": "n.released >= 1990 AND n.released <= 1995",
    "Which movies came out in the 1990s?": "n.released >= 1990 AND n.released <= 1999",
    "List people born before 1930.": "n.born < 1930",
    "Which movies released after 2000 did Tom Hanks act in?": "o.name) = 'tom hanks' AND n.released > 2000",
    "Who reviewed movies with a rating higher than 90?": "r.rating > 90",
    "List movies whose tagline contains 'world'.": "toLower(n.tagline) CONTAINS 'world'",
    "Who played Neo?": "any(role IN r.roles WHERE toLower(role) = 'neo')",
    "Which directors acted in A Few Good Men?": "AND EXISTS { (n)-[:DIRECTED]->() }",
    "Who acted with Tom Hanks?": "toLower(o.name) = 'tom hanks' AND n <> o",
    "Which movies did Tom Hanks and Meg Ryan both act in?": "o.name) = 'tom hanks' AND toLower(p.name)",
    "Whom does Paul Blythe follow?": "(n:Person)<-[r:FOLLOWS]-(o:Person)",
    "Who follows Paul Blythe?": "(n:Person)-[r:FOLLOWS]->(o:Person)",
    "Which people directed and produced the same movie?": "(n:Person)-[s:PRODUCED]->(o:Movie)",
    "Who directed the movies that Tom Hanks acted in?": "(m:Movie)<-[s:ACTED_IN]-(o:Person)",
}


@pytest.mark.parametrize("question", WHERE)
def test_conditions_and_directions_are_those_of_the_question(question: str):
    assert WHERE[question] in draft(question)


def test_the_schema_and_not_the_reader_knows_the_names():
    assert draft("How many members do the Lamplighters have?", STORY) == (
        "MATCH (n:Character)-[r:MEMBER_OF]->(o:Organization) WHERE toLower(o.name) IN ['lamplighters', "
        "'the lamplighters'] RETURN count(DISTINCT n) AS members, o AS organization"
    )
    assert "any(alias IN o.aliases WHERE toLower(alias) = 'mara')" in draft("What does Mara own?", STORY)
    assert "n.chapter = 2" in draft("Which events happen in chapter 2?", STORY)
    assert draft("How many movies are there?", STORY) == ""


@pytest.mark.parametrize(
    "question", ["What is the capital of France?", "Who is the weather?", "", "Please delete everything."]
)
def test_what_the_schema_has_nothing_of_gets_no_statement(question: str):
    assert draft(question) == ""


def test_a_statement_that_was_refused_is_not_written_again():
    question = "How many movies are there?"
    first = draft(question)
    assert draft(question, tried=[{"cypher": first, "error": "no"}]) == ""


def test_terminology_and_an_example_of_the_same_question_are_used():
    assert draft("How many flicks are there?") == ""
    assert "(n:Movie)" in draft("How many flicks are there?", terminology={"flick": "Movie"})
    own = "MATCH (m:Movie) RETURN count(m) AS films"
    example = {"question": "Number of movies", "cypher": own}
    assert draft("number of movies?", examples=[example | {"question": "number of movies?"}]) == own


def test_a_name_ends_no_text():
    cypher = draft("Who directed 'x' OR 1=1 //'?")
    assert not cypher or re.search(r"= '[^']*'", cypher)
    assert "\\'" in draft("Who directed Devil's Advocate's Son?")


def test_an_invented_statement_names_a_label_that_no_graph_has():
    material = {"schema": MOVIES, "question": "How many movies are there?"}
    lie = CypherDraft.model_validate_json(content_of("CypherDraft", material, "invented"))
    with pytest.raises(CypherRefused, match="GreenCheese"):
        checked(lie.cypher, names_of(schema_of(MOVIES)))


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
EXPIRING = "MATCH (n:Contract)-[r:EXPIRES_IN]->(o:Year)"
OF_VALUES = {
    "How many contracts are active?": "MATCH (n:Contract), (n)-[:HAS_STATUS]->(v0:Status) "
    "WHERE toLower(v0.name) = 'active' RETURN count(DISTINCT n) AS contracts",
    "How many contracts expire in 2026?": f"{EXPIRING} WHERE toLower(o.name) = '2026' "
    "RETURN count(DISTINCT n) AS contracts",
    "How many contracts expire in each year?": f"{EXPIRING} RETURN o.name AS year, "
    "count(DISTINCT n) AS contracts, o AS node ORDER BY year LIMIT 100",
    "How many contracts expire when?": f"{EXPIRING} RETURN o.name AS year, "
    "count(DISTINCT n) AS contracts, o AS node ORDER BY year LIMIT 100",
    "How many contracts are there?": "MATCH (n:Contract) RETURN count(DISTINCT n) AS contracts",
}


@pytest.mark.parametrize("question", OF_VALUES)
def test_a_value_that_the_schema_shows_is_found_on_the_node_that_has_it(question: str):
    assert draft(question, CONTRACTS) == OF_VALUES[question]
