"""Health and metrics of real servers, read over HTTP from the real API; with workers in the long run."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from doubles.receiver import Receiver
from fleet.api import ServedApi, served_api
from fleet.crew import Crew, PrivateRedis, make_crew, wait_until
from prometheus_client.parser import text_string_to_metric_families

from hopline.models.jobs import JobState
from workers.app import application_for
from workers.core.ids import webhook_job_id
from workers.core.jobs.records import JobRecord
from workers.core.jobs.work import Terms
from workers.engine.submit import submit_job
from workers.services import Services
from workers.settings import Settings
from workers.telemetry.presence import leave, stay
from workers.telemetry.queues import OCR, QUEUES
from workers.transport.publishers import CeleryPublisher

SERVERS = ["redis", "neo4j", "vectors", "model"]
WAITS = ["breakers", "limits", "pauses"]
# Where nothing is submitted over Celery or scheduled, and no document has pages to recognise.
UNNEEDED = ("workers submissions", f"workers {OCR}", "beat")
NEEDED = tuple(queue for queue in QUEUES if queue != OCR)

Numbers = dict[tuple[str, frozenset[tuple[str, str]]], float]


def numbers(api: ServedApi) -> Numbers:
    """Return sample name and labels → value, as Prometheus's own parser reads them."""
    with api.client() as client:
        reply = client.get("/metrics")
    assert reply.headers["content-type"].startswith("text/plain; version=0.0.4")
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(reply.text)
        for sample in family.samples
    }


def number(api: ServedApi, name: str, **labels: str) -> float:
    return numbers(api).get((name, frozenset(labels.items())), 0.0)


def get(api: ServedApi, path: str) -> httpx.Response:
    with api.client() as client:
        return client.get(path)


def test_probes_may_ask_with_head_and_requests_are_counted_by_their_route(api: ServedApi) -> None:
    with api.client() as client:
        for path in ("/health", "/health/ready", "/v1/jobs", "/nowhere"):
            head, whole = client.head(path), client.get(path)
            assert (head.status_code, head.content) == (whole.status_code, b"")
    with api.client() as client:
        client.get("/v1/jobs/j1")
        client.get("/v1/jobs/j2")
        client.get("/no/such/../route?of=mine")
        client.request("BREW", "/v1/jobs")
    shown = {"method": "GET", "route": "/v1/jobs/{job_id}", "status": "404"}
    wait_until(lambda: number(api, "hopline_api_requests_total", **shown) >= 2, "they are counted")
    counted = [dict(labels) for name, labels in numbers(api) if name == "hopline_api_requests_total"]
    routes = {labels["route"] for labels in counted}
    assert "none" in routes
    assert not {route for route in routes if "j1" in route or "such" in route}
    assert "BREW" not in {labels["method"] for labels in counted}


def delete_something(services: Services, webhook: str = "") -> JobRecord:
    """Submit the job that takes least: removing a document that does not exist."""
    publisher = CeleryPublisher(application_for(services.settings))
    terms = Terms(webhook=webhook)
    return submit_job(services, publisher, "delete", "default", {"document_id": "d0"}, terms=terms)


@pytest.fixture(scope="module")
def api(services: Services) -> Iterator[ServedApi]:
    """An API for which no worker works."""
    with served_api(services) as served:
        yield served


def test_ready_names_every_part_and_which_are_away_and_says_yes_once_all_are_there(api: ServedApi) -> None:
    def parts() -> dict[str, dict[str, Any]]:
        return {part["name"]: part for part in get(api, "/health/ready").json()["parts"]}

    def up() -> set[str]:
        return {name for name, part in parts().items() if part["state"] == "up"}

    def wait_for(bad: set[str]) -> None:
        status = 503 if bad else 200

        def shown() -> bool:
            for queue in set(NEEDED) - {name.removeprefix("workers ") for name in bad}:
                stay(api.services.redis, queue, f"{queue}@here")
            short = get(api, "/health").json()
            return get(api, "/health/ready").status_code == status and set(short["down"]) == bad

        wait_until(shown, f"{bad} are down, and nothing else")

    assert get(api, "/health/live").json() == {"status": "ok"}
    # A server that is held up for seconds does not answer in time.
    wait_until(lambda: up() == {*SERVERS, *WAITS, *UNNEEDED}, "what is there is up")
    seen = parts()
    assert seen.keys() == {*SERVERS, *WAITS, *UNNEEDED, *(f"workers {queue}" for queue in NEEDED)}
    assert all(part["ms"] >= 0 for part in seen.values())
    assert seen["workers quarantine"]["detail"] == "no worker takes from this queue"
    wait_for({f"workers {queue}" for queue in NEEDED})
    assert (get(api, "/health").status_code, get(api, "/health").json()["status"]) == (503, "degraded")
    wait_for(set())
    stay(api.services.redis, "interactive", "interactive@here")
    assert number(api, "hopline_workers", queue="interactive") == 1
    leave(api.services.redis, "interactive", "interactive@here")
    wait_for({"workers interactive"})
    for queue in NEEDED:
        leave(api.services.redis, queue, f"{queue}@here")


def test_what_waits_is_counted_while_no_worker_takes_it(api: ServedApi) -> None:
    before = number(api, "hopline_queue_messages", queue="bulk")
    record = delete_something(api.services)
    assert number(api, "hopline_queue_messages", queue="bulk") == before + 1
    assert number(api, "hopline_queue_oldest_seconds", queue="bulk") > 0
    assert number(api, "hopline_jobs_running", kind="delete") == 1
    api.services.ledger.end(record.job.id, None, JobState.CANCELLED, {})


@pytest.mark.parametrize(("setting", "value", "part"), [
    ("qdrant_url", "http://127.0.0.1:1", "vectors"),
    ("neo4j_url", "bolt://127.0.0.1:1", "neo4j"),
    ("model_url", "http://user:a-secret@127.0.0.1:1/v1", "model"),
    ("redis_url", "redis://:a-secret@127.0.0.1:1/0", "redis"),
    ("broker_url", "redis://:a-secret@127.0.0.1:1/0", "broker"),
])  # fmt: skip
def test_a_server_away_is_named_without_address(api: ServedApi, setting: str, value: str, part: str) -> None:
    fields = api.services.settings.model_dump() | {setting: value}
    services = Services(Settings.model_validate(fields))
    with served_api(services) as away, away.client() as client:
        reply = client.get("/health/ready")
        assert reply.status_code == 503
        parts = {row["name"]: row for row in reply.json()["parts"]}
        assert parts[part]["state"] == "down"
        assert parts[part]["detail"]
        assert "127.0.0.1" not in reply.text
        assert "secret" not in reply.text
        assert part in client.get("/health").json()["down"]
        assert client.get("/health/live").status_code == 200
        if part == "neo4j":
            metrics = client.get("/metrics").text
            assert 'hopline_up{part="neo4j"} 0.0' in metrics
            assert 'hopline_up{part="redis"} 1.0' in metrics
    services.close()


# with workers -----------------------------------------------------------------------------------------


@dataclass
class Plant:
    """A worker, the API over the same servers, and a receiver of webhooks."""

    crew: Crew
    api: ServedApi
    receiver: Receiver

    def wait_for(self, job_id: str) -> JobRecord:
        def ended() -> JobRecord | None:
            record = self.crew.ledger.job(job_id)
            return record if record is not None and record.state is not JobState.RUNNING else None

        job_record: JobRecord = wait_until(ended, f"the end of {job_id}")
        return job_record


@pytest.fixture(scope="module")
def plant(stack_env: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Plant]:
    redis = PrivateRedis(tmp_path_factory.mktemp("redis"))
    own = {"HOPLINE_WEBHOOK_PRIVATE": "true", "HOPLINE_WEBHOOK_HTTP": "true", "HOPLINE_LEASE_SECONDS": "8"}
    crew = make_crew(stack_env, redis.url, tmp_path_factory.mktemp("crew"), **own)
    receiver = Receiver()
    receiver.start()
    services = Services(crew.settings)
    crew.have(b1="bulk")
    with served_api(services) as api:
        yield Plant(crew, api, receiver)
    crew.stop()
    services.close()
    receiver.stop()
    redis.kill()


@pytest.mark.long
def test_metrics_count_what_a_real_worker_did(plant: Plant) -> None:
    before = numbers(plant.api)
    record = delete_something(plant.api.services, plant.receiver.url)
    plant.wait_for(record.job.id)
    plant.wait_for(webhook_job_id(record.job.id, 1))

    def grown(name: str, **labels: str) -> float:
        key = (name, frozenset(labels.items()))
        return numbers(plant.api).get(key, 0.0) - before.get(key, 0.0)

    wait_until(lambda: grown("hopline_jobs_ended_total", kind="webhook", state="done"), "it is counted")
    assert grown("hopline_jobs_ended_total", kind="delete", state="done") == 1
    assert grown("hopline_items_total", step="ingest.delete", outcome="done") == 1
    assert grown("hopline_items_total", step="webhook.deliver", outcome="done") == 1
    assert grown("hopline_item_seconds_count", step="ingest.delete") == 1
    assert grown("hopline_item_seconds_bucket", step="ingest.delete", le="+Inf") == 1
    assert grown("hopline_item_seconds_sum", step="ingest.delete") > 0
    assert grown("hopline_webhooks_total", outcome="sent") == 1
    assert number(plant.api, "hopline_workers", queue="bulk") == 1
    assert not number(plant.api, "hopline_jobs_running", kind="delete")
    done = plant.crew.run("top", "--json", "--interval", "0.3")
    assert done.returncode == 0, done.stderr
    assert '"bulk"' in done.stdout


@pytest.mark.long
def test_a_webhook_of_a_killed_worker_is_sent_by_another_and_the_lost_lease_is_counted(plant: Plant) -> None:
    lost = number(plant.api, "hopline_leases_lost_total", step="webhook.deliver")
    plant.receiver.open.clear()
    sent = len(plant.receiver.got)
    record = delete_something(plant.api.services, plant.receiver.url)
    wait_until(lambda: len(plant.receiver.got) > sent, "the receiver was called")
    plant.crew.workers.pop("b1").kill()
    plant.receiver.open.set()
    plant.crew.have(b1="bulk")
    name = webhook_job_id(record.job.id, 1)
    webhook_record = plant.wait_for(name)
    assert (webhook_record.state, webhook_record.leases_lost) == (JobState.DONE, 1)
    assert {got.headers["webhook-id"] for got in plant.receiver.got[sent:]} == {name}
    assert len(plant.receiver.got) == sent + 2
    wait_until(
        lambda: number(plant.api, "hopline_leases_lost_total", step="webhook.deliver") == lost + 1,
        "the lost lease is counted",
    )
