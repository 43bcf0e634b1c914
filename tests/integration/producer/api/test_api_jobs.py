"""Jobs over HTTP beyond the common way: forgotten children, slow readers, callers of few collections."""

import json
import socket
import time
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from doubles.broker import Broker
from doubles.tooling import SCHEMA, GivenRows, StandingSchema
from doubles.writing import WritingModel
from fleet.api import ServedApi, served_api
from fleet.crew import wait_until

from hopline.models.graph_schema import NodeKind
from hopline.models.jobs import JobState, Parent
from workers.core.ids import child_job_id
from workers.core.jobs.records import Claim
from workers.core.jobs.work import Item, Job, Phase
from workers.core.redis_keys import job_key
from workers.engine.outbox import work_off
from workers.services import Services
from workers.settings import Settings

MINE = "mine"
REPORT = {"uri": "a.txt", "status": "done"}
OWN = SCHEMA.model_copy(update={"nodes": (*SCHEMA.nodes, NodeKind(label="Migration"))})
EVENTS, LONG = 400, "z" * 20_000  # more than the buffers of both ends hold


@pytest.fixture(scope="module")
def services(empty_redis: str) -> Iterator[Services]:
    made = Services(Settings(_env_file=None, redis_url=empty_redis))
    yield made
    made.close()


def _begun(services: Services, caller: str, name: str) -> Claim:
    """Return the claim on the one item of a batch that runs."""
    job = Job(id=name, kind="batch", collection=MINE, root=name, caller=caller)
    services.ledger.submit(job, Phase(items=(Item(id="0:a.txt", step="ingest.document"),)))
    claim = Claim(job_id=name, epoch=1, item_id="0:a.txt", token="t")
    assert services.ledger.begin(claim).verdict == "go"
    return claim


def _forgotten(services: Services, key: str, name: str) -> str:
    """Return the id of a document's job that has ended well, and that only its batch remembers."""
    claim = _begun(services, key.split("_")[1], name)
    child = child_job_id(name, claim.item_id)
    job = Job(id=child, kind="document", collection=MINE, root=name, caller=key.split("_")[1])
    parent = Parent(job_id=name, epoch=1, item_id=claim.item_id)
    services.ledger.submit(job, Phase(items=(Item(id="do", step="ingest.read"),)), parent=parent)
    assert services.ledger.delegate(claim, child)
    services.ledger.end(child, None, JobState.DONE, REPORT)
    work_off(services, child)
    assert services.ledger.job(child) is None
    return child


# children that were forgotten -------------------------------------------------------------------------


def test_a_forgotten_child_is_told_stays_ended_and_is_retried_with_its_batch(api: ServedApi) -> None:
    key = api.key("submit")
    child = _forgotten(api.services, key, "batch1")
    with api.client(key) as client:
        shown, ended = client.get(f"/v1/jobs/{child}"), client.delete(f"/v1/jobs/{child}")
        again = client.post(f"/v1/jobs/{child}/retry")
    assert (shown.status_code, ended.status_code, again.status_code) == (200, 200, 409)
    assert shown.json() == ended.json()
    assert (shown.json()["state"], shown.json()["outcome"]["documents"][0]["uri"]) == ("done", "a.txt")
    assert shown.json()["parent"] == {"job_id": "batch1", "epoch": 1, "item_id": "0:a.txt"}
    assert f"job {child} is part of job batch1: retry that one" in again.json()["detail"]


def test_of_a_batch_only_the_childs_own_result_is_read(api: ServedApi) -> None:
    key = api.key("submit")
    child = _forgotten(api.services, key, "batch2")
    api.services.redis.hset(job_key("batch2", "result"), "1:b.txt", "0 ingest.document {no JSON")
    with api.client(key) as client:
        assert client.get(f"/v1/jobs/{child}").json()["outcome"]["documents"][0]["uri"] == "a.txt"
        assert client.get("/v1/jobs/batch2.000000000000").status_code == 404


# slow readers -----------------------------------------------------------------------------------------


def _opened(api: ServedApi, key: str, job: str) -> socket.socket:
    """Return a connection that has asked for a job's events and reads nothing."""
    place = urlsplit(api.url)
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    made.settimeout(180)
    made.connect((place.hostname, place.port))
    request = f"GET /v1/jobs/{job}/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {key}\r\n\r\n"
    made.sendall(request.encode())
    return made


def _talkative(api: ServedApi, key: str, name: str) -> None:
    """Make a job that runs, and has told more than a connection holds."""
    _begun(api.services, key.split("_")[1], name)
    pipeline = api.services.redis.pipeline()
    for _ in range(EVENTS):
        pipeline.xadd(job_key(name, "events"), {"name": "item.told", "data": json.dumps({"text": LONG})})
    pipeline.execute()


def test_a_stream_whose_time_is_over_ends_in_order_however_slow_its_reader_is(services: Services) -> None:
    short = Services(services.settings.model_copy(update={"api_stream": 0.5}))
    with served_api(short, Broker(), loopback=False) as api:
        key = api.key("read")
        _talkative(api, key, "slow")
        with _opened(api, key, "slow") as reader:
            time.sleep(1)  # longer than a stream's time
            got = b""
            while not got.endswith(b"\r\n0\r\n\r\n"):
                more = reader.recv(1 << 20)
                assert more, "it was cut off"
                got += more
    assert 0 < got.count(b"event: item.told") <= EVENTS  # what was not sent in its time is resumed
    short.close()


def test_a_silent_stream_sends_as_many_heartbeats_as_are_asked_for(api: ServedApi) -> None:
    key = api.key("read")
    _begun(api.services, key.split("_")[1], "silent")
    with (
        api.client(key) as client,
        client.stream("GET", "/v1/jobs/silent/events", headers={"Heartbeat": "0.1"}) as stream,
    ):
        got = ""
        for text in stream.iter_text():
            got += text
            if got.count("event: heartbeat\ndata: {}\n\n") == 3:
                break
    assert got.count("event: heartbeat") == 3


def test_a_reader_who_takes_nothing_any_more_is_given_up(services: Services) -> None:
    bounds = {"api_streams": 1, "api_heartbeat": 2}
    short = Services(services.settings.model_copy(update=bounds))
    with served_api(short, Broker(), loopback=False) as api:
        key = api.key("read")
        _talkative(api, key, "stuck")
        with _opened(api, key, "stuck"):
            wait_until(lambda: not api.has_room(key), "the one stream is taken")
            wait_until(lambda: api.has_room(key), "the stream is free again")
    short.close()


# callers of some collections only ---------------------------------------------------------------------


def test_a_job_knows_that_its_caller_may_see_some_collections_only(api: ServedApi) -> None:
    for collections in ((MINE,), None):
        key = api.key("submit", collections=collections)
        with api.client(key) as client:
            answer = client.post("/v1/queries", json={"question": "Who?", "collection": MINE})
        record = api.services.ledger.job(answer.json()["id"])
        assert record is not None
        assert record.job.limited is (collections is not None)


def test_a_statement_for_who_may_see_some_collections_is_kept_to_the_one_asked(api, monkeypatch):
    reader = GivenRows(MATCH=[{"n": 2}])
    model = WritingModel("MATCH (c:Character) RETURN count(c) AS n")
    for name, double in (("schema", StandingSchema(OWN, SCHEMA)), ("reader", reader), ("model", model)):
        monkeypatch.setitem(api.services.__dict__, name, double)
    body = {"arguments": {"question": "How many?"}}
    with api.client(api.key("submit", collections=(MINE,))) as client:
        answer = client.post("/v1/tools/text2cypher", json={"collection": MINE, **body})
        assert client.post("/v1/tools/text2cypher", json={"collection": "theirs", **body}).status_code == 403
    assert (answer.status_code, answer.json()["items"][0]["text"]) == (200, "n: 2")
    [(statement, parameters)] = reader.asked
    assert "c.collection = $collection" in statement
    assert parameters["collection"] == MINE
