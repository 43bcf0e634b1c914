"""What may be submitted and waited for: slots in flight, waits, streams, requests that are sent again."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
import redis
from doubles.broker import Broker
from doubles.documents import made_document
from fleet.api import ServedApi, served_api
from fleet.crew import wait_until

from hopline.models.documents import Document
from hopline.models.jobs import JobState
from workers.core.jobs.work import Job, Phase
from workers.core.redis_keys import slots_key
from workers.limits.slots import Slots
from workers.services import Services

MINE = "admission"
QUESTION = {"question": "Who built it?", "collection": MINE}
MOST = 2
LONG = 3600  # seconds of a wait: it ends by what the test does, never by its time
LIVE = MINE
SETTINGS = {"api_jobs_in_flight": MOST, "api_streams": 6, "api_streams_of_key": 2, "api_wait": LONG}


@pytest.fixture
def key(api: ServedApi) -> str:
    return api.key("submit")


@pytest.fixture
def client(api: ServedApi, key: str) -> Iterator[httpx.Client]:
    """A caller of its own, with nothing in flight."""
    with api.client(key) as made:
        yield made


def _queued(client: httpx.Client) -> int:
    return len(client.get("/v1/jobs", params={"state": "queued"}).json()["jobs"])


def test_twins_of_one_request_open_no_further_slot(client: httpx.Client) -> None:
    """Each round sends six twins with one idempotency key, at the same moment."""
    admitted = 0
    with ThreadPoolExecutor(6) as threads:
        for number in range(6):
            headers = {"Idempotency-Key": f"twins-{number}"}
            posts = [
                threads.submit(client.post, "/v1/queries", json=QUESTION, headers=headers) for _ in range(6)
            ]
            admitted += any(post.result().status_code == 202 for post in posts)
    assert admitted == MOST
    assert _queued(client) == MOST


def test_slots_are_never_more_than_there_are_and_each_jobs_own(services: Services) -> None:
    slots = Slots(services.redis, 5)
    with ThreadPoolExecutor(8) as threads:
        took = list(threads.map(lambda n: slots.take("many", f"j{n % 40}"), range(200)))
    assert took.count("taken") == 5
    assert services.redis.zcard(slots_key("many")) == 5
    assert services.redis.pttl(slots_key("many")) > 0
    services.redis.script_flush()
    slots = Slots(services.redis, 2)
    took = [slots.take("eager", name) for name in ("j1", "j1", "j2", "j3")]
    assert [*took, slots.take("calm", "j5")] == ["taken", "there", "taken", "full", "taken"]
    services.ledger.submit(Job(id="j1", kind="query", collection=MINE), Phase())
    for name in ("j1", "j2"):
        slots.give_back("eager", name)
    assert services.redis.zrange(slots_key("eager"), 0, -1) == ["j1"]  # it runs
    services.ledger.end("j1", None, JobState.FAILED, {})
    assert [slots.take("eager", name) for name in ("j2", "j3", "j4")] == ["taken", "taken", "full"]


def test_a_slot_is_given_back_where_nothing_was_submitted(client: httpx.Client) -> None:
    for _ in range(MOST + 2):
        refused = client.post("/v1/queries", json={**QUESTION, "question": "   "})
        assert refused.status_code == 422
        assert client.post("/v1/documents", json={"uris": ["s3://nowhere/a.txt"]}).status_code == 422
    assert client.post("/v1/queries", json=QUESTION).status_code == 202


def test_a_retry_takes_the_slot_of_its_job(api: ServedApi, client: httpx.Client, services: Services) -> None:
    job = client.post("/v1/queries", json=QUESTION).json()["id"]
    for _ in range(MOST + 1):
        refused = client.post(f"/v1/jobs/{job}/retry")
        assert refused.status_code == 409
        assert refused.json()["detail"].startswith(f"job {job} still runs: wait for its end")
    services.ledger.end(job, None, JobState.FAILED, {})
    again = client.post(f"/v1/jobs/{job}/retry")
    assert again.status_code == 202
    assert client.post("/v1/queries", json=QUESTION).status_code == 202
    full = client.post("/v1/queries", json=QUESTION)
    assert (full.status_code, int(full.headers["retry-after"]) >= 1) == (429, True)
    with api.client(api.key("submit")) as other:
        assert other.post("/v1/queries", json=QUESTION).status_code == 202
    client.delete(f"/v1/jobs/{again.json()['id']}")
    assert client.post("/v1/queries", json=QUESTION).status_code == 202


def test_a_repeated_request_is_answered_also_while_no_work_is_taken(services: Services) -> None:
    full = Services(services.settings.model_copy(update={"queue_bound": 1}))
    with served_api(full, Broker(), loopback=False) as api, api.client(api.key("submit")) as client:
        headers = {"Idempotency-Key": "before"}
        job = client.post("/v1/queries", json=QUESTION, headers=headers).json()["id"]
        full.redis.rpush("interactive", "{}", "{}")
        try:
            wait_until(lambda: client.post("/v1/queries", json=QUESTION).status_code == 503, "full queues")
            assert int(client.post("/v1/queries", json=QUESTION).headers["retry-after"]) >= 1
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


def test_a_job_is_told_as_it_is_where_no_wait_is_free(api: ServedApi, key: str, client: httpx.Client) -> None:
    job = client.post("/v1/queries", json=QUESTION).json()["id"]

    def wait() -> str:
        with api.client(key) as waiting:
            return str(waiting.get(f"/v1/jobs/{job}", params={"wait": LONG}, timeout=180).json()["state"])

    with ThreadPoolExecutor(2) as threads:
        waits = [threads.submit(wait) for _ in range(2)]
        wait_until(lambda: not api.has_room(key), "both waits of the key are taken")
        assert client.get(f"/v1/jobs/{job}/events").status_code == 503
        made = client.post("/v1/queries", params={"wait": LONG}, json=QUESTION)
        assert (made.status_code, made.json()["state"]) == (202, "queued")
        with api.client(api.key("submit")) as other:  # somebody else's share is free
            assert other.post("/v1/queries?wait=0.3", json=QUESTION).status_code == 202
        client.delete(f"/v1/jobs/{job}")
        assert {wait.result() for wait in waits} == {"cancelled"}


def test_a_wait_ends_with_its_client(api: ServedApi, key: str, client: httpx.Client) -> None:
    job = client.post("/v1/queries", json=QUESTION).json()["id"]
    for _ in range(2):
        with pytest.raises(httpx.ReadTimeout):
            client.get(f"/v1/jobs/{job}", params={"wait": LONG}, timeout=0.2)
    wait_until(lambda: api.has_room(key), "the waits are over")
    assert client.get(f"/v1/jobs/{job}").json()["state"] == "queued"


def test_a_stop_tells_those_who_wait_how_their_job_stands(services: Services) -> None:
    with served_api(services, Broker(), loopback=False) as api, ThreadPoolExecutor(1) as threads:
        key = api.key("submit")

        def submit() -> httpx.Response:
            with api.client(key) as client:
                return client.post("/v1/queries", params={"wait": LONG}, json=QUESTION, timeout=180)

        waiting = threads.submit(submit)
        with api.client(key) as client:
            wait_until(lambda: _queued(client) == 1, "the job")
        api.stop()
        answer = waiting.result()
    assert (answer.status_code, answer.json()["state"]) == (202, "queued")


def test_a_deletion_sent_again_is_the_same_job_afterwards(client: httpx.Client, services: Services) -> None:
    document = Document(id="d-twice", collection=MINE, uri="a.txt", title="a", content_hash="1" * 64)
    services.graph.store.open_version(document)
    headers = {"Idempotency-Key": "delete-it"}
    first = client.delete("/v1/documents/d-twice", headers=headers)
    services.graph.store.delete_document("d-twice")
    again = client.delete("/v1/documents/d-twice", headers=headers)
    assert (first.status_code, again.status_code) == (202, 202)
    assert first.json()["id"] == again.json()["id"]
    assert client.delete("/v1/documents/d-twice").status_code == 404


def test_without_a_key_nothing_is_looked_up(client: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its job gets a name of its own, which nothing can have had."""
    lookups: list[str] = []
    monkeypatch.setattr("producer.service.jobs.Jobs.exists", lambda _jobs, _caller, key: lookups.append(key))
    assert client.post("/v1/queries", json=QUESTION).status_code == 202
    assert lookups == []


def test_a_reply_that_comes_from_a_kept_key_says_so(client: httpx.Client) -> None:
    live = made_document(LIVE, "live.txt")[0].id
    requests = (
        ("POST", "/v1/queries", QUESTION),
        ("POST", "/v1/queries", {**QUESTION, "where": "not exists(author)"}),
        ("POST", "/v1/documents", {"texts": [{"name": "a.txt", "text": "A river."}]}),
        ("DELETE", f"/v1/documents/{live}", None),
    )
    for nth, (method, path, body) in enumerate(requests):
        headers = {"Idempotency-Key": f"replayed-{nth}"}
        replies = [client.request(method, path, json=body, headers=headers) for _ in range(3)]
        told = [reply.headers.get("Idempotency-Replayed") for reply in replies]
        assert told == [None, "true", "true"], (path, [reply.text for reply in replies])
        client.delete(replies[0].headers["Location"])  # its slot is free again
    assert "Idempotency-Replayed" not in client.post("/v1/queries", json=QUESTION).headers


def test_questions_that_come_together_are_each_answered(client: httpx.Client, services: Services) -> None:
    """Some repeat a submitted one, one reuses its key, one asks nobody, and only one slot is left."""
    same = {"Idempotency-Key": "together"}
    first = client.post("/v1/queries", json=QUESTION, headers=same).json()["id"]
    requests = [
        *[(same, QUESTION)] * 6, *[(same, {**QUESTION, "question": "Who else?"})] * 3,
        *[({}, {**QUESTION, "collection": "no-one"})] * 3, *[({}, QUESTION)] * 6,
    ]  # fmt: skip

    def send(request: tuple[dict[str, str], dict[str, str]]) -> httpx.Response:
        return client.post("/v1/queries", headers=request[0], json=request[1])

    with ThreadPoolExecutor(len(requests)) as threads:
        replies = list(threads.map(send, requests))
    statuses = [reply.status_code for reply in replies]
    assert {reply.json()["id"] for reply in replies[:6]} == {first}
    assert statuses[:12] == [202] * 6 + [409] * 3 + [404] * 3
    assert sorted(statuses[12:]) == [202] + [429] * 5
    assert _queued(client) == services.redis.zcard(slots_key(client.headers["Authorization"][11:23])) == MOST


def test_where_a_submission_fails_no_slot_is_kept(client, services, monkeypatch):
    def fail(*_: object, **_more: object) -> None:
        raise redis.ConnectionError("connection refused")

    with monkeypatch.context() as patched:
        patched.setattr(services.ledger, "submit", fail)
        with ThreadPoolExecutor(4) as threads:
            replies = list(threads.map(lambda _: client.post("/v1/queries", json=QUESTION), range(4)))
    assert {reply.status_code for reply in replies} <= {503, 429}
    assert [client.post("/v1/queries", json=QUESTION).status_code for _ in range(MOST)] == [202] * MOST
