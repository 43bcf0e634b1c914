"""What only HTTP has: connections that break, keys, requests of bounded size, servers that are none."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx2
import pytest
from doubles.relay import Relay
from fleet.api import ServedApi, served_api
from fleet.crew import Crew, wait_until
from fleet.worlds import BRIDGE_QUESTION, write_bridge, write_tree

from infra.local.process import free_port
from producer import Hopline
from producer.client.http.problems import AccessDenied, NotTheApi, TooManyJobs
from producer.reports.ingest import IngestReport
from producer.service.keys import STORED
from workers.core.errors import DependencyAway, InvalidInput, NotFound
from workers.core.jobs.work import Event
from workers.ledger.keys import job_key
from workers.services import Services

BRIDGES = "test-http-bridges"


@pytest.fixture(scope="module")
def services(standing_crew: Crew) -> Iterator[Services]:
    """Servers behind an API that takes little at a time."""
    little = {"api_documents": 3, "api_body_bytes": 20_000, "api_jobs_in_flight": 2, "api_heartbeat": 1.0}
    made = Services(standing_crew.settings.model_copy(update=little))
    yield made
    made.redis.delete(STORED)
    made.close()


@pytest.fixture(scope="module")
def api(services: Services) -> Iterator[ServedApi]:
    with served_api(services) as served:
        yield served


@pytest.fixture(scope="module")
def key(api: ServedApi) -> str:
    return api.key("submit")


@pytest.fixture
def hopline(api: ServedApi, key: str) -> Iterator[Hopline]:
    with Hopline(api.url, api_key=key) as client:
        yield client


@pytest.fixture(scope="module")
def bridges(standing_crew: Crew, tmp_path_factory: pytest.TempPathFactory) -> str:
    standing_crew.model.set()
    standing_crew.ingest(write_bridge(tmp_path_factory.mktemp("bridges")), BRIDGES)
    return BRIDGES


@pytest.fixture
def relay(api: ServedApi) -> Iterator[Relay]:
    made = Relay(int(api.url.rpartition(":")[2]))
    yield made
    made.close()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("producer.client.http.connection._PATIENCE", 0.3)


def kept(crew: Crew, job_id: str) -> list[Event]:
    return [event for _, event in crew.ledger.events(job_id, limit=10_000)]


def test_every_event_comes_once_through_connections_that_are_cut(
    crew: Crew, relay: Relay, key: str, bridges: str
) -> None:
    crew.model.set(chat={"latency": 0.5})
    seen: list[Event] = []
    cuts = 0
    with Hopline(f"http://127.0.0.1:{relay.port}", api_key=key) as hopline:
        job_id = hopline.submit_question(BRIDGE_QUESTION, bridges)
        for event in hopline.watch(job_id, timeout=180):
            seen.append(event)
            if len(seen) % 2 == 1:
                cuts += relay.cut()
        assert hopline.job(job_id).state == "done"
    assert cuts >= 3
    assert seen == kept(crew, job_id)


def test_what_the_streams_cap_has_passed_is_told_by_a_snapshot(
    crew: Crew, hopline: Hopline, bridges: str
) -> None:
    answer = hopline.ask(BRIDGE_QUESTION, bridges)
    crew.redis.xtrim(job_key(answer.job_id, "events"), maxlen=3, approximate=False)
    first, *rest = hopline.watch(answer.job_id)
    assert first.name == "snapshot"
    assert first.data["missed_after"] == "0"
    assert first.data["job"]["id"] == answer.job_id
    assert rest == kept(crew, answer.job_id)
    assert len(rest) == 3


def test_a_watch_that_is_dropped_gives_its_connection_back(
    crew: Crew, hopline: Hopline, bridges: str
) -> None:
    crew.model.set(chat={"hold": True})
    job_id = hopline.submit_question(BRIDGE_QUESTION, bridges)
    watch = hopline.watch(job_id)
    assert next(watch).name == "job.submitted"
    assert open_streams()
    del watch
    wait_until(lambda: not open_streams(), "the thread of the dropped watch ends")
    hopline.cancel(job_id)


def open_streams() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name == "hopline-events"]


def test_a_key_that_opens_nothing_and_a_missing_one_are_told_apart(api: ServedApi, key: str) -> None:
    assert key
    with Hopline(api.url) as nobody, pytest.raises(AccessDenied, match="send an API key"):
        nobody.jobs()
    with Hopline(api.url, api_key="hop_no") as wrong, pytest.raises(AccessDenied, match="not valid"):
        wrong.jobs()


def test_what_a_key_is_not_for_is_refused(api: ServedApi, hopline: Hopline, bridges: str) -> None:
    answer = hopline.ask(BRIDGE_QUESTION, bridges)
    with Hopline(api.url, api_key=api.key("read")) as reader:
        assert reader.search("Where was Maren Holt born?", bridges).chunks
        with pytest.raises(AccessDenied, match="submit"):
            reader.ask(BRIDGE_QUESTION, bridges)
        with pytest.raises(NotFound):
            reader.job(answer.job_id)  # another key's
        with pytest.raises(NotFound):
            list(reader.watch(answer.job_id))
        assert reader.jobs() == []
    with Hopline(api.url, api_key=api.key("submit", collections=("other",))) as other:
        with pytest.raises(AccessDenied, match=bridges):
            other.search("Where?", bridges)
        assert list(other.collections()) == []
    with Hopline(api.url, api_key=api.key("admin")) as admin:
        assert admin.job(answer.job_id).job.id == answer.job_id


def test_more_documents_than_a_request_takes_are_several_batches_and_one_report(
    hopline: Hopline, collection: str, tmp_path: Path
) -> None:
    folder = write_tree(tmp_path / "tree")
    (folder / "picture.png").write_bytes(b"\x89PNG")
    submitted = hopline.submit_documents([folder], collection, key="in three requests")
    assert (submitted.documents, len(submitted.job_ids)) == (6, 2)
    assert hopline.submit_documents([folder], collection, key="in three requests") == submitted
    report = hopline.ingest([folder], collection, timeout=180)
    assert report.status == "done"
    assert len(report.documents) == 7
    assert len(list(hopline.documents(collection))) == 6
    assert [Path(document.uri).name for document in report.failed] == ["picture.png"]


def test_a_list_of_documents_that_is_too_long_for_a_request_keeps_its_lines_numbers(
    hopline: Hopline, collection: str, tmp_path: Path
) -> None:
    filler = "Karsund lies by the sea. " * 300
    lines = [{"text": f"Maren Holt praised town {number}. {filler}"} for number in range(3)]
    (tmp_path / "lines.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    submitted = hopline.submit_documents([tmp_path], collection)
    assert len(submitted.job_ids) == 2
    reports = [hopline.wait(job_id, 180) for job_id in submitted.job_ids]
    documents = [
        document for report in reports if isinstance(report, IngestReport) for document in report.documents
    ]
    assert [document.uri.rpartition("#")[2] for document in documents] == ["1", "2", "3"]


def test_addresses_are_read_by_the_server_if_it_may(hopline: Hopline, collection: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        hopline.submit_documents(["http://169.254.169.254/latest/meta-data.txt"], collection)
    assert caught.value.field == "uris"


@pytest.mark.usefixtures("impatient")
def test_more_jobs_than_a_key_may_have_in_flight_are_refused_with_a_time_to_wait(
    crew: Crew, api: ServedApi, bridges: str
) -> None:
    crew.model.set(chat={"hold": True})
    with Hopline(api.url, api_key=api.key("submit")) as hopline:
        running = [hopline.submit_question(BRIDGE_QUESTION, bridges) for _ in range(2)]
        with pytest.raises(TooManyJobs) as caught:
            hopline.submit_question(BRIDGE_QUESTION, bridges)
        assert caught.value.retry_after
        for job_id in running:
            hopline.cancel(job_id)


@pytest.mark.usefixtures("impatient")
def test_an_api_that_is_away_is_reported() -> None:
    with Hopline(f"http://127.0.0.1:{free_port()}") as hopline, pytest.raises(DependencyAway, match="API at"):
        hopline.jobs()


def test_a_server_that_is_not_the_api_is_told(stack_env: dict[str, str]) -> None:
    address = stack_env["HOPLINE_QDRANT_URL"]
    with Hopline(address) as hopline, pytest.raises(NotTheApi, match="is it hopline's API"):
        hopline.jobs()


def test_a_request_that_lost_its_reply_is_no_second_job(
    api: ServedApi, bridges: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    send, lost = httpx2.HTTPTransport.handle_request, [True]

    def lossy(self: httpx2.HTTPTransport, request: httpx2.Request) -> httpx2.Response:
        response = send(self, request)
        if lost and request.method == "POST":
            lost.pop()
            response.close()
            raise httpx2.ReadError("the connection was reset", request=request)
        return response

    monkeypatch.setattr(httpx2.HTTPTransport, "handle_request", lossy)
    with Hopline(api.url, api_key=api.key("submit")) as hopline:
        hopline.wait(hopline.submit_question(BRIDGE_QUESTION, bridges))
        assert lost == []
        (job,) = hopline.jobs()
        submitted = datetime.fromtimestamp(job.created, UTC)
        assert hopline.jobs(since=submitted) == [job]
        assert hopline.jobs(since=submitted + timedelta(seconds=1)) == []
