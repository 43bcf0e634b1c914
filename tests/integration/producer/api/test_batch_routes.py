"""Named batches over HTTP and from a client over it: for administrators, of their collections alone."""

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from doubles.broker import Broker
from fleet.api import ServedApi, served_api

from hopline import Hopline
from hopline.errors import InvalidInput, NotFound
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


def test_a_batch_is_shown_to_administrators_of_its_collection_alone(api: ServedApi, name: str) -> None:
    paths = ["/v1/batches", f"/v1/batches/{name}", f"/v1/batches/{name}/report"]
    with api.client(api.key("submit")) as client:
        assert [client.get(path).status_code for path in paths] == [403, 403, 403]
    with api.client(api.key("admin", collections=("other",))) as client:
        assert client.get("/v1/batches").json()["batches"] == []
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


def test_a_batch_that_waits_for_its_hours_says_until_when_in_rfc_3339(api: ServedApi, place: str) -> None:
    begin = datetime.now(UTC) + timedelta(hours=2)
    hours = f"{begin:%H:%M}-{begin + timedelta(hours=1):%H:%M}"
    with api.client(api.key("admin")) as client:
        body = {"name": "later", "sources": [place], "collection": "night", "hours": hours}
        told = client.post("/v1/batches", json=body).json()["waits_until"]
        assert told == f"{begin:%Y-%m-%dT%H:%M}:00Z"
        client.delete("/v1/batches/later")


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
    with Hopline(api.url, api_key=api.key("admin")) as hopline:
        estimate = hopline.estimates.make([place], via="batch", chunk_tokens=300)
    assert (estimate.total.documents, estimate.total.refused_count, estimate.total.calls) == (2, 1, 2)
    assert sorted(Path(str(api.services.settings.blob_url)).rglob("*")) == before


def test_what_may_be_ingested_is_listed_for_administrators_alone(api: ServedApi, place: str) -> None:
    with Hopline(api.url, api_key=api.key("admin")) as hopline:
        assert [entry.name for entry in hopline.sources.iterate(place)] == ["a.txt", "b.md", "c.exe"]
    with api.client(api.key("submit")) as client:
        assert client.get("/v1/sources").status_code == 403


def test_a_schedule_reads_places_only_and_keeps_what_is_said_of_its_syncs(api: ServedApi, place: str) -> None:
    with Hopline(api.url, api_key=api.key("admin")) as hopline:
        made = hopline.schedules.set(
            "weekly", [place], "night", hours="22:00-06:00", profile="narrative", tags={"team": "a"},
            most_removed=0.1, max_cost=2.5,
        )  # fmt: skip
        schedule, sync = made.schedule, made.schedule.sync
        assert (sync.most_removed, sync.max_cost, schedule.tags) == (0.1, 2.5, {"team": "a"})
        assert sync.confined
        assert schedule.profile
        with pytest.raises(InvalidInput, match="dry_run"):
            hopline.schedules.set("wrong", [place], "night", every="0 2 * * *", dry_run=True)
        with pytest.raises(InvalidInput, match="sources"):
            hopline.schedules.set("wrong", ["file:///etc"], "night", every="0 2 * * *")
        hopline.schedules.delete("weekly")
        with pytest.raises(NotFound, match="no schedule weekly"):
            hopline.schedules.pause("weekly")


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
        assert client.get(f"{path}/runs").json() == {"runs": [], "not_begun": [], "next": None}
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
