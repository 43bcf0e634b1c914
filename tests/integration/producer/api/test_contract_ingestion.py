"""The client of the package hopline against the real API: batches, syncs, schedules, estimates, sources."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from doubles.broker import Broker
from doubles.history import Ends, row
from fleet.api import ServedApi, served_api

from hopline import AccessDenied, Hopline, InvalidInput, KeyReused, NotFound, StateConflict
from workers.services import Services

TOKEN = "of-this-machines-user"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a folder with two documents, which requests may name."""
    folder: Path = tmp_path_factory.mktemp("places")
    for name in ("a.txt", "b.md"):
        (folder / name).write_text("A bridge stands in Conwy.", encoding="utf-8")
    return f"file://{folder}"


@pytest.fixture(scope="module")
def api(services: Services, place: str) -> Iterator[ServedApi]:
    few = {"api_sources": place, "api_documents": 2}
    placed = Services(services.settings.model_copy(update=few))
    with served_api(placed, Broker(), loopback=False, token=TOKEN) as served:
        yield served
    placed.close()


@pytest.fixture
def client(api: ServedApi) -> Iterator[Hopline]:
    with Hopline(api.url, api_key=api.key("admin")) as client:
        yield client


def test_a_batch_is_submitted_watched_paused_resumed_and_cancelled(client: Hopline, place: str) -> None:
    submitted = client.batches.submit("night", [place], "notes", max_cost=2.5, chunk_tokens=300)
    again = client.batches.submit("night", [place], "notes", max_cost=2.5, chunk_tokens=300)
    assert (submitted.documents, again) == (2, submitted.model_copy(update={"known": True}))
    shown = client.batches.get("night")
    assert (shown.state, shown.budget.cost) == ("running", 2.5)
    assert [batch.name for batch in client.batches.list().batches] == ["night"]
    report = client.batches.report("night")
    assert (report.running, report.listed) == (True, 2)
    paused = client.batches.pause("night")
    assert (paused.state, [pause.kind for pause in paused.pauses]) == ("paused", ["user"])
    resumed = client.batches.resume("night", max_cost=9.0)
    assert (resumed.state, resumed.budget.cost) == ("running", 9.0)
    with pytest.raises(StateConflict):
        client.batches.retry("night")
    assert client.batches.cancel("night").state == "cancelled"
    with pytest.raises(NotFound, match="no batch other"):
        client.batches.get("other")


def test_bounds_that_do_not_fit_together_are_refused(client: Hopline, place: str) -> None:
    with pytest.raises(InvalidInput, match="chunk_overlap"):
        client.batches.submit("bad", [place], chunk_tokens=300, chunk_overlap=200)
    with pytest.raises(InvalidInput, match="hours"):
        client.syncs.submit([place], hours="soon")
    with pytest.raises(InvalidInput, match="follow_links"):
        client.syncs.submit([place], follow_links=True)  # type: ignore[call-arg]
    with pytest.raises(InvalidInput, match="name"):
        client.batches.submit("no name", [place])


def test_a_folder_goes_to_an_api_elsewhere_in_parts_and_the_same_call_again_submits_nothing(
    client: Hopline, tmp_path: Path
) -> None:
    for name in ("a.txt", "b.txt", "c.md"):
        (tmp_path / name).write_text(f"A bridge, {name}.", encoding="utf-8")
    (tmp_path / "c.md.meta.json").write_text('{"author": "Ann"}', encoding="utf-8")
    first, again = (client.hand_over([tmp_path], "notes", key="a folder") for _ in range(2))
    assert (first.documents, len(first.job_ids), first.refused) == (3, 2, ())
    assert again.job_ids == first.job_ids
    (tmp_path / "a.txt").write_text("Another bridge.", encoding="utf-8")
    with pytest.raises(KeyReused):
        client.hand_over([tmp_path], "notes", key="a folder")
    with pytest.raises(InvalidInput, match="uris"):
        client.documents.submit(uris=[str(tmp_path / "a.txt")])


def test_an_api_of_this_machines_user_reads_files_where_they_lie(api: ServedApi, tmp_path: Path) -> None:
    for number in range(4):
        (tmp_path / f"{number}.txt").write_text(f"Bridge {number}.", encoding="utf-8")
    with Hopline(api.url, api_key=TOKEN) as client:
        taken = client.documents.submit(uris=[str(tmp_path)], collection="notes")
        assert [document.uri for document in taken.documents] == [f"{tmp_path}/{n}.txt" for n in range(4)]
        assert client.hand_over([tmp_path], "notes").documents == 4
        assert client.estimates.make([str(tmp_path)], sample=0).total.read == 4
        paused = client.syncs.submit([str(tmp_path)], "notes")
        assert client.syncs.resume(paused.id, max_calls=100).pauses == ()
        client.jobs.cancel(paused.id)
        with pytest.raises(InvalidInput, match=f"no sync {paused.id} runs"):
            client.syncs.resume(paused.id)


def test_what_documents_would_take_is_estimated(client: Hopline, place: str) -> None:
    estimate = client.estimates.make([place], via="batch", chunk_tokens=300)
    assert (estimate.total.documents, estimate.total.calls, estimate.via) == (2, 2, "batch")


def test_places_are_listed_by_pages(client: Hopline, place: str) -> None:
    assert [entry.address for entry in client.sources.list().entries] == [place]
    page = client.sources.list(place, limit=1)
    rest = client.sources.list(place, cursor=page.next or "")
    assert [*page.entries, *rest.entries] == list(client.sources.iterate(place))
    with pytest.raises(InvalidInput, match="place"):
        client.sources.list("file:///etc")


def test_a_sync_is_submitted_once(client: Hopline, place: str) -> None:
    wanted: dict[str, Any] = {"dry_run": True, "most_removed": 0.1, "max_calls": 5, "tags": {"team": "a"}}
    first, again = (client.syncs.submit([place], "notes", key="once", **wanted) for _ in range(2))
    assert (first.kind, first.tags, again.id) == ("sync", {"team": "a"}, first.id)
    assert (first.params["dry_run"], first.params["most_removed"]) == (True, 0.1)


def test_a_schedule_is_set_listed_paused_resumed_and_deleted(
    client: Hopline, api: ServedApi, place: str
) -> None:
    made = client.schedules.set(
        "weekly", [place], "notes", hours="22:00-06:00", zone="Europe/Berlin", overlap_policy="buffer_one"
    )
    schedule = made.schedule
    assert (schedule.every, schedule.zone, schedule.sync.hours) == (
        "0 22 * * *",
        "Europe/Berlin",
        "22:00-06:00",
    )
    assert (schedule.overlap_policy, schedule.catchup_window) == ("buffer_one", 31_536_000)
    assert client.schedules.list().schedules == [made]
    assert client.schedules.pause("weekly").due is None
    assert client.schedules.resume("weekly").due == made.due
    ended = row(1, kind="sync", collection="notes", caller="", params={"schedule": "weekly"})
    Ends(api.services.redis).put(ended)
    assert [run.job_id for run in client.schedules.runs("weekly").runs] == [ended.id]
    assert [run.job_id for run in client.schedules.iterate_runs("weekly")] == [ended.id]
    client.schedules.delete("weekly")
    with pytest.raises(NotFound, match="no schedule weekly"):
        client.schedules.runs("weekly")


def test_only_administrators_ingest_from_places(api: ServedApi, place: str) -> None:
    with Hopline(api.url, api_key=api.key("submit")) as client, pytest.raises(AccessDenied, match="admin"):
        client.estimates.make([place])
