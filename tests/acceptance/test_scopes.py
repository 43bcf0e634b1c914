"""Questions and searches about some documents only: by real workers and the Python client."""

from __future__ import annotations

import json
import secrets
from pathlib import Path

import pytest
from fleet.checks import known_before
from fleet.crew import Crew

OLD = """Contract of 2019

The Menai Company signed the bridge contract. The notice period of the bridge contract is 180 days.
"""
NEW = """Contract of 2021

The Menai Company amended the bridge contract. The notice period of the bridge contract is 270 days.
"""
QUESTION = "What is the notice period of the bridge contract?"
SIGNED = {"where": 'tags has "signed"'}


@pytest.fixture(scope="module")
def collection(standing_crew: Crew, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Two contracts that differ; only the newer one is signed."""
    name, folder = f"scopes-{secrets.token_hex(4)}", tmp_path_factory.mktemp("scopes")
    for year, text, tags in (("2019", OLD, ["draft"]), ("2021", NEW, ["signed"])):
        (folder / f"{year}.txt").write_text(text, encoding="utf-8")
        fields = {"date": f"{year}-05-01", "tags": tags}
        (folder / f"{year}.txt.meta.json").write_text(json.dumps(fields), encoding="utf-8")
    assert not standing_crew.client.ingest([folder], name).failed
    return name


@pytest.mark.parametrize("strategy", ["graph", pytest.param("reader", marks=pytest.mark.long)])
def test_an_answer_rests_on_what_is_in_the_scope(crew: Crew, collection: str, strategy: str) -> None:
    scopes = ((SIGNED, "2021.txt", "270", "180"), ({"as_of": "2020-12-31"}, "2019.txt", "180", "270"))
    for scope, document, days, others in scopes:
        answer = crew.client.ask(QUESTION, collection, strategy=strategy, **scope)
        assert answer.scope.keys() == scope.keys()
        assert {Path(citation.document.uri).name for citation in answer.citations} == {document}
        assert (f"{days} days" in answer.text, others in answer.text) == (True, False)


def test_a_search_finds_what_is_in_the_scope(crew: Crew, collection: str) -> None:
    names = {chunk.document.id for chunk in crew.client.search(QUESTION, collection).chunks}
    assert len(names) == 2
    for name in names:
        search_result = crew.client.search(QUESTION, collection, documents=[name])
        assert {chunk.document.id for chunk in search_result.chunks} == {name}


def test_a_session_remembers_within_a_scope_what_rests_on_nothing_else(crew: Crew, collection: str) -> None:
    session = secrets.token_hex(4)

    def ask(**scope: object) -> tuple[str, list[str]]:
        answer = crew.client.ask(QUESTION, collection, strategy="graph", session=session, **scope)
        return answer.text or "", known_before(crew, answer.job_id)

    everything, before = ask()
    assert before == []
    within, before = ask(**SIGNED)
    assert before == [], "an answer that rests on other documents, too, is not used"
    assert ask(as_of="2020-12-31")[1] == []
    assert ask(**SIGNED)[1] == [within]
    assert ask()[1][:2] == [everything, within]
    for name, tag in (("2021.txt", "draft"), ("2019.txt", "signed")):
        (changed,) = [
            document for document in crew.client.documents(collection) if document.uri.endswith(name)
        ]
        crew.client.change_metadata([changed.id], values={"tags": [tag]})
    assert ask(**SIGNED)[1] == [], "an answer is not used when a document that it cites has left the scope"
