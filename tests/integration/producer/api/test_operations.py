"""Health and metrics of real workers and servers, read over HTTP from the real API."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from doubles.receiver import Receiver
from fleet.api import ServedApi, served_api
from fleet.checks import one_object
from fleet.crew import Crew, PrivateRedis, make_crew, wait_until
from prometheus_client.parser import text_string_to_metric_families

from workers.app import CeleryPublisher, application_for
from workers.core.ids import webhook_job_id
from workers.core.jobs.work import JobState, Terms
from workers.engine.submit import submit_job
from workers.ledger.records import JobRecord
from workers.services import Services
from workers.settings import Settings
from workers.telemetry.metrics import Counts

SERVERS = ["redis", "neo4j", "vectors", "model"]
QUEUES = ["workers interactive", "workers bulk", "workers quarantine"]
WAITS = ["breakers", "limits", "pauses"]

Numbers = dict[tuple[str, frozenset[tuple[str, str]]], float]


@dataclass
class Plant:
    """Workers, the API over the same servers, and a receiver of webhooks."""

    crew: Crew
    api: ServedApi
    receiver: Receiver

    def get(self, path: str) -> httpx.Response:
        with self.api.client() as client:
            return client.get(path)

    def numbers(self) -> Numbers:
        """Return sample name and labels → value, as Prometheus's own parser reads them."""
        reply = self.get("/metrics")
        assert reply.headers["content-type"].startswith("text/plain; version=0.0.4")
        return {
            (sample.name, frozenset(sample.labels.items())): sample.value
            for family in text_string_to_metric_families(reply.text)
            for sample in family.samples
        }

    def number(self, name: str, **labels: str) -> float:
        return self.numbers().get((name, frozenset(labels.items())), 0.0)

    def delete_something(self, webhook: str = "") -> JobRecord:
        """Submit the job that takes least: removing a document that does not exist."""
        services = self.api.services
        return submit_job(
            services,
            CeleryPublisher(application_for(services.settings)),
            "delete",
            "default",
            {"document_id": "d0"},
            terms=Terms(webhook=webhook),
        )

    def wait_for(self, job_id: str) -> JobRecord:
        def ended() -> JobRecord | None:
            record = self.crew.ledger.job(job_id)
            return record if record is not None and record.state is not JobState.RUNNING else None

        job_record: JobRecord = wait_until(ended, f"the end of {job_id}")
        return job_record


@pytest.fixture(scope="module")
def plant(stack_env: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Plant]:
    redis = PrivateRedis(tmp_path_factory.mktemp("redis"))
    folder = tmp_path_factory.mktemp("crew")
    own = {
        "HOPLINE_WEBHOOK_PRIVATE": "true",
        "HOPLINE_WEBHOOK_HTTP": "true",
        "HOPLINE_LEASE_SECONDS": "8",  # what is held up for seconds is not lost
    }
    crew = make_crew(stack_env, redis.url, folder, **own)
    receiver = Receiver()
    receiver.start()
    services = Services(crew.settings)
    with served_api(services) as api:
        yield Plant(crew, api, receiver)
    crew.stop()
    services.close()
    receiver.stop()
    redis.kill()


def test_a_server_lives_whatever_else_is_away(plant: Plant) -> None:
    assert plant.get("/health/live").json() == {"status": "ok"}


def test_what_waits_and_runs_is_counted_while_no_worker_takes_it(plant: Plant) -> None:
    plant.crew.have()
    before = plant.number("hopline_queue_messages", queue="bulk")
    record = plant.delete_something()
    assert plant.number("hopline_queue_messages", queue="bulk") == before + 1
    assert plant.number("hopline_queue_oldest_seconds", queue="bulk") > 0
    assert plant.number("hopline_jobs_running", kind="delete") == 1
    plant.crew.have(b1="bulk")
    plant.wait_for(record.job.id)
    wait_until(lambda: plant.number("hopline_jobs_ended_total", kind="delete", state="done"), "it is counted")
    assert not plant.number("hopline_jobs_running", kind="delete")


def test_ready_names_every_part_and_which_are_away(plant: Plant) -> None:
    plant.crew.have(b1="bulk")
    wait_until(lambda: "workers bulk" not in plant.get("/health").json()["down"], "the bulk worker reports")

    def seen() -> dict[str, Any]:
        reply = plant.get("/health/ready")
        assert reply.status_code == 503
        return {part["name"]: part for part in reply.json()["parts"]}

    def up() -> set[str]:
        return {name for name, part in seen().items() if part["state"] == "up"}

    # A server that is held up for seconds does not answer in time.
    wait_until(lambda: up() == {*SERVERS, *WAITS, "workers bulk"}, "what is there is up")
    parts = seen()
    assert sorted(parts) == sorted(SERVERS + QUEUES + WAITS)
    assert all(part["ms"] >= 0 for part in parts.values())
    assert parts["workers quarantine"]["detail"] == "no worker takes from this queue"
    down = ["workers interactive", "workers quarantine"]
    wait_until(lambda: sorted(plant.get("/health").json()["down"]) == down, "these are down")
    short = plant.get("/health")
    assert (short.status_code, short.json()["status"]) == (503, "degraded")


def test_metrics_count_what_a_real_worker_did(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    plant.crew.have(b1="bulk")
    before = plant.numbers()
    own = Counts()  # another server in this process would tell what is submitted here to a Redis of its own
    monkeypatch.setattr("workers.engine.submit.COUNTS", own)
    record = plant.delete_something(plant.receiver.url)
    own.flush(plant.crew.redis)
    plant.wait_for(record.job.id)
    plant.wait_for(webhook_job_id(record.job.id, 1))

    def grown(name: str, **labels: str) -> float:
        key = (name, frozenset(labels.items()))
        return plant.numbers().get(key, 0.0) - before.get(key, 0.0)

    wait_until(lambda: grown("hopline_jobs_ended_total", kind="webhook", state="done"), "it is counted")
    assert grown("hopline_jobs_submitted_total", kind="delete") == 1
    assert grown("hopline_jobs_ended_total", kind="delete", state="done") == 1
    assert grown("hopline_items_total", step="ingest.delete", outcome="done") == 1
    assert grown("hopline_items_total", step="webhook.deliver", outcome="done") == 1
    assert grown("hopline_item_seconds_count", step="ingest.delete") == 1
    assert grown("hopline_item_seconds_bucket", step="ingest.delete", le="+Inf") == 1
    assert grown("hopline_item_seconds_sum", step="ingest.delete") > 0
    assert grown("hopline_webhooks_total", outcome="sent") == 1
    assert plant.number("hopline_workers", queue="bulk") == 1


def test_a_webhook_of_a_worker_that_is_killed_is_sent_by_another_and_the_lost_lease_is_counted(
    plant: Plant,
) -> None:
    plant.crew.have(b1="bulk")
    lost = plant.number("hopline_leases_lost_total", step="webhook.deliver")
    plant.receiver.open.clear()
    sent = len(plant.receiver.got)
    record = plant.delete_something(plant.receiver.url)
    wait_until(lambda: len(plant.receiver.got) > sent, "the receiver was called")
    plant.crew.workers.pop("b1").kill()
    plant.receiver.open.set()
    plant.crew.have(b1="bulk")
    name = webhook_job_id(record.job.id, 1)
    webhook_record = plant.wait_for(name)
    assert webhook_record.state is JobState.DONE
    assert webhook_record.leases_lost == 1
    assert {got.headers["webhook-id"] for got in plant.receiver.got[sent:]} == {name}
    assert len(plant.receiver.got) == sent + 2
    wait_until(
        lambda: plant.number("hopline_leases_lost_total", step="webhook.deliver") == lost + 1,
        "the lost lease is counted",
    )


def test_ready_says_yes_once_everything_is_there_and_no_when_a_worker_was_killed(plant: Plant) -> None:
    plant.crew.have(i1="interactive", b1="bulk", q1="quarantine")
    wait_until(lambda: plant.get("/health/ready").status_code == 200, "all parts are up")
    wait_until(lambda: plant.get("/health").json() == {"status": "ok", "down": []}, "and are told so")
    assert plant.number("hopline_workers", queue="interactive") == 1
    plant.crew.workers.pop("i1").kill()
    wait_until(lambda: plant.get("/health/ready").status_code == 503, "the killed worker is missed")
    wait_until(lambda: plant.get("/health").json()["down"] == ["workers interactive"], "and named")
    plant.crew.workers.pop("q1").stop()
    wait_until(lambda: len(plant.get("/health").json()["down"]) == 2, "the stopped worker is missed")


def test_top_tells_the_queues_and_their_workers(plant: Plant) -> None:
    plant.crew.have(bulk="bulk")
    done = plant.crew.run("top", "--json", "--interval", "0.3")
    assert done.returncode == 0, done.stderr
    activity = one_object(done.stdout)
    bulk = activity["queues"]["bulk"]
    assert (bulk["messages"], bulk["oldest_seconds"]) == (0, None)
    assert bulk["workers"] >= 1  # one that was killed just now is still counted
    assert activity["seconds"] >= 0.3
    shown = plant.crew.run("top", "--interval", "0.3").stdout
    assert "bulk" in shown
    assert "oldest" in shown


def test_metrics_say_which_parts_are_up(plant: Plant) -> None:
    fields = plant.crew.settings.model_dump() | {"neo4j_url": "bolt://127.0.0.1:1"}
    services = Services(Settings.model_validate(fields))
    with served_api(services) as api, api.client() as client:
        text = client.get("/metrics").text
        assert 'hopline_up{part="neo4j"} 0.0' in text
        assert 'hopline_up{part="redis"} 1.0' in text
    services.close()


@pytest.mark.parametrize(
    ("setting", "value", "part"),
    [
        ("qdrant_url", "http://127.0.0.1:1", "vectors"),
        ("neo4j_url", "bolt://127.0.0.1:1", "neo4j"),
        ("model_url", "http://user:a-secret@127.0.0.1:1/v1", "model"),
        ("redis_url", "redis://:a-secret@127.0.0.1:1/0", "redis"),
        ("broker_url", "redis://:a-secret@127.0.0.1:1/0", "broker"),
    ],
)
def test_a_server_that_is_away_is_named_without_its_address(
    plant: Plant, setting: str, value: str, part: str
) -> None:
    fields = plant.crew.settings.model_dump() | {setting: value}
    services = Services(Settings.model_validate(fields))
    with served_api(services) as api, api.client() as client:
        reply = client.get("/health/ready")
        assert reply.status_code == 503
        parts = {row["name"]: row for row in reply.json()["parts"]}
        assert parts[part]["state"] == "down"
        assert parts[part]["detail"]
        assert "127.0.0.1" not in reply.text
        assert "secret" not in reply.text
        assert part in client.get("/health").json()["down"]
        assert client.get("/health/live").status_code == 200
    services.close()


def test_requests_are_counted_by_the_pattern_of_their_route(plant: Plant) -> None:
    with plant.api.client() as client:
        client.get("/v1/jobs/j1")
        client.get("/v1/jobs/j2")
        client.get("/no/such/../route?of=mine")
        client.request("BREW", "/v1/jobs")
    wait_until(
        lambda: (
            plant.number("hopline_api_requests_total", method="GET", route="/v1/jobs/{job_id}", status="404")
            >= 2
        ),
        "they are counted",
    )
    numbers = plant.numbers()
    routes = {dict(labels)["route"] for name, labels in numbers if name == "hopline_api_requests_total"}
    assert "none" in routes
    assert not {route for route in routes if "j1" in route or "such" in route}
    methods = {dict(labels)["method"] for name, labels in numbers if name == "hopline_api_requests_total"}
    assert "BREW" not in methods


def test_metrics_are_for_admins_where_there_are_keys(plant: Plant) -> None:
    admin = plant.api.key("admin")
    reader = plant.api.key("submit")
    try:
        for key, status in ((None, 401), (reader, 403), (admin, 200)):
            with plant.api.client(key) as client:
                assert client.get("/metrics").status_code == status
                assert client.get("/health/live").status_code == 200
                assert client.get("/health/ready").status_code in (200, 503)
    finally:
        plant.crew.redis.delete("hop:api-keys")
