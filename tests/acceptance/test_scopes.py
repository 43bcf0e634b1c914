"""Questions and searches about some documents only, and what a search finds: by real workers and servers."""

import json
import secrets
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest
from fleet.checks import known_before, one_object
from fleet.crew import Crew

from hopline import Hopline
from infra.local.process import free_port

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
    standing_crew.ingest(folder, name)
    return name


@pytest.mark.parametrize("strategy", ["graph", pytest.param("reader", marks=pytest.mark.long)])
def test_an_answer_rests_on_what_is_in_the_scope(crew: Crew, collection: str, strategy: str) -> None:
    scopes = ((SIGNED, "2021.txt", "270", "180"), ({"as_of": "2020-12-31"}, "2019.txt", "180", "270"))
    for scope, document, days, others in scopes:
        answer = crew.client.ask(QUESTION, collection=collection, strategy=strategy, **scope)
        assert answer.scope.keys() == scope.keys()
        assert {Path(citation.document.uri).name for citation in answer.citations} == {document}
        assert {citation.place.words for citation in answer.citations} == {"line 3"}
        assert (f"{days} days" in answer.text, others in answer.text) == (True, False)


def test_a_search_finds_what_is_in_the_scope(crew: Crew, collection: str) -> None:
    found = crew.client.queries.search(QUESTION, collection=collection)
    names = {chunk.document.id for chunk in found.chunks}
    assert len(names) == 2
    for name in names:
        search_result = crew.client.queries.search(QUESTION, collection=collection, documents=[name])
        assert {chunk.document.id for chunk in search_result.chunks} == {name}


def test_a_session_remembers_within_a_scope_what_rests_on_nothing_else(crew: Crew, collection: str) -> None:
    session = secrets.token_hex(4)

    def ask(**scope: object) -> tuple[str, list[str]]:
        answer = crew.client.ask(QUESTION, collection=collection, strategy="graph", session=session, **scope)
        return answer.text or "", known_before(crew, answer.job_id)

    everything, before = ask()
    assert before == []
    within, before = ask(**SIGNED)
    assert before == [], "an answer that rests on other documents, too, is not used"
    assert ask(as_of="2020-12-31")[1] == []
    assert ask(**SIGNED)[1] == [within]
    assert ask()[1][:2] == [everything, within]
    for name, tag in (("2021.txt", "draft"), ("2019.txt", "signed")):
        documents = crew.client.documents.iterate(collection=collection)
        (changed,) = [document for document in documents if document.uri.endswith(name)]
        crew.client.documents.change_metadata([changed.id], set={"tags": [tag]})
    assert ask(**SIGNED)[1] == [], "an answer is not used when a document that it cites has left the scope"


DEMO = Path(str(files("producer.demo") / "documents"))
TWO_HOPS = "Where was the designer of the Clifton Suspension Bridge born?"
SEARCHED = "searched-bridges"


@pytest.fixture(scope="module")
def demo(standing_crew: Crew) -> Iterator[str]:
    """The demo's documents in a collection that no other test writes to."""
    standing_crew.model.set()
    standing_crew.ingest(DEMO, SEARCHED)
    yield SEARCHED
    for document in list(standing_crew.client.documents.iterate(collection=SEARCHED)):
        standing_crew.client.documents.delete(document.id, wait=60)


def test_a_question_of_two_hops_finds_both_documents_and_asks_no_model(crew: Crew, demo: str) -> None:
    crew.model.set()
    done = crew.run("search", TWO_HOPS, "-c", demo, "--limit", "5", "--json")
    assert done.returncode == 0, done.stderr
    search_result = one_object(done.stdout)
    titles = {chunk["document"]["title"] for chunk in search_result["chunks"]}
    assert titles >= {"Clifton Suspension Bridge", "Isambard Kingdom Brunel"}
    assert set(crew.model.requests()) <= {"embeddings", "texts"}
    scores = [chunk["score"] for chunk in search_result["chunks"]]
    assert scores == sorted(scores, reverse=True)
    assert all(chunk["reasons"] for chunk in search_result["chunks"])
    asked = [element["name"] for element in search_result["elements"] if element["asked"]]
    assert "clifton suspension bridge" in asked
    assert search_result["failed"] == {}
    for chunk in search_result["chunks"]:
        assert chunk["chunk"]["id"] in {fact["chunk_id"] for fact in chunk["facts"]} or not chunk["facts"]


@pytest.mark.parametrize("server", ["qdrant_url", "embedding_url"])
def test_a_server_that_is_away_is_done_without_and_said(crew: Crew, demo: str, server: str) -> None:
    away = f"http://127.0.0.1:{free_port()}"
    with Hopline.local(crew.settings.model_copy(update={server: away})) as client:
        search_result = client.queries.search(TWO_HOPS, collection=demo)
    assert "Clifton Suspension Bridge" in [chunk.document.title for chunk in search_result.chunks]
    assert "vectors" in search_result.failed
