"""A job's event stream over HTTP while workers are killed and readers reconnect: each once, in order."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from fleet.api import ServedApi, served_api
from fleet.asked import Asked
from fleet.crew import Crew, wait_until

from workers.core.redis_keys import job_key
from workers.services import Services

VISIT = "traverse.visit"
HELD = {"NodeNotes": {"hold": True}}  # it is read that a visit began, and its worker killed, before it ends


@pytest.fixture(scope="module")
def api(crew: Crew) -> Iterator[ServedApi]:
    services = Services(crew.settings)
    with served_api(services) as served:
        yield served
    services.close()


def _read(client: httpx.Client, job: str, after: str | None, most: int) -> Iterator[dict[str, Any]]:
    """Yield events {id, event, data} of one connection; hang up after so many."""
    headers = {"Last-Event-ID": after} if after else {}
    with client.stream("GET", f"/v1/jobs/{job}/events", headers=headers) as answer:
        if answer.status_code == 204:
            return
        assert answer.headers["content-type"].startswith("text/event-stream")
        got: dict[str, Any] = {}
        for line in answer.iter_lines():
            name, _, value = line.partition(": ")
            if name in {"id", "event", "data"}:
                got[name] = json.loads(value) if name == "data" else value
            elif not line and got:
                yield got
                got, most = {}, most - 1
                if most == 0:
                    return


def _kept(crew: Crew, job: str) -> list[tuple[str, str]]:
    return [(entry, event.name) for entry, event in crew.ledger.events(job, limit=10_000)]


def test_no_event_is_missing_and_none_comes_twice(crew: Crew, tree: Asked, api: ServedApi) -> None:
    """The worker dies in the middle of the walk; the reader hangs up after every twentieth event."""
    crew.have(a="interactive")
    crew.model.set(schemas=HELD)
    job = tree.submit(crew)
    heard: list[tuple[str, str]] = []
    killed = False
    with api.client() as client:
        while not heard or heard[-1][1] != "job.ended":
            for event in _read(client, job, heard[-1][0] if heard else None, 20):
                heard.append((event["id"], event["event"]))
                if not killed and event["event"] == "item.begun" and event["data"]["step"] == VISIT:
                    crew.restart("a", wait=False)
                    crew.model.set()
                    killed = True
        assert list(_read(client, job, heard[-1][0], 20)) == []
    assert killed
    assert heard == _kept(crew, job)
    assert [name for _, name in heard].count("job.ended") == 1
    assert "lease.lost" in {name for _, name in heard}
    assert crew.client.jobs.get(job).state == "done"


def test_where_the_cap_has_passed_a_reader_a_snapshot_comes_first(crew, tree, api):
    crew.have(a="interactive")
    crew.model.set()
    job = tree.submit(crew)
    wait_until(lambda: crew.client.jobs.get(job).state == "done", "the answer")
    before = _kept(crew, job)
    crew.redis.xtrim(job_key(job, "events"), maxlen=10, approximate=False)
    with api.client() as client:
        behind = list(_read(client, job, before[3][0], 100))
        from_the_beginning = list(_read(client, job, None, 100))
        in_time = list(_read(client, job, before[-10][0], 100))
    snapshot = behind[0]
    assert (snapshot["event"], "id" in snapshot) == ("snapshot", False)
    assert snapshot["data"]["missed_after"] == before[3][0]
    assert snapshot["data"]["job"]["state"] == "done"
    assert snapshot["data"]["job"]["outcome"]["text"]
    assert [event["id"] for event in behind[1:]] == [entry for entry, _ in before[-10:]]
    assert from_the_beginning[0]["event"] == "snapshot"
    assert [event["id"] for event in in_time] == [entry for entry, _ in before[-9:]]
