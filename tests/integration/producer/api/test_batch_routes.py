"""Named batches over HTTP and from a client over it: for administrators, of their collections alone."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from doubles.broker import Broker
from doubles.history import Ends, row
from fleet.api import ServedApi, served_api

from hopline.errors import InvalidInput, NotFound
from hopline.models.jobs import Budget
from producer.client.hopline import Hopline
from producer.service.batches.submission import BatchOrder, submit_named_batch
from workers.services import Services


@pytest.fixture(scope="module")
def api(services: Services, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedApi]:
    places = {"api_sources": f"file://{tmp_path_factory.mktemp('places')}"}
    placed = Services(services.settings.model_copy(update=places))
    with served_api(placed, Broker(), loopback=False, most_listed=3) as served:
        yield served
    placed.close()


@pytest.fixture(scope="module")
def name(api: ServedApi, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder: Path = tmp_path_factory.mktemp("documents")
    (folder / "a.txt").write_text("A bridge stands in Conwy.", encoding="utf-8")
    order = BatchOrder(name="night", sources=(str(folder),), collection="night", max_cost=5.0)
    return submit_named_batch(api.services, Broker(), order).name


def test_a_batch_is_watched_paused_and_resumed_from_afar(api: ServedApi, name: str) -> None:
    with Hopline(api.url, api_key=api.key("admin")) as hopline:
        assert [batch.name for batch in hopline.batches()] == [name]
        shown = hopline.batch(name)
        assert (shown.state, shown.documents, shown.budget.cost) == ("running", 1, 5.0)
        paused = hopline.pause_batch(name)
        assert paused.state == "paused"
        assert paused.pause is not None
        assert paused.pause.kind == "user"
        again = hopline.resume_batch(name, budget=Budget(cost=9.0))
        assert (again.state, again.budget.cost) == ("running", 9.0)
        report = hopline.batch_report(name)
        assert (report.name, report.running, report.listed) == (name, True, 1)
        assert hopline.cancel_batch(name).state == "cancelled"
        with pytest.raises(NotFound, match="no batch other"):
            hopline.batch("other")


def test_a_batch_is_shown_to_administrators_of_its_collection_alone(api: ServedApi, name: str) -> None:
    paths = ["/v1/batches", f"/v1/batches/{name}", f"/v1/batches/{name}/report"]
    with api.client(api.key("submit")) as client:
        assert [client.get(path).status_code for path in paths] == [403, 403, 403]
    with api.client(api.key("admin", collections=("other",))) as client:
        assert client.get("/v1/batches").json() == {"batches": []}
        assert [client.get(path).status_code for path in paths[1:]] == [404, 404]
        assert client.delete(f"/v1/batches/{name}").status_code == 404


@pytest.fixture(scope="module")
def place(api: ServedApi) -> str:
    """A folder that the server may read, with two documents and what is none."""
    address = api.services.settings.api_sources
    folder = Path(address.removeprefix("file://"))
    for name in ("a.txt", "b.md", "c.exe"):
        (folder / name).write_text("A bridge stands in Conwy.", encoding="utf-8")
    return address


def test_a_batch_is_submitted_from_afar_once(api: ServedApi, place: str) -> None:
    body = {"name": "afar", "sources": [place], "collection": "night", "max_cost": 2.5, "tags": {"team": "a"}}
    with api.client(api.key("admin")) as client:
        first, again = (client.post("/v1/batches", json=body) for _ in range(2))
        assert (first.status_code, again.status_code) == (202, 202), first.text
        submitted = first.json()
        assert (submitted["documents"], submitted["refused"], submitted["known"]) == (2, 1, False)
        assert again.json() == submitted | {"known": True}
        job = api.services.ledger.job(submitted["job_id"])
        assert job is not None
        assert (job.budget.cost, job.job.tags, job.job.priority) == (2.5, {"team": "a"}, "low")
        taken = client.post("/v1/batches", json=body | {"collection": "other"})
        assert (taken.status_code, taken.json()["errors"][0]["field"]) == (422, "batch")
        client.delete("/v1/batches/afar")


def test_what_is_not_to_be_read_or_too_much_is_listed_for_nobody(api: ServedApi, place: str) -> None:
    many = Path(place.removeprefix("file://")) / "many"
    many.mkdir()
    for nth in range(4):
        (many / f"{nth}.txt").write_text("A bridge stands in Conwy.", encoding="utf-8")
    batch = {"name": "astray", "collection": "night"}
    with api.client(api.key("admin")) as client:
        for path, body in (("/v1/batches", batch), ("/v1/syncs", {}), ("/v1/estimates", {})):
            for sources in (["file:///etc"], [f"{place}/.."], [f"{place}/*.txt"]):
                refused = client.post(path, json=body | {"sources": sources})
                assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "sources"), path
        long = client.post("/v1/batches", json=batch | {"sources": [f"{place}/many"]})
        assert (long.status_code, "hopline ingest --batch astray" in long.text) == (422, True)
        long = client.post("/v1/estimates", json={"sources": [f"{place}/many"]})
        assert "`hopline estimate` takes more" in long.text
        assert client.get("/v1/batches/astray").status_code == 404
    shutil.rmtree(many)
    with api.client(api.key("admin", collections=("other",))) as client:
        assert client.post("/v1/batches", json=batch | {"sources": [place]}).status_code == 403
    with api.client(api.key("submit")) as client:
        assert client.post("/v1/estimates", json={"sources": [place]}).status_code == 403


def test_what_documents_would_take_is_told_from_afar_and_nothing_stored(api: ServedApi, place: str) -> None:
    before = sorted(Path(str(api.services.settings.blob_url)).rglob("*"))
    with Hopline(api.url, api_key=api.key("admin")) as hopline, Hopline(services=api.services) as direct:
        estimate = hopline.estimate([place], via="batch", chunk_tokens=300)
        own = direct.estimate([place], via="batch", chunk_tokens=300, confined=True)
        assert (estimate.total.documents, estimate.total.refused_count, estimate.total.calls) == (2, 1, 2)
        assert (estimate.total, estimate.spending, estimate.via) == (own.total, own.spending, "batch")
    assert sorted(Path(str(api.services.settings.blob_url)).rglob("*")) == before


def test_what_may_be_ingested_is_listed_for_administrators_alone(api: ServedApi, place: str) -> None:
    with Hopline(api.url, api_key=api.key("admin")) as hopline, Hopline(services=api.services) as direct:
        assert [entry.address for entry in hopline.sources().entries] == [place]
        page = hopline.sources(place, limit=2)
        assert [entry.name for entry in page.entries] == ["a.txt", "b.md"]
        assert page == direct.sources(place, limit=2)
        assert [entry.name for entry in hopline.sources(place, cursor=page.next or "").entries] == ["c.exe"]
        with pytest.raises(InvalidInput, match="place"):
            hopline.sources("file:///etc")
    with api.client(api.key("submit")) as client:
        assert client.get("/v1/sources").status_code == 403


def test_a_sync_is_submitted_from_afar_once(api: ServedApi, place: str) -> None:
    with Hopline(api.url, api_key=api.key("admin")) as hopline:
        wanted = {"dry_run": True, "most_removed": 0.1, "tags": {"team": "a"}, "key": "sync-1"}
        first, again = (hopline.submit_sync([place], "night", **wanted) for _ in range(2))
        assert first == again
        job = hopline.job(first).job
        assert (job.kind, job.params["most_removed"], job.tags) == ("sync", 0.1, {"team": "a"})
        hopline.cancel(first)
        with pytest.raises(InvalidInput, match="follow_links"):
            hopline.submit_batch("client", [place], "night", follow_links=True)


def test_a_client_sets_lists_pauses_and_deletes_a_schedule_over_http(api: ServedApi, place: str) -> None:
    with Hopline(api.url, api_key=api.key("admin")) as hopline, Hopline(services=api.services) as direct:
        made = hopline.set_schedule(
            "weekly", [place], "night", between="22:00-06:00", zone="Europe/Berlin",
            profile="narrative", tags={"team": "a"}, most_removed=0.1, max_cost=2.5,
        )  # fmt: skip
        schedule, sync = made.schedule, made.schedule.sync
        assert (schedule.every, schedule.zone, sync.hours) == ("0 22 * * *", "Europe/Berlin", "22:00-06:00")
        assert (sync.most_removed, sync.max_cost, schedule.tags) == (0.1, 2.5, {"team": "a"})
        assert sync.confined
        assert schedule.profile
        assert made in hopline.schedules() == direct.schedules()
        assert hopline.pause_schedule("weekly").due is None
        assert direct.resume_schedule("weekly").due == made.due
        runs = row(1, kind="sync", collection="night", caller="", params={"schedule": "weekly"})
        Ends(api.services.redis).put(runs)
        (run,) = hopline.schedule_runs("weekly").runs
        assert (run.job_id, run.state, run.ended) == (runs.id, "done", runs.ended)
        assert hopline.schedule_runs("weekly") == direct.schedule_runs("weekly")
        for wrong, options in (("dry_run", {"dry_run": True}), ("sources", {})):
            sources = [place] if options else ["file:///etc"]
            with pytest.raises(InvalidInput, match=wrong):
                hopline.set_schedule("wrong", sources, "night", every="0 2 * * *", **options)
        hopline.delete_schedule("weekly")
        for call in (hopline.pause_schedule, hopline.schedule_runs):
            with pytest.raises(NotFound, match="no schedule weekly"):
                call("weekly")


def test_a_schedule_is_set_listed_paused_and_deleted_in_its_collection(api: ServedApi, place: str) -> None:
    body = {"sources": [place], "collection": "night", "every": "0 2 * * *", "zone": "Europe/Berlin"}
    path = "/v1/schedules/nightly"
    with api.client(api.key("admin")) as client:
        assert client.put(path, json=body).status_code == 200
        assert client.put(path, json=body | {"every": "soon"}).status_code == 422
        assert client.put(path, json=body | {"overlap_policy": "allow_all"}).status_code == 422
        assert client.put(path, json=body | {"catchup_window": 5}).status_code == 422
        policy = {"overlap_policy": "buffer_one", "catchup_window": 3600}
        assert policy.items() <= client.put(path, json=body | policy).json()["schedule"].items()
        assert client.get(f"{path}/runs").json() == {"runs": [], "not_begun": [], "next": ""}
        assert client.get(f"{path}/runs", params={"cursor": "nowhere"}).status_code == 422
    with api.client(api.key("admin", collections=("other",))) as client:
        assert client.get("/v1/schedules").json()["schedules"] == []
        assert client.put(path, json=body | {"collection": "other"}).status_code == 409
        for sent in (client.delete(path), client.post(f"{path}/pause"), client.post(f"{path}/resume")):
            assert sent.status_code == 404
        assert client.get(f"{path}/runs").status_code == 404
    with api.client(api.key("admin")) as client:
        assert client.delete(path).status_code == 204
        assert client.delete(path).status_code == 404
