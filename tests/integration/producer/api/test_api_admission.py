"""What may be submitted and waited for: slots in flight, waits, streams, requests that are sent again."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
import redis
from doubles.broker import Broker
from doubles.documents import write
from fleet.api import ServedApi, served_api
from fleet.crew import settings_of, wait_until

from workers.core.jobs.work import Job, JobState, Phase
from workers.core.records import Document
from workers.ledger.keys import slots_key
from workers.limits.slots import Slots
from workers.services import Services

MINE = "admission"
QUESTION = {"question": "Who built it?", "collection": MINE}
MOST = 2


@pytest.fixture(scope="module")
def services(
    stack_env: dict[str, str], empty_redis: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Services]:
    blobs = str(tmp_path_factory.mktemp("blobs"))
    own = {"redis_url": empty_redis, "blob_url": blobs, "api_jobs_in_flight": MOST}
    bounds = {"api_streams": 6, "api_streams_of_key": 2, "api_wait": 30}
    made = Services(settings_of(stack_env, **own, **bounds))
    made.graph.migrate()
    write(made.graph, MINE, "live.txt", [("A bridge stands.", ["bridge"])])
    yield made
    made.close()


@pytest.fixture(scope="module")
def api(services: Services) -> Iterator[ServedApi]:
    with served_api(services, Broker(), loopback=False) as served:
        yield served


@pytest.fixture
def key(api: ServedApi) -> str:
    return api.key("submit")


@pytest.fixture
def client(api: ServedApi, key: str) -> Iterator[httpx.Client]:
    """A caller of its own, with nothing in flight."""
    with api.client(key) as made:
        yield made


def _running(client: httpx.Client) -> int:
    return len(client.get("/v1/jobs", params={"state": "running"}).json()["jobs"])


def test_twins_of_one_request_open_no_further_slot(client: httpx.Client) -> None:
    """Each round sends six twins with one idempotency key, at the same moment."""
    admitted = 0
    with ThreadPoolExecutor(6) as threads:
        for number in range(12):
            headers = {"Idempotency-Key": f"twins-{number}"}
            posts = [
                threads.submit(client.post, "/v1/queries", json=QUESTION, headers=headers) for _ in range(6)
            ]
            admitted += any(post.result().status_code == 202 for post in posts)
    assert admitted == MOST
    assert _running(client) == MOST


def test_slots_are_never_more_than_there_are(services: Services) -> None:
    slots = Slots(services.redis, 5)
    with ThreadPoolExecutor(8) as threads:
        took = list(threads.map(lambda n: slots.take("many", f"j{n % 40}"), range(200)))
    assert took.count("taken") == 5
    assert services.redis.zcard(slots_key("many")) == 5
    assert services.redis.pttl(slots_key("many")) > 0


def test_slots_that_are_taken_together_are_each_jobs_own(services: Services) -> None:
    services.redis.script_flush()
    slots = Slots(services.redis, 2)
    wanted = [
        ("eager", "j1"),
        ("eager", "j1"),
        ("eager", "j2"),
        ("eager", "j3"),
        ("eager", "j4"),
        ("calm", "j5"),
    ]
    assert slots.take_all(wanted) == ["taken", "there", "taken", "full", "full", "taken"]
    services.ledger.submit(Job(id="j1", kind="query", collection=MINE), Phase())
    slots.give_back([("eager", "j1"), ("eager", "j2")])
    assert services.redis.zrange(slots_key("eager"), 0, -1) == ["j1"]  # it runs
    services.ledger.end("j1", None, JobState.FAILED, {})
    assert slots.take_all(wanted[2:5]) == ["taken", "taken", "full"]


def test_a_slot_is_given_back_where_nothing_was_submitted(client: httpx.Client) -> None:
    for _ in range(MOST + 2):
        refused = client.post("/v1/queries", json={**QUESTION, "question": "   "})
        assert refused.status_code == 422
        assert client.post("/v1/documents", json={"uris": ["s3://nowhere/a.txt"]}).status_code == 422
    assert client.post("/v1/queries", json=QUESTION).status_code == 202


def test_a_retry_takes_the_slot_of_the_job_that_runs(client: httpx.Client, services: Services) -> None:
    job = client.post("/v1/queries", json=QUESTION).json()["id"]
    for _ in range(MOST + 1):
        refused = client.post(f"/v1/jobs/{job}/retry")
        assert refused.status_code == 409
        assert refused.json()["detail"].startswith(f"job {job} still runs: wait for its end")
    services.ledger.end(job, None, JobState.FAILED, {})
    again = client.post(f"/v1/jobs/{job}/retry")
    assert again.status_code == 202
    assert client.post("/v1/queries", json=QUESTION).status_code == 202
    assert client.post("/v1/queries", json=QUESTION).status_code == 429
    services.ledger.end(again.json()["id"], None, JobState.FAILED, {})
    assert client.post("/v1/queries", json=QUESTION).status_code == 202


def test_a_repeated_request_is_answered_also_while_no_work_is_taken(services: Services) -> None:
    full = Services(services.settings.model_copy(update={"queue_bound": 1}))
    with served_api(full, Broker(), loopback=False) as api, api.client(api.key("submit")) as client:
        headers = {"Idempotency-Key": "before"}
        job = client.post("/v1/queries", json=QUESTION, headers=headers).json()["id"]
        full.redis.rpush("interactive", "{}", "{}")
        try:
            wait_until(lambda: client.post("/v1/queries", json=QUESTION).status_code == 503, "full queues")
            assert client.post("/v1/queries", json=QUESTION, headers=headers).json()["id"] == job
        finally:
            full.redis.delete("interactive")
    full.close()


def test_what_is_refused_stores_nothing(client: httpx.Client, services: Services) -> None:
    for _ in range(MOST):
        assert client.post("/v1/queries", json=QUESTION).status_code == 202
    files = {"files": ("late.txt", b"This one came too late.")}
    assert client.post("/v1/documents", files=files, data={"collection": MINE}).status_code == 429
    stored = [path for path in Path(services.settings.blob_url).rglob("*") if path.is_file()]
    assert not any(b"too late" in path.read_bytes() for path in stored)


def test_a_job_is_told_as_it_stands_where_no_wait_is_free(
    api: ServedApi, key: str, client: httpx.Client
) -> None:
    job = client.post("/v1/queries", json=QUESTION).json()["id"]
    headers = dict(client.headers)
    with ThreadPoolExecutor(2) as threads:
        waits = [
            threads.submit(
                httpx.get, f"{api.url}/v1/jobs/{job}?wait=20", headers=headers, timeout=30, trust_env=False
            )
            for _ in range(2)
        ]
        wait_until(lambda: not api.has_room(key), "both waits of the key are taken")
        assert client.get(f"/v1/jobs/{job}/events").status_code == 503
        made = client.post("/v1/queries?wait=20", json=QUESTION)
        assert (made.status_code, made.json()["state"]) == (202, "running")
        with api.client(api.key("submit")) as other:  # somebody else's share is free
            theirs = other.post("/v1/queries?wait=0.3", json=QUESTION)
            assert theirs.status_code == 202
        client.delete(f"/v1/jobs/{job}")
        assert {wait.result().json()["state"] for wait in waits} == {"cancelled"}


def test_a_wait_ends_with_its_client(api: ServedApi, key: str, client: httpx.Client) -> None:
    job = client.post("/v1/queries", json=QUESTION).json()["id"]
    for _ in range(2):
        with pytest.raises(httpx.ReadTimeout):
            httpx.get(
                f"{api.url}/v1/jobs/{job}?wait=25", headers=client.headers, timeout=0.2, trust_env=False
            )
    wait_until(lambda: api.has_room(key), "the waits are over")
    assert client.get(f"/v1/jobs/{job}").json()["state"] == "running"


def test_a_stop_tells_those_who_wait_how_their_job_stands(services: Services) -> None:
    with served_api(services, Broker(), loopback=False) as api:
        key, answers = api.key("submit"), list[httpx.Response]()

        def submit() -> None:
            with api.client(key) as client:
                answers.append(client.post("/v1/queries?wait=25", json=QUESTION))

        waiting = threading.Thread(target=submit)
        waiting.start()
        with api.client(key) as client:
            wait_until(lambda: _running(client) == 1, "the job")
        began = time.monotonic()
        api.stop()
        waiting.join(60)
        assert time.monotonic() - began < 15
    assert (answers[0].status_code, answers[0].json()["state"]) == (202, "running")


def test_a_deletion_sent_again_is_the_same_job_though_the_document_is_gone(
    client: httpx.Client, services: Services
) -> None:
    document = Document(id="d-twice", collection=MINE, uri="a.txt", title="a", content_hash="1" * 64)
    services.graph.store.open_version(document)
    headers = {"Idempotency-Key": "delete-it"}
    first = client.delete("/v1/documents/d-twice", headers=headers)
    services.graph.store.delete_document("d-twice")
    again = client.delete("/v1/documents/d-twice", headers=headers)
    assert (first.status_code, again.status_code) == (202, 202)
    assert first.json()["id"] == again.json()["id"]
    assert client.delete("/v1/documents/d-twice").status_code == 404


def test_a_request_without_a_key_is_not_looked_up(
    client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its job gets a name of its own, which nothing can have had."""
    lookups: list[str] = []
    monkeypatch.setattr(
        "producer.service.jobs.Jobs.exist", lambda _jobs, submissions: lookups.extend(submissions)
    )
    assert client.post("/v1/queries", json=QUESTION).status_code == 202
    assert lookups == []


def test_questions_that_come_together_are_each_answered_for_themselves(
    client: httpx.Client, services: Services
) -> None:
    """Some repeat a submitted one, one reuses its key, one asks nobody, and only one slot is left."""
    same = {"Idempotency-Key": "together"}
    first = client.post("/v1/queries", json=QUESTION, headers=same).json()["id"]
    requests = [
        *[(same, QUESTION)] * 6,
        *[(same, {**QUESTION, "question": "Who else?"})] * 3,
        *[({}, {**QUESTION, "collection": "no-one"})] * 3,
        *[({}, QUESTION)] * 6,
    ]
    with ThreadPoolExecutor(len(requests)) as threads:
        replies = list(
            threads.map(
                lambda request: client.post("/v1/queries", headers=request[0], json=request[1]), requests
            )
        )
    statuses = [reply.status_code for reply in replies]
    assert {reply.json()["id"] for reply in replies[:6]} == {first}
    assert statuses[:12] == [202] * 6 + [409] * 3 + [404] * 3
    assert sorted(statuses[12:]) == [202] + [429] * 5
    assert _running(client) == services.redis.zcard(slots_key(client.headers["Authorization"][11:23])) == MOST


def test_where_all_of_a_group_fail_no_slot_is_kept(
    client: httpx.Client, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise redis.ConnectionError("connection refused")

    with monkeypatch.context() as patched:
        patched.setattr(services.ledger, "submit_all", fail)
        with ThreadPoolExecutor(4) as threads:
            replies = list(threads.map(lambda _: client.post("/v1/queries", json=QUESTION), range(4)))
    assert {reply.status_code for reply in replies} <= {503, 429}
    assert [client.post("/v1/queries", json=QUESTION).status_code for _ in range(MOST)] == [202] * MOST
