"""A batch through the provider: whatever is killed at whatever stage, all go in and nothing is made twice."""

import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from fleet.checks import assert_nothing_left
from fleet.crew import PATIENCE, Crew, private_crew, wait_until
from fleet.worlds import write_reports

from hopline.models.jobs import JobState
from hopline.models.results import Job

DOCUMENTS, LINES = 24, 9
PRICE = 10.0  # of a million tokens
LONGEST = 4096  # tokens of a reply
SETTINGS = {
    "HOPLINE_PROVIDER_BATCH_LINES": str(LINES), "HOPLINE_PROVIDER_POLL_SECONDS": "0.2",
    "HOPLINE_PRICE_FAST_IN": str(PRICE), "HOPLINE_PRICE_FAST_OUT": str(PRICE),
}  # fmt: skip


@dataclass(frozen=True)
class World:
    """Workers with a store of replies and a Redis of their own, before the offline model's Batch API."""

    crew: Crew

    def listed(self, what: str) -> list[dict[str, Any]]:
        url = self.crew.settings.model_url
        return httpx.get(f"{url}/{what}?limit=100", timeout=60, trust_env=False).json()["data"]

    def asked(self, what: str) -> int:
        return self.crew.model.asked(what)

    def submit(self, folder: Path, town: str = "") -> tuple[str, str]:
        """Submit documents, unlike any others unless a town is named; return job and collection."""
        collection = f"provider-{secrets.token_hex(4)}"
        write_reports(folder, DOCUMENTS, town or f"Port{secrets.token_hex(4)}")
        batch = self.crew.client.batches.submit(collection, [str(folder)], collection, via="batch")
        return batch.job_id, collection

    def ended(self, job_id: str) -> Job:
        return self.crew.client.jobs.wait(job_id, timeout=PATIENCE)

    def assert_whole(self, job_id: str, collection: str) -> Job:
        """Check that every document is in, once, and nothing is left behind, here or at the provider."""
        record = self.ended(job_id)
        assert record.state is JobState.DONE, record.outcome
        assert record.outcome.counts == {"done": DOCUMENTS}
        live = self.crew.services.graph.census(collection).live
        assert (live.documents, live.facts) == (DOCUMENTS, DOCUMENTS)
        assert_nothing_left(self.crew)
        assert self.listed("files") == []
        return record

    def assert_books(self, record: Job) -> None:
        """Check that what is booked is what was paid: call for call, lines token for token at half price."""
        requests = {
            name: self.asked(name) for name in ("batch ExtractedFacts", "ExtractedFacts", "embeddings")
        }
        embedded = record.usage.model_calls - requests["batch ExtractedFacts"] - requests["ExtractedFacts"]
        # A worker that starts embeds for nobody's account.
        done = record.outcome.counts.get("done", 0) if record.outcome else 0
        assert done <= embedded <= requests["embeddings"]
        booked = self.crew.redis.hgetall(f"hop:{{{record.id}}}:job")
        assert int(booked["booked_calls"]) == record.usage.model_calls
        assert int(booked["booked_tokens"]) == record.usage.prompt_tokens + record.usage.completion_tokens
        paid = sum(batch["usage"]["total_tokens"] for batch in self.listed("batches"))
        direct = (record.usage.cost or 0.0) * 1e6 / PRICE - paid / 2
        counts = record.outcome.provider if record.outcome else {}
        answered = counts.get("kept", 0) + counts.get("unusable", 0)  # a line that failed took nothing
        expected = requests["ExtractedFacts"] * paid / max(1, answered or requests["batch ExtractedFacts"])
        # A reply that does not say what it took counts as the most that it can have taken.
        most = counts.get("unusable", 0) * LONGEST / 2
        assert 0.8 * expected - 1 <= direct <= 1.2 * (expected + most) + 1


@pytest.fixture(scope="module")
def world(stack_env: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with private_crew(stack_env, tmp_path_factory.mktemp("provider"), **SETTINGS) as crew:
        yield World(crew)


@pytest.fixture(autouse=True)
def _quiet(world: World) -> Iterator[None]:
    world.crew.model.set()
    world.crew.have(bulk="bulk")
    yield
    world.crew.model.set()


def test_all_go_in_for_half_the_price_and_one_call_that_shows_the_form(world: World, tmp_path: Path):
    job_id, collection = world.submit(tmp_path)
    record = world.assert_whole(job_id, collection)
    assert world.asked("ExtractedFacts") <= 1
    assert world.asked("ExtractedFacts") + world.asked("batch ExtractedFacts") == DOCUMENTS
    assert world.asked("POST batches") == world.asked("POST files") == 3
    counts = record.outcome.provider
    assert counts["kept"] == counts["lines"] == world.asked("batch ExtractedFacts")
    world.assert_books(record)


STAGES: dict[str, tuple[dict[str, Any], Callable[[World], bool]]] = {
    "prepared": ({"fail_requests": []}, lambda world: world.asked("ExtractedFacts") >= 1),
    "uploaded": ({}, lambda world: world.asked("POST files") >= 1),
    "created": ({}, lambda world: world.asked("POST batches") >= 1),
    "worked on": ({"hold": "in_progress"}, lambda world: len(world.listed("batches")) == 3),
    "read": ({"hold": "finalizing"}, lambda world: world.asked("batch ExtractedFacts") >= DOCUMENTS - 1),
}


@pytest.mark.parametrize(("killed", "stage"), [*(("worker", stage) for stage in STAGES), ("redis", "read")])
def test_a_kill_at_any_stage_makes_nothing_twice(world: World, tmp_path: Path, killed: str, stage: str):
    switches, reached = STAGES[stage]
    # A fresh worker has to ask once: then the first stage is seen.
    world.crew.have()
    world.crew.start("bulk", "bulk")
    world.crew.model.set(batches=switches)
    job_id, collection = world.submit(tmp_path)
    wait_until(lambda: reached(world), f"it is {stage}")
    if stage == "read":
        world.crew.model.change(batches={"hold": ""})
        wait_until(lambda: world.asked("GET files") >= 4, "files are being read")
    if killed == "worker":
        world.crew.restart("bulk")
    else:
        world.crew.restart_redis()
    world.crew.model.change(batches={"hold": ""})
    record = world.assert_whole(job_id, collection)
    assert len(world.listed("batches")) == 3
    # A worker killed while it sends a request leaves one that was begun and never read.
    assert 3 <= world.asked("POST batches") <= (4 if killed == "worker" else 3)
    assert world.asked("batch ExtractedFacts") <= DOCUMENTS
    # What a worker asked at the moment when it was killed is asked again, and stays booked.
    assert world.asked("batch ExtractedFacts") + world.asked("ExtractedFacts") - DOCUMENTS <= 2
    if killed == "redis":
        world.assert_books(record)


def test_lines_that_fail_go_the_normal_way_and_all_is_booked(world: World, tmp_path: Path):
    spoilt = {"500": 0.15, "malformed": 0.1, "schema": 0.1, "broken": 0.1, "expired": 0.1}
    world.crew.model.set(batches={"fail": spoilt, "fail_next": ["completed", "expired"]}, seed=7)
    job_id, collection = world.submit(tmp_path)
    record = world.assert_whole(job_id, collection)
    counts = record.outcome.provider
    assert counts["kept"] + counts["unusable"] + counts["failed"] == counts["lines"] >= DOCUMENTS - 1
    assert counts["unusable"] > 0
    assert counts["failed"] > 0
    # The call that shows the form is beside the lines.
    assert world.asked("ExtractedFacts") == DOCUMENTS - counts["kept"]
    world.assert_books(record)


def test_a_batch_that_the_provider_refuses_begins_no_document_until_it_is_retried(world, tmp_path):
    world.crew.model.set(batches={"fail_next": ["failed"] * 3})
    job_id, collection = world.submit(tmp_path)
    record = world.ended(job_id)
    assert record.state is JobState.FAILED
    assert "refused the batch" in record.outcome.reason
    assert world.asked("ExtractedFacts") <= 1
    wait_until(lambda: world.listed("files") == [], "its files are gone")
    world.crew.client.jobs.retry(job_id)
    world.assert_books(world.assert_whole(job_id, collection))


def test_cancelling_stops_the_provider_and_keeps_what_is_paid_for(world: World, tmp_path: Path):
    world.crew.model.set(batches={"hold": "finalizing"})
    town = f"Port{secrets.token_hex(4)}"
    job_id, _collection = world.submit(tmp_path / "one", town)
    wait_until(lambda: world.asked("batch ExtractedFacts") >= DOCUMENTS - 1, "all lines are answered")
    world.crew.client.jobs.cancel(job_id)
    wait_until(lambda: world.listed("files") == [], "what was paid for is read")
    assert {batch["status"] for batch in world.listed("batches")} == {"cancelled"}
    assert_nothing_left(world.crew)
    record = world.ended(job_id)
    assert record.state is JobState.CANCELLED
    world.assert_books(record)
    batch_count = world.asked("POST batches")
    again, collection = world.submit(tmp_path / "two", town)
    world.assert_whole(again, collection)
    assert world.asked("POST batches") == batch_count, "every reply was kept"
