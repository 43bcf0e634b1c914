"""The local vectors endpoint as the qdrant-client sees it, and what is left of it after a kill."""

from __future__ import annotations

import signal
import threading
import uuid
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import httpx
import pytest
from doubles.keys import KEY, SHOWN
from fleet.servers import START_SECONDS
from qdrant_client import QdrantClient, models
from qdrant_client.http.exceptions import UnexpectedResponse

from infra.local.parts import vectors_address, vectors_program
from infra.local.process import Running, free_port

SIZE = 4
PARAMS = models.VectorParams(size=SIZE, distance=models.Distance.COSINE)
Start = Callable[[], QdrantClient]
JSON = {**SHOWN, "Content-Type": "application/json"}


@pytest.fixture(scope="module")
def client(qdrant_url: str) -> QdrantClient:
    return QdrantClient(url=qdrant_url, headers=SHOWN, timeout=60, check_compatibility=True)


@pytest.fixture
def space(client: QdrantClient) -> Iterator[str]:
    name = f"test-{uuid.uuid4().hex}"
    client.create_collection(name, vectors_config=PARAMS)
    yield name
    client.delete_collection(name)


def a_point(number: int, **payload: object) -> models.PointStruct:
    vector = [1.0, number / 100, 0.0, 0.0]
    return models.PointStruct(id=number, vector=vector, payload={"number": number, **payload})


def keyed(key: str, value: str) -> models.Filter:
    return models.Filter(must=[models.FieldCondition(key=key, match=models.MatchValue(value=value))])


def refusal(call: Callable[[], object]) -> tuple[int | None, str]:
    with pytest.raises(UnexpectedResponse) as caught:
        call()
    return caught.value.status_code, caught.value.structured()["status"]["error"]


def test_a_collection_is_described_in_full(qdrant_url: str, client: QdrantClient, space: str) -> None:
    assert "qdrant-edge" in client.info().title
    assert httpx.get(f"{qdrant_url}/readyz", timeout=60).text == "all shards are ready"
    client.create_payload_index(space, "kind", field_schema=models.PayloadSchemaType.KEYWORD)
    client.upsert(space, [a_point(1, kind="fact")])

    described = client.get_collection(space)

    assert described.config.params.vectors == PARAMS
    assert (described.points_count, described.status) == (1, models.CollectionStatus.GREEN)
    assert described.payload_schema["kind"].data_type == models.PayloadSchemaType.KEYWORD
    assert client.collection_exists(space)
    assert space in [collection.name for collection in client.get_collections().collections]


def test_points_are_read_back_with_what_was_asked_for(client: QdrantClient, space: str) -> None:
    name = str(uuid.uuid4())
    client.upsert(space, models.Batch(ids=[name, 7], vectors=[[2.0, 0, 0, 0]] * 2, payloads=[{"a": [1]}, {}]))

    points = [
        *client.retrieve(space, [name, 99], with_payload=True, with_vectors=True),
        *client.retrieve(space, [7], with_payload=False),
    ]

    assert [(point.id, point.payload, point.vector) for point in points] == [
        (name, {"a": [1]}, [1.0, 0, 0, 0]),
        (7, None, None),
    ]


def test_filters_choose_by_value_by_several_values_by_id_and_by_their_opposite(
    client: QdrantClient, space: str
) -> None:
    client.upsert(space, [a_point(n, kind=kind) for n, kind in enumerate(("a", "b", "c", "a"), start=1)])
    any_of = models.FieldCondition(key="kind", match=models.MatchAny(any=["b", "c"]))
    ids = models.HasIdCondition(has_id=[1, 4, 9])

    def found(chosen: models.Filter) -> list[int | str | uuid.UUID]:
        return sorted(
            hit.id for hit in client.query_points(space, [1.0, 0, 0, 0], query_filter=chosen).points
        )

    assert found(keyed("kind", "a")) == [1, 4]
    assert found(models.Filter(must=[any_of])) == [2, 3]
    assert found(models.Filter(must=[ids])) == [1, 4]
    assert found(models.Filter(must=ids, must_not=[models.HasIdCondition(has_id=[4])])) == [1]
    assert found(models.Filter(should=[any_of, models.HasIdCondition(has_id=[1])])) == [1, 2, 3]
    assert client.count(space, count_filter=keyed("kind", "a")).count == 2


def test_points_are_scrolled_through_once_and_deleted_by_id_and_by_filter(
    client: QdrantClient, space: str
) -> None:
    client.upsert(space, [a_point(n, kind="even" if n % 2 == 0 else "odd") for n in range(25)])
    seen, offset = [], None

    while True:
        page, offset = client.scroll(space, limit=10, offset=offset)
        seen += [point.id for point in page]
        if offset is None:
            break

    assert seen == list(range(25))
    client.delete(space, [*range(1, 20, 2), 77])
    client.delete(space, models.FilterSelector(filter=keyed("kind", "even")))
    assert sorted(point.id for point in client.scroll(space)[0]) == [21, 23]


def test_an_unknown_collection_is_404_and_a_second_creation_409(client: QdrantClient, space: str) -> None:
    assert refusal(lambda: client.count("nothing")) == (404, "Not found: Collection `nothing` doesn't exist!")
    status, text = refusal(lambda: client.create_collection(space, vectors_config=PARAMS))
    assert (status, "already exists" in text) == (409, True)
    assert client.delete_collection("nothing") is False


def test_a_vector_that_does_not_fit_is_refused_before_anything_is_written(
    client: QdrantClient, space: str
) -> None:
    for vector in ([1.0] * (SIZE + 1), [], {"named": [1.0] * SIZE}):
        points = [a_point(1), models.PointStruct(id=2, vector=vector)]
        status, _text = refusal(partial(client.upsert, space, points))
        assert (status, client.count(space).count) == (400, 0)


def test_what_is_not_supported_is_refused_in_clear_words(client: QdrantClient, space: str) -> None:
    ranged = models.Filter(must=[models.FieldCondition(key="number", range=models.Range(gt=1))])
    refused = [
        refusal(lambda: client.create_collection("x", vectors_config={"named": PARAMS})),
        refusal(lambda: client.create_collection("x", PARAMS, sparse_vectors_config={})),
        refusal(lambda: client.count(space, count_filter=ranged)),
        refusal(lambda: client.query_points(space, [1.0] * SIZE, using="named")),
        refusal(lambda: client.query_points(space, models.RecommendQuery(recommend={"positive": [1]}))),
        refusal(lambda: client.create_payload_index(space, "n", models.PayloadSchemaType.INTEGER)),
        refusal(lambda: client.scroll(space, order_by="number")),
    ]

    assert {status for status, _text in refused} == {400}
    assert all("support" in text for _status, text in refused)


def test_paths_and_bodies_that_are_nonsense_are_refused(qdrant_url: str, space: str) -> None:
    points = f"/collections/{space}/points"
    for method, path, content, statuses in (
        ("GET", "/collections/x/snapshots", b"", {404}),
        ("PATCH", f"/collections/{space}", b"{}", {405}),
        ("PUT", points, b"{not json", {400}),
        ("PUT", points, b"[]", {400}),
        ("PUT", points, b'{"points": [{"id": "x", "vector": [1,1,1,1]}]}', {400}),
        ("PUT", points, b'{"points": [{"id": 1, "vector": [1,1,1,null]}]}', {400}),
        ("PUT", "/collections/..%2Fx", b'{"vectors": {"size": 4, "distance": "Dot"}}', {400, 404}),
        ("PUT", points, b" " * (33 * 1024 * 1024), {413}),
    ):
        reply = httpx.request(method, f"{qdrant_url}{path}", content=content, headers=JSON, timeout=60)
        assert reply.status_code in statuses, (path, content[:60])
        assert reply.json()["status"]["error"]


# Kills ------------------------------------------------------------------------------------------------


@pytest.fixture
def endpoint(tmp_path: Path) -> Iterator[Callable[[], Running]]:
    """Start the endpoint on one folder, again and again on the same port."""
    started: list[Running] = []
    program = vectors_program(tmp_path / "data", free_port(), KEY)

    def start() -> Running:
        running = Running(program, tmp_path / "endpoint.log")
        started.append(running)
        running.wait_ready(START_SECONDS)
        return running

    yield start
    for running in started:
        running.kill()


def client_of(running: Running) -> QdrantClient:
    port = int(running.program.command[running.program.command.index("--port") + 1])
    return QdrantClient(url=vectors_address(port), headers=SHOWN, timeout=60, check_compatibility=False)


def write_until_gone(
    client: QdrantClient, first: int, acknowledged: set[int], enough: threading.Event
) -> None:
    """Upsert, delete every tenth again, and remember what was acknowledged, until the server is gone."""
    number = first
    while True:
        numbers = list(range(number, number + 10))
        try:
            client.upsert("kept", [a_point(n) for n in numbers])
            acknowledged.update(numbers[1:])
            client.delete("kept", numbers[:1])
        except Exception:  # noqa: BLE001 - whatever the kill looks like from here
            return
        number += 10
        if number - first > 500:
            enough.set()


def test_acknowledged_points_survive_kill_9_during_writes_and_half_made_collections_go(
    endpoint: Callable[[], Running], tmp_path: Path
) -> None:
    acknowledged: set[int] = set()
    running, rounds = endpoint(), 2
    client_of(running).create_collection("kept", vectors_config=PARAMS)
    client_of(running).create_payload_index("kept", "number", models.PayloadSchemaType.KEYWORD)
    half_made = tmp_path / "data" / "half-made"
    for first in range(1_000_000, (rounds + 1) * 1_000_000, 1_000_000):
        enough = threading.Event()
        arguments = (client_of(running), first, acknowledged, enough)
        writer = threading.Thread(target=write_until_gone, args=arguments)
        writer.start()
        assert enough.wait(timeout=180)
        running.popen.send_signal(signal.SIGKILL)
        writer.join(timeout=180)
        running.popen.wait(timeout=60)
        (half_made / "segments").mkdir(parents=True)
        running = endpoint()

    client = client_of(running)
    stored = {point.id for point in client.scroll("kept", limit=100_000)[0]}
    assert acknowledged <= stored
    assert len(acknowledged) >= rounds * 400
    # Nothing comes back from the dead but what the last, unacknowledged call of each round may have left.
    assert len(stored - acknowledged) <= rounds * 10
    assert [collection.name for collection in client.get_collections().collections] == ["kept"]
    assert not half_made.exists()


@pytest.mark.long
def test_a_stop_keeps_everything_and_dropped_collections_stay_dropped(
    endpoint: Callable[[], Running], tmp_path: Path
) -> None:
    running = endpoint()
    client = client_of(running)
    for name in ("kept", "dropped"):
        client.create_collection(name, vectors_config=PARAMS)
        client.upsert(name, [a_point(1)])
    client.delete_collection("dropped")

    running.popen.terminate()
    assert running.popen.wait(timeout=60) in (0, -signal.SIGTERM)

    client = client_of(endpoint())
    assert [collection.name for collection in client.get_collections().collections] == ["kept"]
    assert client.count("kept").count == 1

    second = Running(vectors_program(tmp_path / "data", free_port(), KEY), tmp_path / "second.log")
    assert second.popen.wait(timeout=60) == 1, "two processes cannot serve one folder"
    assert "already served" in (tmp_path / "second.log").read_text()


# Who may call ----------------------------------------------------------------------------------------

DELETE_IT = b'{"points": [1]}'


@pytest.mark.parametrize(
    ("status", "headers"),
    [
        (401, {"api-key": ""}),
        (401, {"Authorization": "Bearer guessed", "api-key": ""}),
        (403, {"Host": "127.0.0.1.attacker.invalid:80"}),
        (403, {"Host": "attacker.invalid@127.0.0.1"}),
        (403, {"Origin": "http://127.0.0.1:9999"}),
        (403, {"Origin": "null"}),
        (415, {"Content-Type": "text/plain"}),
        (415, {"Content-Type": ""}),
    ],
)
def test_no_page_and_no_other_user_empties_a_collection(
    client: QdrantClient, qdrant_url: str, space: str, status: int, headers: dict[str, str]
) -> None:
    client.upsert(space, [a_point(1)])
    url = f"{qdrant_url}/collections/{space}/points/delete"
    reply = httpx.post(url, content=DELETE_IT, headers=JSON | headers, timeout=60)
    assert (reply.status_code, bool(reply.json()["status"]["error"])) == (status, True)
    assert client.count(space).count == 1


def test_nobody_reads_without_the_key(qdrant_url: str, space: str) -> None:
    for path in ("/", "/collections", f"/collections/{space}"):
        assert httpx.get(qdrant_url + path, timeout=60).status_code == 401
    shown = {"Authorization": f"Bearer {KEY}"}
    assert httpx.get(f"{qdrant_url}/collections", headers=shown, timeout=60).is_success
