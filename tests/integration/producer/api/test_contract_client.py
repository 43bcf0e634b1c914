"""The client of the package hopline against the real API."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from importlib.metadata import version
from threading import Timer
from typing import Any

import pytest
from doubles.broker import Broker
from fleet.api import ServedApi, served_api

from hopline import AccessDenied, Hopline, InvalidInput, NotFound, StateConflict
from hopline.models.jobs import JobFilter, JobState
from hopline.models.pauses import WorkPause
from hopline.models.weights import Weight
from workers.core.jobs.work import Item, Job, Phase
from workers.services import Services
from workers.settings import Settings

STREAM_SECONDS = 0.3  # then the API ends a stream, and the client asks for what follows


@pytest.fixture(scope="module")
def services(empty_redis: str) -> Iterator[Services]:
    made = Services(Settings(_env_file=None, redis_url=empty_redis, api_stream=STREAM_SECONDS))
    yield made
    made.close()


@pytest.fixture(scope="module")
def api(services: Services) -> Iterator[ServedApi]:
    with served_api(services, Broker(), loopback=False) as served:
        yield served


@pytest.fixture
def client(api: ServedApi) -> Iterator[Hopline]:
    with Hopline(api.url, api_key=api.key("admin")) as client:
        yield client


def test_weights_are_set_listed_and_taken_away(client: Hopline) -> None:
    weight = Weight(kind="collection", name="notes", weight=2.0)
    assert client.weights.set("collection", "notes", 2.0).weights == (weight,)
    assert client.weights.list().weights == (weight,)
    assert client.weights.set("collection", "notes", weight=None).weights == ()
    with pytest.raises(NotFound, match="has no weight"):
        client.weights.set("collection", "notes", weight=None)
    with pytest.raises(InvalidInput) as caught:
        client.weights.set("collection", "no name", 2.0)  # which only the server knows
    assert caught.value.value == "no name"


def test_a_request_that_no_noun_has_is_sent_and_its_reply_returned(client: Hopline) -> None:
    reply = client.request("GET", "v1/jobs", query={"kind": ["query", "sync"], "limit": 1})
    assert (reply.status_code, reply.json()["jobs"]) == (200, [])
    refused = client.request("PUT", "/v1/weights", body={"weight": 2})
    assert (refused.status_code, refused.json()["status"]) == (422, 422)
    assert client.request("GET", "/v1/jobs/nothing", query={"wait": "soon"}).status_code == 422


def test_work_is_paused_and_resumed(client: Hopline) -> None:
    [pause] = client.pauses.pause("queue", "bulk").pauses
    assert isinstance(pause, WorkPause)
    assert (pause.kind, pause.name) == ("queue", "bulk")
    assert client.pauses.list().pauses == (pause,)
    assert client.pauses.resume("queue", "bulk").pauses == ()


def test_a_key_is_created_listed_changed_and_revoked(client: Hopline, api: ServedApi) -> None:
    made = client.keys.create("ann", ("read",), collections=("notes",), principals=("user:ann",))
    assert (made.name, made.scopes, made.collections) == ("ann", ("read",), ("notes",))
    assert made.key not in repr(made)
    listed = {key.id: key for key in client.keys.list().keys}[made.id]
    assert listed.model_dump().items() <= made.model_dump().items()
    with Hopline(api.url, api_key=made.key) as ann:
        assert ann.server.about().caller.principals == ["user:ann"]
        assert client.keys.change(made.id, ["group:legal"]).principals == ("group:legal",)
        assert ann.server.about().caller.principals == ["group:legal"]
        assert client.keys.revoke(made.id) == listed.model_copy(update={"principals": ("group:legal",)})
        with pytest.raises(AccessDenied):
            ann.server.about()
    with pytest.raises(NotFound, match=f"no key {made.id}"):
        client.keys.change(made.id, None)


def test_keys_are_for_administrators_of_everything(api: ServedApi) -> None:
    limited = api.key("admin", collections=("notes",))
    with Hopline(api.url, api_key=limited) as client, pytest.raises(AccessDenied, match="keys are for all"):
        client.keys.create("bo")
    with Hopline(api.url, api_key=api.key("submit")) as client, pytest.raises(AccessDenied, match="admin"):
        client.keys.list()


def test_a_key_that_is_not_valid_is_not_made(client: Hopline) -> None:
    before = client.keys.list()
    with pytest.raises(InvalidInput, match="name"):
        client.keys.create("ann/bo")
    with pytest.raises(InvalidInput, match="principals"):
        client.keys.create("ann", principals=["ann"])
    with pytest.raises(InvalidInput, match="admin sees everything"):
        client.keys.create("ann", ["admin"], principals=["user:ann"])
    assert client.keys.list() == before


def test_a_key_does_not_revoke_itself(api: ServedApi) -> None:
    text = api.key("admin")
    with Hopline(api.url, api_key=text) as client:
        with pytest.raises(StateConflict, match="cannot revoke itself"):
            client.keys.revoke(text.split("_")[1])
        assert client.server.about().caller.scopes == ["admin"]


def test_a_key_needs_the_right_of_the_operation(api: ServedApi) -> None:
    with Hopline(api.url, api_key=api.key("submit")) as client, pytest.raises(AccessDenied, match="admin"):
        client.weights.list()
    with Hopline(api.url) as client, pytest.raises(AccessDenied, match="send an API key"):
        client.weights.list()


def test_the_server_tells_its_version(client: Hopline) -> None:
    raw = client.raw(client.weights.list)
    assert raw.headers["X-Hopline-Version"] == version("hopline")
    assert raw.request_id


def test_the_server_tells_its_limits_and_its_health(api: ServedApi, client: Hopline) -> None:
    about = client.server.about()
    assert (about.version, about.caller.scopes) == (version("hopline"), ["admin"])
    assert about.parameters["max_depth"]["default"] == 3
    with Hopline(api.url) as keyless:
        assert keyless.server.live().status == "ok"
        assert keyless.raw(keyless.server.ready).status == 503  # no worker runs
        health = keyless.server.health()
        assert (health.status, health.down) == ("degraded", keyless.server.ready().down)


def test_a_jobs_events_come_once_each_over_several_streams(client: Hopline, services: Services) -> None:
    job = Job(id="j1", kind="batch", collection="notes", root="j1")
    services.ledger.submit(job, Phase(items=(Item(id="0:a.txt", step="ingest.document"),)))
    followed = client.jobs.events("j1")
    names = [next(followed).name]
    assert [event.name for event in client.jobs.events("j1", follow=False)] == names
    services.ledger.end("j1", None, JobState.DONE, None)
    names += [event.name for event in followed]
    assert (names[0], names[-1], len(names)) == ("job.submitted", "job.ended", len(set(names)))
    ids = [event.id for event in client.jobs.events("j1")]
    assert [event.id for event in client.jobs.events("j1", after=ids[0])] == ids[1:]
    named = [event.name for event in client.jobs.events("j1", names="phase.*, job.ended")]
    assert named == [name for name in names if name.startswith("phase.") or name == "job.ended"]
    with pytest.raises(InvalidInput, match=r"names 'job\.endet'; did you mean job\.ended\?"):
        next(client.jobs.events("j1", names="job.endet"))
    with pytest.raises(NotFound):
        next(client.jobs.events("j2"))


def submitted(services: Services, job_id: str, **fields: Any) -> None:
    job = Job(id=job_id, kind="batch", collection="boats", root=job_id, **fields)
    services.ledger.submit(job, Phase(items=(Item(id="0:a.txt", step="ingest.document"),)))


def test_jobs_are_listed_by_the_filter_that_acts_on_them(client: Hopline, services: Services) -> None:
    for job_id, team in (("f1", "legal"), ("f2", "legal = 1"), ("f3", "tax")):
        submitted(services, job_id, tags={"team": team, "year": "2026"})
    everything = client.jobs.list(collection="boats", state=JobState.QUEUED, limit=2)
    assert [job.id for job in everything.jobs] == ["f3", "f2"]
    assert [job.id for job in client.jobs.iterate(collection="boats")] == ["f3", "f2", "f1"]
    filtered: JobFilter = {"tags": {"team": "legal = 1", "year": "2026"}, "step": "ingest.document"}
    assert [job.id for job in client.jobs.list(**filtered).jobs] == ["f2"]
    assert client.jobs.act("cancel", filtered, dry_run=True).jobs == ("f2",)
    begun = datetime.now() - timedelta(days=1)  # noqa: DTZ005 - a time without a zone is this machine's
    assert client.jobs.list(until=begun).jobs == []
    assert len(client.jobs.list(since=begun, collection="boats").jobs) == 3
    assert client.jobs.act("cancel", filtered).done == 1
    assert client.jobs.get("f2").state is JobState.CANCELLED
    with pytest.raises(InvalidInput, match="at least one of: state, kind"):
        client.jobs.act("cancel", {})
    with pytest.raises(InvalidInput) as caught:
        client.jobs.act("cancel", {"stat": "running"})  # type: ignore[typeddict-unknown-key]
    assert caught.value.field == "filter.stat"


def test_a_job_is_waited_for_and_shown_with_what_was_given_up(client: Hopline, services: Services) -> None:
    submitted(services, "w1")
    with pytest.raises(TimeoutError):
        client.jobs.wait("w1", timeout=STREAM_SECONDS)
    ending = Timer(STREAM_SECONDS, services.ledger.end, ("w1", None, JobState.DONE, {"documents": []}))
    ending.start()
    assert client.jobs.wait("w1", timeout=60).state is JobState.DONE
    ending.join()
    assert client.jobs.wait("w1").state is JobState.DONE  # it has ended
    assert client.jobs.get("w1", wait=60).state is JobState.DONE
    assert client.jobs.dead_letters("w1").dead_letters == []
    assert client.jobs.timeline("w1").state == "done"
    assert client.jobs.cancel("w1").state is JobState.DONE
    assert client.jobs.retry("w1").id == "w1"  # nothing of it was given up
    with pytest.raises(InvalidInput, match="only questions are replayed"):
        client.jobs.replay("w1", params={"max_depth": 2})
    with pytest.raises(NotFound):
        client.jobs.wait("w2")
    with pytest.raises(InvalidInput, match="a job's id"):
        client.jobs.get("w 1")
