"""Questions and searches about some documents only: by real workers, the command line and HTTP."""

from __future__ import annotations

import json
import secrets
from pathlib import Path

import pytest
from fleet.checks import known_before
from fleet.crew import Crew

from workers.core.errors import InvalidInput

OLD = """Contract of 2019

The Menai Company signed the bridge contract. The notice period of the bridge contract is 180 days.
"""
NEW = """Contract of 2021

The Menai Company amended the bridge contract. The notice period of the bridge contract is 270 days.
"""
QUESTION = "What is the notice period of the bridge contract?"


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


def cited(crew: Crew, collection: str, **scope: object) -> tuple[str, set[str]]:
    answer = crew.client.ask(QUESTION, collection, **scope)
    assert answer.scope.keys() == scope.keys() - {"strategy"}
    return answer.text or "", {
        Path(citation.document.uri).name for citation in answer.citations if citation.document
    }


@pytest.mark.parametrize("strategy", ["auto", "graph", "reader"])
def test_an_answer_rests_on_what_is_in_the_scope(crew: Crew, collection: str, strategy: str) -> None:
    text, documents = cited(crew, collection, strategy=strategy, where='tags has "signed"')
    assert documents == {"2021.txt"}
    assert "270 days" in text
    assert "180" not in text
    text, documents = cited(crew, collection, strategy=strategy, as_of="2020-12-31")
    assert documents == {"2019.txt"}
    assert "180 days" in text
    assert "270" not in text


def test_a_search_finds_what_is_in_the_scope(crew: Crew, collection: str) -> None:
    everything = crew.client.search(QUESTION, collection)
    by_id = {chunk.document.id: chunk for chunk in everything.chunks}
    assert len(by_id) == 2
    for name in by_id:
        search_result = crew.client.search(QUESTION, collection, documents=[name])
        assert {chunk.document.id for chunk in search_result.chunks} == {name}


def test_what_means_no_document_or_reads_more_is_refused(crew: Crew, collection: str) -> None:
    refused = {
        "where": {"where": 'tags has "lost"'},
        "as_of": {"as_of": "1999-01-01"},
        "documents": {"documents": ["d-unknown"]},
    }
    for field, scope in refused.items():
        with pytest.raises(InvalidInput, match=f"{field}: "):
            crew.client.search(QUESTION, collection, **scope)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="strategy: "):
        crew.client.submit_question(QUESTION, collection, strategy="tools", where='tags has "signed"')


def test_a_session_remembers_within_a_scope_what_rests_on_nothing_else(crew: Crew, collection: str) -> None:
    session, signed = secrets.token_hex(4), {"where": 'tags has "signed"'}

    def ask(**scope: object) -> tuple[str, list[str]]:
        answer = crew.client.ask(QUESTION, collection, strategy="graph", session=session, **scope)
        return answer.text or "", known_before(crew, answer.job_id)

    everything, before = ask()
    assert before == []
    within, before = ask(**signed)
    assert before == [], "an answer that rests on other documents, too, is not used"
    assert ask(as_of="2020-12-31")[1] == []
    assert ask(**signed)[1] == [within]
    assert ask()[1][:2] == [everything, within]
    for name, tag in (("2021.txt", "draft"), ("2019.txt", "signed")):
        (changed,) = [
            document for document in crew.client.documents(collection) if document.uri.endswith(name)
        ]
        crew.client.change_metadata([changed.id], values={"tags": [tag]})
    assert ask(**signed)[1] == [], "an answer is not used when a document that it cites has left the scope"
