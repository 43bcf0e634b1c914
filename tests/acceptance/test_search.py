"""`hopline search` and `hopline graph` over the demo's documents, on real servers."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest
from fleet.checks import one_object
from fleet.crew import Crew

from infra.local.process import free_port
from producer import Hopline

DEMO = Path(str(files("producer.demo") / "documents"))
TWO_HOPS = "Where was the designer of the Clifton Suspension Bridge born?"
SEARCHED = "searched-bridges"


@pytest.fixture(scope="module")
def demo(standing_crew: Crew) -> Iterator[str]:
    """The demo's documents in a collection that no other test writes to."""
    standing_crew.model.set()
    standing_crew.ingest(DEMO, SEARCHED)
    yield SEARCHED
    for document in list(standing_crew.client.documents(SEARCHED)):
        standing_crew.client.delete_document(document.id)


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
    with Hopline(crew.settings.model_copy(update={server: away})) as client:
        search_result = client.search(TWO_HOPS, demo)
    assert "Clifton Suspension Bridge" in [chunk.document.title for chunk in search_result.chunks]
    assert "vectors" in search_result.failed
