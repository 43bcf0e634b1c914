"""Jobs by tag and filter over HTTP, and acts on many of them: of whose jobs, and with what counts."""

import secrets

import pytest
from fleet.api import ServedApi

from hopline import Hopline
from hopline.errors import NotFound, StateConflict
from hopline.models.jobs import JobState
from workers.core.jobs.records import Claim
from workers.core.jobs.work import Item, Job, Phase

LIVE = "c"


def _job(api: ServedApi, key: str, run: str, *, ends: JobState | None = None) -> str:
    """Return a reindex of a key's, tagged with a run."""
    name = "j" + secrets.token_hex(6)
    caller = key.split("_")[1]
    job = Job(
        id=name, kind="reindex", collection="c", root=name, caller=caller, tags={"run": run, "team": "x"}
    )
    api.services.ledger.submit(job, Phase(items=(Item(id="reindex", step="ingest.reindex"),)))
    if ends:
        api.services.ledger.end(name, None, ends, {"error": "the disk is full"})
    return name


def test_a_filter_over_http_means_the_keys_own_jobs(api: ServedApi) -> None:
    mine, other = api.key("submit"), api.key("submit")
    runs, failed, theirs = (
        _job(api, mine, "1"),
        _job(api, mine, "1", ends=JobState.FAILED),
        _job(api, other, "1"),
    )
    _job(api, mine, "2")
    with api.client(mine) as client:

        def listed(**params: str | list[str]) -> set[str]:
            return {
                job["id"] for job in client.get("/v1/jobs", params=params).raise_for_status().json()["jobs"]
            }

        assert listed(tag="run=1") == {runs, failed}
        assert listed(tag=["run=1", "team=x"], state="failed") == {failed}
        assert listed(error="DISK") == {failed}
        assert listed(tag="run=1", step="ingest.reindex", since="2026-01-01T00:00:00Z") == {runs, failed}
        assert listed(until="2026-01-01T00:00:00Z") == set()
        assert client.get(f"/v1/jobs/{runs}").json()["tags"] == {"run": "1", "team": "x"}
        body = {"verb": "cancel", "filter": {"tags": {"run": "1"}}, "dry_run": True}
        would = client.post("/v1/jobs/act", json=body).raise_for_status().json()
        assert (would["matched"], would["done"], would["jobs"]) == (1, 0, [runs])
        assert client.get(f"/v1/jobs/{runs}").json()["state"] == "queued"
        done = client.post("/v1/jobs/act", json=body | {"dry_run": False}).json()
        assert (done["matched"], done["done"], done["jobs"]) == (1, 1, [runs])
        assert client.get(f"/v1/jobs/{runs}").json()["state"] == "cancelled"
        assert client.post("/v1/jobs/act", json=body | {"filter": {}}).status_code == 422
    left = api.services.ledger.job(theirs)
    assert left is not None
    assert left.state is JobState.RUNNING


def test_a_client_retries_and_replays_the_jobs_that_a_filter_means(api: ServedApi) -> None:
    key, other = api.key("submit"), api.key("submit")
    failed = _job(api, key, "7", ends=JobState.FAILED)
    with Hopline(api.url, api_key=key) as hopline:
        done = hopline.jobs.act("retry", {"tags": {"run": "7"}})
        assert (done.matched, done.done, done.jobs, done.refused) == (1, 1, (failed,), ())
        assert hopline.jobs.get(failed).state is JobState.QUEUED
        job = hopline.queries.submit(
            "Who built it?", collection=LIVE, tags={"run": "8"}, parameters={"max_depth": 2}
        ).id
        with pytest.raises(StateConflict):
            hopline.jobs.replay(job)
        api.services.ledger.end(job, None, JobState.DONE, {"text": "Ada did [1].", "citations": []})
        replay = hopline.jobs.replay(job, params={"max_depth": 4}).id
        done = hopline.jobs.act("replay", {"tags": {"run": "8"}}, params={"max_depth": 4})
        assert (done.jobs, done.refused) == ((replay,), ())
        assert hopline.jobs.get(replay).params["max_depth"] == 4
    with Hopline(api.url, api_key=other) as hopline, pytest.raises(NotFound):
        hopline.jobs.replay(job)
    with api.client(key) as client:
        body = {"verb": "cancel", "filter": {"kind": "query"}, "params": {"max_depth": 4}}
        assert client.post("/v1/jobs/act", json=body).status_code == 422
        assert client.post(f"/v1/jobs/{job}/replay", json={"params": {"question": "?"}}).status_code == 422


def test_a_key_that_only_reads_acts_on_nothing(api: ServedApi) -> None:
    body = {"verb": "cancel", "filter": {"kind": "reindex"}}
    with api.client(api.key("read")) as client:
        assert client.post("/v1/jobs/act", json=body).status_code == 403
    with api.client(api.key("submit", principals=("user:ann",))) as client:
        assert client.post("/v1/jobs/act", json=body).status_code == 403


@pytest.mark.parametrize(("field", "given", "near"), [
    ("kind", "querry", "query"), ("step", "ingest.extrakt", "ingest.extract"),
])  # fmt: skip
def test_a_kind_or_a_step_that_does_not_exist_is_refused_with_those_that_do(api, field, given, near):
    with api.client(api.key("admin")) as client:
        replies = [client.get(path, params={field: given}) for path in ("/v1/jobs", "/v1/history")]
        acts = {"verb": "cancel", "filter": {field: given}, "dry_run": True}
        replies.append(client.post("/v1/jobs/act", json=acts))
    for reply in replies:
        problem = reply.json()
        assert (reply.status_code, problem["errors"][0]["field"]) == (422, field), problem
        assert problem["detail"].startswith(f"there is no {field} {given!r}; did you mean {near}?")
        assert near in problem["errors"][0]["allowed"].removeprefix("one of: ").split(", ")


def test_a_jobs_timeline_tells_when_its_items_ran(api: ServedApi) -> None:
    key, ledger = api.key("submit"), api.services.ledger
    name = _job(api, key, "9")
    claim = Claim(job_id=name, epoch=1, item_id="reindex", token="w1")
    assert ledger.begin(claim).verdict == "go"
    assert ledger.fail(claim, "the disk is full", permanent=True).verdict == "dead"
    with api.client(key) as client:
        timeline = client.get(f"/v1/jobs/{name}/timeline").raise_for_status().json()
        assert client.get("/v1/jobs/nope/timeline").status_code == 404
    [item] = timeline["items"]
    assert (item["item"], item["step"], timeline["cut"]) == ("reindex", "ingest.reindex", False)
    [attempt] = item["attempts"]
    assert (attempt["how"], attempt["why"]) == ("dead", "the disk is full")
    with api.client(api.key("submit")) as other:
        assert other.get(f"/v1/jobs/{name}/timeline").status_code == 404
