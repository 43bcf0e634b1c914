"""A script is split where a statement ends, and nowhere else."""

import pytest

from workers.adapters.neo4j.script import batches, own_names
from workers.core.errors import CypherRefused
from workers.text2cypher.script import ScriptStatement, split_script


def texts(script: str) -> list[str]:
    return [statement.text for statement in split_script(script)]


def test_a_semicolon_within_a_text_a_name_or_a_comment_ends_nothing() -> None:
    for statement in [
        "CREATE (:A {text: 'one; two'})",
        'CREATE (:A {text: "one; \\"two;\\""})',
        "CREATE (:`odd;``name;`)",
        "CREATE (:A) // a remark; with a stop\nCREATE (:B)",
        "CREATE (:A) /* one; \n two; */ CREATE (:B)",
    ]:
        assert texts(f"{statement};\nMATCH (n) RETURN n") == [statement, "MATCH (n) RETURN n"], statement


def test_statements_know_the_line_where_they_begin() -> None:
    script = (
        "// made by hand;\n\nCREATE (:A);CREATE (:B)\n;\n/* two\nlines */ CREATE (:C {t: '\n'});\nCREATE (:D)"
    )
    expected = [(3, "CREATE (:A)"), (3, "CREATE (:B)"), (6, "CREATE (:C {t: '\n'})"), (8, "CREATE (:D)")]
    assert [(statement.line, statement.text) for statement in split_script(script)] == expected


def test_a_script_may_hold_no_statement_and_an_escape_is_what_it_stands_for() -> None:
    assert texts("") == texts(";;\n ; ") == texts("// nothing;") == texts("/* ; */") == []
    assert texts("CREATE (:A {t: 'a\\u003bb'});CREATE (:B)") == ["CREATE (:A {t: 'a;b'})", "CREATE (:B)"]


def test_commands_on_the_schema_and_those_with_transactions_of_their_own_are_told_apart():
    for statement, kind in [
        ("CREATE CONSTRAINT IF NOT EXISTS FOR (p:P) REQUIRE (p.name) IS UNIQUE", "schema"),
        ("create or replace fulltext index names FOR (n:A) ON EACH [n.name]", "schema"),
        ("CREATE (index:Index)", "data"),
        ("CREATE (:A)-[:INDEX]->(:B)", "data"),
        ("UNWIND range(1, 9) AS x CALL (x) { CREATE (:A) } IN 2 CONCURRENT TRANSACTIONS OF 3 ROWS", "own"),
        ("UNWIND [1] AS x CALL { WITH x CREATE (:A {b: {c: [x]}}) } IN TRANSACTIONS", "own"),
        ("MATCH (n) CALL (*) { DETACH DELETE n } // all\n in $n + 1 concurrent transactions", "own"),
        ("CREATE (:A {text: 'IN TRANSACTIONS'})", "data"),
        ("CREATE (a:Bank&Transactions)-[:IN {n: 1}]->(:`TRANSACTIONS`)", "data"),
        ("MATCH (a:CALL {x: 1}) WHERE {y: 1} IN transactions SET a.x = 2", "data"),
        ("CALL db.info() YIELD id WITH [] AS transactions, id WHERE {x: id} IN transactions", "data"),
        ("CALL () { RETURN 1 AS x } WITH x, [2] AS transactions WHERE x IN transactions CREATE (:A)", "data"),
    ]:
        assert [part.kind for part in split_script(statement)] == [kind], statement


def test_what_is_no_cypher_is_refused_with_its_place() -> None:
    for script, complaint in [
        (":param name => 'x'\nCREATE (:A);", "line 1:1: `:param name => 'x'` is a command of a shell"),
        ("CREATE (:A);\n:use other;\nCREATE (:B);", "line 2:1: `:use other` is a command of a shell"),
        ("CREATE (:A {t: 'one});\nCREATE (:B);", "line 1:16: a text that does not end"),
        ("CREATE (:A);\n/* CREATE (:B);", "line 2:1: a comment that does not end"),
    ]:
        with pytest.raises(CypherRefused, match=complaint.replace("(", "\\(")):
            texts(script)


def test_statements_on_data_share_transactions_up_to_a_bound() -> None:
    kinds = ("schema", "schema", "data", "data", "data", "own", "own", "schema", "data")
    script = [ScriptStatement("x", line, kind) for line, kind in enumerate(kinds)]
    assert [[statement.line for statement in batch] for batch in batches(script, most_statements=2)] == [
        *([0], [1], [2, 3], [4]),
        *([5], [6], [7], [8]),
    ]
    assert all(len(batch) == 1 for batch in batches(script, most_characters=1))


def test_of_names_that_are_new_a_statement_owns_those_that_nobody_else_can_have_made() -> None:
    unnamed, named = "CREATE INDEX FOR (a:A) ON (a.x)", "CREATE INDEX `my one` FOR (a:A) ON (a.x)"
    assert own_names({"index_1"}, 1, unnamed) == {"index_1"}
    assert own_names({"index_1", "other"}, 1, unnamed) == set()
    assert own_names({"my one", "other"}, 1, named) == {"my one"}
    assert own_names({"other"}, 0, named) == own_names({"my one"}, 0, named) == set()
