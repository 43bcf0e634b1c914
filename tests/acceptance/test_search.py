"""`hopline search` and `hopline graph` over the demo's documents, on real servers."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from fleet.checks import one_object
from fleet.crew import Crew
from fleet.worlds import BRIDGE_QUESTION, write_bridge

from infra.local.process import free_port
from producer import Hopline
from workers.core.errors import EmbedderMismatch

DEMO = Path(str(files("producer.demo") / "documents"))
TWO_HOPS = "Where was the designer of the Clifton Suspension Bridge born?"
SEARCHED = "searched-bridges"


@pytest.fixture(scope="module")
def bridges(standing_crew: Crew) -> Iterator[str]:
    """The demo's documents in a collection that no other test writes to."""
    standing_crew.model.set()
    standing_crew.ingest(DEMO, SEARCHED)
    yield SEARCHED
    for document in list(standing_crew.client.documents(SEARCHED)):
        standing_crew.client.delete_document(document.id)


def searched(crew: Crew, *words: str) -> dict[str, Any]:
    """Search by the command line, which must find something."""
    done = crew.run("search", *words, "--json")
    assert done.returncode == 0, done.stderr
    return one_object(done.stdout)


def titles(search_result: dict[str, Any]) -> list[str]:
    return [chunk["document"]["title"] for chunk in search_result["chunks"]]


def test_a_question_of_two_hops_finds_both_documents_and_asks_no_language_model(
    crew: Crew, bridges: str
) -> None:
    crew.model.set()
    search_result = searched(crew, TWO_HOPS, "-c", bridges, "--limit", "5")
    assert {"Clifton Suspension Bridge", "Isambard Kingdom Brunel"} <= set(titles(search_result))
    assert set(crew.model.requests()) <= {"embeddings", "texts"}
    scores = [chunk["score"] for chunk in search_result["chunks"]]
    assert scores == sorted(scores, reverse=True)
    assert all(chunk["reasons"] for chunk in search_result["chunks"])
    assert "clifton suspension bridge" in [
        element["name"] for element in search_result["elements"] if element["asked"]
    ]
    assert search_result["failed"] == {}
    for chunk in search_result["chunks"]:
        assert chunk["chunk"]["id"] in {fact["chunk_id"] for fact in chunk["facts"]} or not chunk["facts"]


def test_people_read_titles_sentences_and_reasons(crew: Crew, bridges: str) -> None:
    done = crew.run("search", TWO_HOPS, "-c", bridges)
    assert done.returncode == 0, done.stderr
    for part in (
        "Clifton Suspension Bridge · characters",
        "born",
        "why: ",
        "key elements asked for: ",
        " ms",
    ):
        assert part in done.stdout


def test_one_collection_never_shows_in_another(
    crew: Crew, bridges: str, collection: str, tmp_path: Path
) -> None:
    crew.ingest(write_bridge(tmp_path), collection)
    search_result = crew.client.search(TWO_HOPS, collection, limit=100)
    assert {chunk.document.collection for chunk in search_result.chunks} == {collection}
    assert {chunk.document.title for chunk in search_result.chunks} <= {"Alda Bridge", "Maren Holt", "holt"}
    names = {element.name for element in search_result.elements}
    assert "isambard kingdom brunel" not in names
    others = crew.client.search(BRIDGE_QUESTION, bridges, limit=100)
    assert {chunk.document.collection for chunk in others.chunks} == {bridges}
    ours = {chunk.chunk.id for chunk in search_result.chunks} | {fact.id for fact in search_result.facts}
    assert not ours & ({chunk.chunk.id for chunk in others.chunks} | {fact.id for fact in others.facts})


def test_without_vectors_a_search_still_finds(crew: Crew, collection: str, tmp_path: Path) -> None:
    crew.ingest(write_bridge(tmp_path), collection)
    crew.client.services.vectors.drop(collection)
    search_result = crew.client.search(BRIDGE_QUESTION, collection)
    assert "Alda Bridge" in [chunk.document.title for chunk in search_result.chunks]


@pytest.mark.parametrize("server", ["qdrant_url", "embedding_url"])
def test_a_server_that_is_away_is_done_without_and_said(crew: Crew, bridges: str, server: str) -> None:
    away = f"http://127.0.0.1:{free_port()}"
    with Hopline(crew.settings.model_copy(update={server: away})) as client:
        search_result = client.search(TWO_HOPS, bridges)
    assert "Clifton Suspension Bridge" in [chunk.document.title for chunk in search_result.chunks]
    assert "vectors" in search_result.failed


def test_an_embedder_that_is_not_the_collections_is_refused_with_what_to_do(crew: Crew, bridges: str) -> None:
    other = crew.settings.model_copy(update={"embedding_model": "another"})
    with Hopline(other) as client, pytest.raises(EmbedderMismatch, match="hopline reindex"):
        client.search(TWO_HOPS, bridges)


def test_a_question_that_names_no_key_element_is_searched_by_the_rest(crew: Crew, bridges: str) -> None:
    search_result = searched(crew, "which of them took longest to finish", "-c", bridges)
    assert not [element for element in search_result["elements"] if element["asked"]]


def test_an_unknown_collection_finds_nothing_and_says_so(crew: Crew, bridges: str) -> None:
    done = crew.run("search", TWO_HOPS, "-c", "never-was", "--json")
    assert done.returncode == 3
    assert one_object(done.stdout)["chunks"] == []
    assert "there is no collection never-was; " in done.stderr
    done = crew.run("search", TWO_HOPS, "-c", f"{bridges}s")
    assert f"there is no collection {bridges}s; did you mean {bridges}? There are: " in done.stderr
    done = crew.run("graph", "-c", "never-was")
    assert done.returncode == 3
    assert "there is no collection never-was" in done.stderr


def test_the_graph_counts_what_was_ingested(crew: Crew, bridges: str) -> None:
    done = crew.run("graph", "-c", bridges, "--json")
    assert done.returncode == 0, done.stderr
    census = one_object(done.stdout)
    documents = list(crew.client.documents(bridges))
    assert census["live"]["documents"] == len(documents) == len(list(DEMO.iterdir()))
    assert census["live"]["chunks"] == sum(document.chunks for document in documents)
    assert 0 < census["live"]["facts"] <= sum(document.facts for document in documents)
    assert census["orphans"] == {"documents": 0, "chunks": 0, "facts": 0, "elements": 0}
    assert sum(degree["elements"] for degree in census["degrees"]) == census["live"]["elements"]
    shown = crew.run("graph", "-c", bridges).stdout
    assert f"Collection {bridges}" in shown
    assert "█" in shown
