"""The guard of statements that a model wrote."""

import json
from pathlib import Path
from typing import Any

import pytest

from workers.core.errors import CypherRefused
from workers.text2cypher.check import checked
from workers.text2cypher.lexer import lex, significant, unescaped
from workers.text2cypher.names import GraphNames
from workers.text2cypher.write import unfenced

DATA = Path(__file__).parents[3] / "data"
OF = {
    "Person": frozenset({"name", "born"}),
    "Movie": frozenset({"title", "released", "tagline"}),
    "ACTED_IN": frozenset({"roles"}),
    "REVIEWED": frozenset({"summary", "rating"}),
} | dict.fromkeys(("DIRECTED", "PRODUCED", "WROTE", "FOLLOWS"), frozenset[str]())
LABELS = frozenset({"Person", "Movie"})
MOVIES = GraphNames(LABELS, frozenset(OF) - LABELS, frozenset[str]().union(*OF.values()), OF)


def _rows(name: str) -> list[Any]:
    lines = (DATA / f"{name}.jsonl").read_text(encoding="utf-8").split("\n")
    return [pytest.param(row, id=row["name"]) for row in map(json.loads, filter(None, lines))]


@pytest.mark.parametrize("row", _rows("hostile"))
def test_a_hostile_statement_is_refused_for_its_reason(row: dict[str, Any]) -> None:
    if row["by"] == "server":
        assert checked(row["statement"]) == row["statement"]  # a matter of rows and time
        return
    with pytest.raises(CypherRefused) as refused:
        checked(row["statement"])
    assert row["reason"] in str(refused.value)


@pytest.mark.parametrize("row", _rows("harmless"))
def test_a_harmless_statement_passes(row: dict[str, Any]) -> None:
    assert checked(row["statement"], MOVIES) == unescaped(row["statement"])


@pytest.mark.parametrize(("statement", "message"), [
    ("MATCH (m:Movie)\nWHERE m.votes > 3 RETURN m", "line 2:9: the graph has no property of Movie named"),
    ("MATCH (m:Films) RETURN m", "the graph has no label Films (it has: Movie, Person)"),
    ("MATCH (m:Movies) RETURN m", "near: Movie"),
    ("MATCH ()-[:ACTS_IN]->() RETURN 1 AS x", "no relationship type ACTS_IN (near: ACTED_IN"),
    ("MATCH (:Person {nam: 'x'}) RETURN 1 AS x", "named nam (near: name)"),
    ("MATCH (p:Person)-->() RETURN p.roles", "no property of Person named roles"),
    ("MATCH (n) RETURN n.votes", "the graph has no property votes"),
    ("MATCH (n) WHERE n:Actor RETURN n", "no label or type Actor"),
    ("MATCH (n:`Ac``tor`) RETURN n", "no label Ac`tor"),
    ("MATCH (n:Person&!Actor) RETURN n", "no label Actor"),
    ("MATCH (p:Person) RETURN p {.votes}", "named votes"),
])  # fmt: skip
def test_names_that_the_graph_does_not_have_are_told_with_those_that_come_near(statement, message):
    checked(statement)
    with pytest.raises(CypherRefused) as refused:
        checked(statement, MOVIES)
    assert message in str(refused.value)


@pytest.mark.parametrize("statement", [
    "MATCH (p:Person)-[p2:ACTED_IN]->() WITH p2 AS p RETURN p.roles",
    "WITH {votes: 3} AS m RETURN m.votes",
    "UNWIND [{votes: 1}] AS row MATCH (p:Person) RETURN row.votes",
    "RETURN $row.votes AS v",
    "RETURN date('2020-01-01').year AS y",
    "MATCH (n:!Movie) RETURN n.born",
    "MATCH (n:Person) WHERE n:Movie RETURN n.title",
    "MATCH (n:Person|Movie) RETURN n.title, n.name",
    "MATCH (p:Person) RETURN [p IN [{title: 1}] | p.title] AS x",
])  # fmt: skip
def test_what_may_be_something_else_is_not_held_against_a_label(statement: str) -> None:
    checked(statement, MOVIES)


def test_a_graph_without_properties_by_label_knows_properties_by_name_only() -> None:
    sampled = GraphNames(MOVIES.labels, MOVIES.types, MOVIES.properties)
    checked("MATCH (p:Person) RETURN p.roles", sampled)
    with pytest.raises(CypherRefused, match="no property votes"):
        checked("MATCH (p:Person) RETURN p.votes", sampled)


def test_an_error_says_where_and_what_is_allowed() -> None:
    with pytest.raises(CypherRefused) as refused:
        checked("MATCH (n)\nRETURN n\nLIMIT 1 SET n.x = 1")
    assert str(refused.value).startswith("line 3:9: 'SET'; allowed: ")
    with pytest.raises(CypherRefused, match=r"line 1:8: the function apoc\.coll\.toSet; allowed: collect"):
        checked("RETURN apoc.coll.toSet([1]) AS x")
    with pytest.raises(CypherRefused, match=r"the function toUppr; allowed: .*toupper"):
        checked("RETURN toUppr('x') AS x")


def test_what_runs_holds_no_escapes() -> None:
    assert checked(r"M\u0041TCH (n) RETURN '\u00e9\\u0041' AS x") == r"MATCH (n) RETURN 'é\\u0041' AS x"


def test_a_dollar_in_a_name_a_number_in_a_word_and_marks_of_other_scripts_are_refused() -> None:
    for statement in ("RETURN 1 AS a$b", "RETURN 1a AS x", "MATCH (a)—(b) RETURN a", "RETURN 1\x00"):
        with pytest.raises(CypherRefused):
            checked(statement)


def test_only_letters_of_ascii_make_keywords() -> None:
    assert [token.key for token in significant(lex("ſet SET sEt \u212aey"))] == ["", "SET", "SET", ""]


@pytest.mark.parametrize("reply", ["\n  {}\n", "```cypher\n{}\n```", "```\n{}\n```\n", "```Cypher {} ```"])
@pytest.mark.parametrize("statement", [
    "MATCH (n)\n\nRETURN n\n\nLIMIT 3",
    "MATCH (n) WHERE n.x = 'one\n\nTwo paragraphs.\n' RETURN n",
    "MATCH (n) WHERE n.x = '```cypher\nRETURN 1\n```' RETURN n",
    "/* Films: */ MATCH (m:Movie) WITH m MATCH (m)--(n) RETURN n",
    "Match (m:Movie) // Return is below\nWITH m\nRETURN m",
])  # fmt: skip
def test_a_statement_comes_out_of_a_reply_as_it_is(reply: str, statement: str) -> None:
    assert unfenced(reply.replace("{}", statement)) == statement
    checked(statement)


@pytest.mark.parametrize("reply", [
    "Here it is:\n\n```\nMATCH (n) RETURN n;\n```\nIt counts nodes.",
    "```cypher\nMATCH (n) RETURN n",
    "Cypher: MATCH (n) RETURN n",
    "MATCH (n)\nRETURN n\n\nThis returns all nodes.",
    "```json\n{}\n```\n```cypher\nRETURN 1 AS x\n```",
    "```cypher\nRETURN 1 AS x\n```\n```cypher\nRETURN 2 AS x\n```",
])  # fmt: skip
def test_a_reply_that_is_not_one_statement_is_refused_with_all_that_it_says(reply: str) -> None:
    with pytest.raises(CypherRefused):
        checked(unfenced(reply))
