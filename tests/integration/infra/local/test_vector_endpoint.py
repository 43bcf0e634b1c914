"""The local vectors endpoint as the qdrant-client sees it, and what is left of it after a kill."""

import signal
import threading
import uuid
from collections.abc import Callable, Iterator
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


def test_a_collection_is_described_and_its_points_read_back_and_scrolled_through(qdrant_url, client, space):
    name = str(uuid.uuid4())
    client.create_payload_index(space, "kind", field_schema=models.PayloadSchemaType.KEYWORD)
    client.upsert(space, models.Batch(ids=[name, 7], vectors=[[2.0, 0, 0, 0]] * 2, payloads=[{"a": [1]}, {}]))

    assert "qdrant-edge" in client.info().title
    assert httpx.get(f"{qdrant_url}/readyz", timeout=60).text == "all shards are ready"
    described = client.get_collection(space)
    assert described.config.params.vectors == PARAMS
    assert (described.points_count, described.status) == (2, models.CollectionStatus.GREEN)
    assert described.payload_schema["kind"].data_type == models.PayloadSchemaType.KEYWORD
    assert space in [collection.name for collection in client.get_collections().collections]

    [whole] = client.retrieve(space, [name, 99], with_payload=True, with_vectors=True)
    [bare] = client.retrieve(space, [7], with_payload=False)
    assert (whole.id, whole.payload, whole.vector) == (name, {"a": [1]}, [1.0, 0, 0, 0])
    assert (bare.id, bare.payload, bare.vector) == (7, None, None)
    page, offset = client.scroll(space, limit=1)
    rest, end = client.scroll(space, limit=10, offset=offset)
    assert ({point.id for point in [*page, *rest]}, end) == ({7, name}, None)


def test_filters_choose_what_is_found_counted_and_deleted(client: QdrantClient, space: str) -> None:
    client.upsert(space, [a_point(n, kind=kind) for n, kind in enumerate(("a", "b", "c", "a"), start=1)])
    any_of = models.FieldCondition(key="kind", match=models.MatchAny(any=["b", "c"]))
    ids, fourth = (models.HasIdCondition(has_id=chosen) for chosen in ([1, 4, 9], [4]))
    chosen = {
        (1, 4): keyed("kind", "a"),
        (2, 3): models.Filter(must=[any_of]),
        (1,): models.Filter(must=ids, must_not=[fourth]),
        (2, 3, 4): models.Filter(should=[any_of, fourth]),
    }
    for points, query_filter in chosen.items():
        hits = client.query_points(space, [1.0, 0, 0, 0], query_filter=query_filter).points
        assert sorted(hit.id for hit in hits) == list(points)
        assert client.count(space, count_filter=query_filter).count == len(points)
    client.delete(space, [1, 77])
    client.delete(space, models.FilterSelector(filter=models.Filter(must=[any_of])))
    assert [point.id for point in client.scroll(space)[0]] == [4]


def test_what_is_not_there_does_not_fit_or_is_not_supported_is_refused_in_clear_words(client, space):
    ranged = models.Filter(must=[models.FieldCondition(key="number", range=models.Range(gt=1))])
    recommended = models.RecommendQuery(recommend={"positive": [1]})
    long, named = [1.0] * (SIZE + 1), {"named": [1.0] * SIZE}
    refused: list[tuple[Callable[[], object], int, str]] = [
        (lambda: client.count("nothing"), 404, "Not found: Collection `nothing` doesn't exist!"),
        (lambda: client.create_collection(space, vectors_config=PARAMS), 409, "already exists"),
        (lambda: client.upsert(space, [a_point(1), models.PointStruct(id=2, vector=long)]), 400, ""),
        (lambda: client.upsert(space, [a_point(1), models.PointStruct(id=2, vector=[])]), 400, ""),
        (lambda: client.upsert(space, [a_point(1), models.PointStruct(id=2, vector=named)]), 400, ""),
        (lambda: client.create_collection("x", vectors_config={"named": PARAMS}), 400, "support"),
        (lambda: client.create_collection("x", PARAMS, sparse_vectors_config={}), 400, "support"),
        (lambda: client.count(space, count_filter=ranged), 400, "support"),
        (lambda: client.query_points(space, [1.0] * SIZE, using="named"), 400, "support"),
        (lambda: client.query_points(space, recommended), 400, "support"),
        (lambda: client.create_payload_index(space, "n", models.PayloadSchemaType.INTEGER), 400, "support"),
        (lambda: client.scroll(space, order_by="number"), 400, "support"),
    ]
    for call, status, words in refused:
        with pytest.raises(UnexpectedResponse) as caught:
            call()
        assert caught.value.status_code == status
        assert words in caught.value.structured()["status"]["error"]
    assert client.count(space).count == 0, "nothing was written"
    assert client.delete_collection("nothing") is False


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


def write_until_gone(client, first, acknowledged, enough):
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


def test_acknowledged_points_survive_kill_9_during_writes_and_half_made_collections_go(endpoint, tmp_path):
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
def test_a_stop_keeps_everything_and_dropped_collections_stay_dropped(endpoint, tmp_path):
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


@pytest.mark.parametrize(("status", "headers"), [
    (401, {"api-key": ""}),
    (401, {"Authorization": "Bearer guessed", "api-key": ""}),
    (403, {"Host": "127.0.0.1.attacker.invalid:80"}),
    (403, {"Host": "attacker.invalid@127.0.0.1"}),
    (403, {"Origin": "http://127.0.0.1:9999"}),
    (403, {"Origin": "null"}),
    (415, {"Content-Type": "text/plain"}),
    (415, {"Content-Type": ""}),
])  # fmt: skip
def test_no_page_and_no_other_user_empties_a_collection(client, qdrant_url, space, status, headers):
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
