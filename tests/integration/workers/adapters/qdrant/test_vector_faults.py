"""What the vectors adapter makes of a server that is away, hangs, fails or refuses."""

import socket
from pathlib import Path

import pytest
from doubles.endpoint import Start
from doubles.keys import KEY
from fleet.servers import START_SECONDS

from hopline.errors import DependencyAway, Permanent, Transient
from infra.local.parts import vectors_address, vectors_program
from infra.local.process import Running, free_port
from workers.adapters.qdrant.vectors import QdrantVectors
from workers.core.graph.vectors import Embedder, Point

EMBEDDER = Embedder(name="made-up", dimension=2)
POINT = Point(graph_id="f1", kind="fact", vector=(1.0, 0.0))


def answering(endpoint: Start, status: int, body: bytes, **headers: str) -> QdrantVectors:
    """Return the adapter to a server that gives every request this one reply."""
    url, _seen = endpoint(lambda _body: (status, body, headers))
    return QdrantVectors(url.removesuffix("/v1"), timeout=60)


def search(vectors: QdrantVectors) -> None:
    vectors.search("test", [(1.0, 0.0)], "fact", 1)


def test_a_server_that_cannot_be_reached_is_away() -> None:
    with pytest.raises(DependencyAway):
        search(QdrantVectors(f"http://127.0.0.1:{free_port()}"))


def test_a_server_that_never_answers_is_away() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(DependencyAway, match="Timeout"):
        search(QdrantVectors(f"http://127.0.0.1:{silent.getsockname()[1]}", timeout=0.5))


FULL, KEYLESS = b'{"status": {"error": "disk is full"}, "time": 0}', b'{"status": {"error": "no such key"}}'
NOT_QDRANTS = (b"<html>", b"[]", b"{}", b'{"result": null}', b'{"result": [{"points": [{"id": "f1"}]}]}')


@pytest.mark.parametrize(("status", "body", "error", "why"), [
    *((status, FULL, Transient, "disk is full") for status in (500, 503)),
    *((status, KEYLESS, Permanent, f"{status}: no such key") for status in (401, 413)),
    *((200, body, Permanent, "not Qdrant's") for body in NOT_QDRANTS),
    (302, b"", Permanent, None),
])  # fmt: skip
def test_a_fault_of_the_server_is_tried_again_and_a_refusal_says_why(endpoint, status, body, error, why):
    with pytest.raises(error, match=why):
        search(answering(endpoint, status, body, Location="/login"))


def test_a_busy_server_says_when_to_come_back(endpoint: Start) -> None:
    for asked, seconds in (
        ({"Retry-After": "7"}, 7),
        ({}, None),
        ({"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"}, None),
    ):
        with pytest.raises(Transient) as caught:
            search(answering(endpoint, 429, b"too many", **asked))
        assert caught.value.retry_after == seconds


def test_writing_what_was_never_prepared_is_tried_again(qdrant_url: str) -> None:
    lost = Point(graph_id="f1", kind="fact", vector=(1.0,) * 77)

    with pytest.raises(Transient, match="not prepared"):
        QdrantVectors(qdrant_url, KEY).upsert("test", [lost])


def test_a_vector_with_a_number_that_is_none_is_a_permanent_error(qdrant_url: str, collection: str) -> None:
    vectors = QdrantVectors(qdrant_url, KEY)
    vectors.prepare(collection, EMBEDDER)

    with pytest.raises(Permanent):
        vectors.upsert(collection, [POINT, POINT.model_copy(update={"vector": (float("nan"), 0.0)})])

    assert vectors.count(collection) == 0
    vectors.drop(collection)


def test_a_restart_of_the_server_is_got_over_also_when_it_lost_its_data(tmp_path: Path) -> None:
    port = free_port()
    vectors = QdrantVectors(vectors_address(port), KEY)
    for folder, kept in (("data", 0), ("data", 1), ("lost", 0)):
        running = Running(vectors_program(tmp_path / folder, port, KEY), tmp_path / "log")
        try:
            running.wait_ready(START_SECONDS)
            if folder == "lost":
                with pytest.raises(Transient):
                    vectors.upsert("test", [POINT])
            vectors.prepare("test", EMBEDDER)
            assert vectors.count("test") == kept
            vectors.upsert("test", [POINT])
        finally:
            running.kill()
        with pytest.raises(DependencyAway):
            vectors.upsert("test", [POINT])
