"""Queries of Neo4j: how they are made, how far they look, and what becomes of their errors."""

from pathlib import Path

import pytest
from neo4j.exceptions import AuthError, ConnectionAcquisitionTimeoutError, Neo4jError, ServiceUnavailable

from hopline.errors import REFUSES_LOGIN, DependencyAway, LoginRefused, Permanent, Transient
from workers.adapters import neo4j as adapter
from workers.adapters.neo4j.around import AroundReader
from workers.adapters.neo4j.errors import Login, classed, is_worth_repeating
from workers.adapters.neo4j.live_graph import GraphReader
from workers.adapters.neo4j.rows import MOST_FETCHED, any_word
from workers.core.errors import BLOCKS_LOGIN


def of_server(code: str, message: str = "it failed") -> Neo4jError:
    return Neo4jError._hydrate_neo4j(code=code, message=message)


LATER, RIGHT = f"{BLOCKS_LOGIN}: try again in a moment", "correct A_USER and A_PASSWORD"
BLOCKED = "Neo.ClientError.Security.AuthenticationRateLimit"
# What a statement says that reads a node after somebody deleted it.
NULLS = "Collections containing null values can not be stored in properties."


def test_an_error_is_classed_by_what_a_worker_does_with_it():
    for error, kind, again in [
        (ServiceUnavailable("gone"), DependencyAway, True),
        (ConnectionRefusedError(), DependencyAway, True),
        (ConnectionAcquisitionTimeoutError("all busy"), DependencyAway, False),
        (AuthError("not yet"), LoginRefused, False),
        (of_server(BLOCKED), LoginRefused, False),
        (of_server("Neo.TransientError.General.DatabaseUnavailable"), DependencyAway, True),
        (of_server("Neo.TransientError.Transaction.DeadlockDetected"), Transient, True),
        (of_server("Neo.ClientError.Statement.EntityNotFound"), Transient, True),
        (of_server("Neo.ClientError.Statement.TypeError", NULLS), Transient, True),
        (of_server("Neo.ClientError.Statement.TypeError", "Expected a list"), Permanent, False),
        (of_server("Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration"), Transient, False),
        (of_server("Neo.DatabaseError.General.UnknownError"), Transient, False),
        (of_server("Neo.ClientError.Statement.SyntaxError"), Permanent, False),
    ]:
        assert type(classed(error, "read_node")) is kind, error
        assert is_worth_repeating(error) is again, error
        assert ("read_node" in str(classed(error, "read_node"))) is (kind is not LoginRefused), error


@pytest.mark.parametrize(("error", "login", "said"), [
    (AuthError("no"), Login(), REFUSES_LOGIN),
    (AuthError("no"), Login("", "A"), f"{REFUSES_LOGIN}: {RIGHT}"),
    (of_server(BLOCKED), Login(), LATER),
    (of_server(BLOCKED), Login("", "A"), f"{LATER}; if the user or password is wrong, {RIGHT}"),
])  # fmt: skip
def test_a_login_refused_or_blocked_is_told_with_what_to_do(error, login, said):
    assert str(classed(error, "read_node", login)) == f"Neo4j {said}"
    named = login._replace(url="bolt://there:1")
    assert str(classed(error, "read_node", named)) == f"Neo4j at bolt://there:1 {said}"


def test_every_query_begins_with_what_it_does():
    folder = Path(adapter.__file__).with_name("cypher")
    texts = {query.name: query.read_text(encoding="utf-8") for query in folder.rglob("*.cypher")}
    assert len(texts) > 20
    assert [name for name, text in texts.items() if not text.startswith("// ")] == []


def test_words_of_a_question_are_never_operators():
    query = any_word("c", ("text",), 'who AND (what) "or" scope:x* ~ \\')
    assert query.endswith('+(text:("who" "and" "what" "or" "scope" "x"))')
    assert any_word("c", ("text",), "?! -- \\") == ""


def test_a_long_text_is_searched_by_its_end():
    text = " ".join(["bridge", *(f"w{n}" for n in range(90)), "who built the bridge"])
    query = any_word("c", ("text",), text)
    assert query.endswith('"w89" "who" "built" "the" "bridge"))')
    assert '"w0"' not in query
    assert query.count('"bridge"') == 1


class HiddenIndex:
    """An index of nothing but hidden nodes, as many as are asked for."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def run(self, name: str, /, *, limit: int, **parameters):
        self.asked.append(limit)
        if name == "chunks_like":
            return [
                {"hits": [(f"c{nth}", 1.0, False) for nth in range(limit)]} for _ in parameters["queries"]
            ]
        return [{"id": f"k{nth}", "text": "", "score": 1.0, "live": False} for nth in range(limit)]

    def run_marked(self, name: str, /, **parameters):
        return self.run(name, **parameters), "the state"


def test_a_search_for_chunks_ends_however_many_are_hidden():
    index = HiddenIndex()
    assert AroundReader(index).chunks_like("c", ["who", "when"], 50) == [[], []]
    assert (len(index.asked), max(index.asked)) == (4, MOST_FETCHED)


class LanguagesIndex:
    """A collection whose documents are in some languages; asked is the number of queries."""

    def __init__(self, **documents):
        self.rows = [{"language": name, "documents": count} for name, count in documents.items()]
        self.asked = 0

    def run(self, _name, /, **_parameters):
        self.asked += 1
        return self.rows


def test_the_languages_of_documents_are_asked_for_once_also_where_none_has_any():
    for rows, asked in (({"": 5}, 1), ({"de": 2}, 1), ({}, 2)):  # one that is empty is about to be filled
        index = LanguagesIndex(**rows)
        around = AroundReader(index)
        assert around.languages("c") == around.languages("c") == tuple(filter(None, rows))
        assert index.asked == asked


def test_a_search_for_elements_ends_however_many_are_hidden():
    index = HiddenIndex()
    assert GraphReader(index).elements_like("c", "who", 3000) == []
    assert index.asked == [3010]  # what is asked for is fetched once, also beyond the bound
