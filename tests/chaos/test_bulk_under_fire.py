"""A named batch while workers, Redis and Neo4j are killed and the model fails: all in or listed, none twice.

HOPLINE_TEST_DOCUMENTS_UNDER_FIRE=2000 makes a night of it: some minutes.
"""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from fleet.crew import Crew, PrivateRedis, make_crew
from fleet.fire import Fire
from fleet.servers import START_SECONDS, Servers

from workers.core.graph.census import Counts

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = int(os.environ.get("HOPLINE_TEST_DOCUMENTS_UNDER_FIRE", "120"))
CHUNKS = 2 * DOCUMENTS
LONG = DOCUMENTS >= 500
KILL_EVERY = 5.0  # seconds
THREADS = 24  # of a worker
SECONDS = 600 + DOCUMENTS  # of a machine that does much else
FAULTS = {"500": 0.03, "429": 0.02, "malformed": 0.02}


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Write the documents: two chunks each."""
    if not (ROOT.parent / "shared" / "eval").is_dir():
        pytest.skip("no evaluation folder")
    file = tmp_path / "corpus.jsonl"
    command = [sys.executable, str(ROOT / "bench" / "corpus_many.py"), str(file)]
    subprocess.run([*command, "--documents", str(DOCUMENTS)], check=True, capture_output=True)
    return file


@pytest.fixture
def own_redis(tmp_path: Path) -> Iterator[PrivateRedis]:
    """One where no other test's workers take an item."""
    server = PrivateRedis(tmp_path / "redis")
    yield server
    server.kill()


@pytest.fixture
def fleet(own_redis: PrivateRedis, own_stack_env: dict[str, str], tmp_path: Path) -> Iterator[Crew]:
    own = {
        "HOPLINE_LEASE_SECONDS": "8",  # what is held up for seconds is not paid for again
        "HOPLINE_BULK_THREADS": str(THREADS),
        "HOPLINE_DOCUMENTS_IN_FLIGHT": "60",
    }
    fleet = make_crew(own_stack_env, own_redis.url, tmp_path / "fleet", **own)
    fleet.model.set(chat={"latency": 0.5, "fail": FAULTS}, seed=7)
    bulk = dict.fromkeys("abc" if LONG else "ab", "bulk")
    fleet.start_all(**bulk, quarantine="quarantine")
    yield fleet
    fleet.stop()
    fleet.model.set()


@pytest.mark.timeout(2 * SECONDS)
def test_a_batch_under_fire_is_in_or_listed_and_pays_for_nothing_twice(
    fleet: Crew, own_redis: PrivateRedis, servers: Servers, corpus: Path, collection: str
) -> None:
    name = f"fire-{secrets.token_hex(3)}"
    job_id = fleet.client.submit_batch(name, [corpus], collection).job_id

    def strike_redis() -> None:
        own_redis.kill()
        own_redis.start()

    def strike_neo4j() -> None:
        servers.kill("own_neo4j")
        servers.start_again("own_neo4j")
        servers.running["own_neo4j"].wait_ready(START_SECONDS)

    blows = [(0.02, strike_redis), (0.05, strike_neo4j), (0.15, strike_redis)]
    fire = Fire(fleet, job_id, DOCUMENTS, KILL_EVERY, THREADS, blows)
    fire.burn(SECONDS)

    assert fire.struck == len(blows)
    assert fire.kills >= (DOCUMENTS // 100 if LONG else 2)
    assert_paid_once(fleet, fire)
    report = fleet.client.batch_report(name)
    assert sum(report.documents.values()) == DOCUMENTS
    assert set(report.documents) <= {"done", "unchanged", "partial", "failed"}, report.documents
    listed = sum(cause.count for cause in report.causes)
    assert listed >= DOCUMENTS - report.whole
    if report.again:  # a reply was nonsense and its repair, too
        fleet.model.set()
        fleet.client.retry_batch(name)
        fleet.client.wait(job_id, SECONDS)
    assert_whole(fleet, collection)


def assert_paid_once(fleet: Crew, fire: Fire) -> None:
    """Check how many calls were paid: those that were answered, with sense or nonsense."""
    counts = fleet.model.shown()
    failures = counts["failures"]
    paid = counts["requests"]["ExtractedFacts"] - failures.get("500", 0) - failures.get("429", 0)
    nonsense = failures.get("malformed", 0)
    slack = max(2, 0.005 * CHUNKS)
    counted = f"{nonsense} answered with nonsense, {fire.in_flight} in flight at {fire.kills} kills"
    print(f"{CHUNKS} chunks, {paid} calls paid: {counted}")  # noqa: T201 - the figures of a long run
    assert CHUNKS <= paid <= CHUNKS + nonsense + fire.in_flight + slack, counts


def assert_whole(fleet: Crew, collection: str) -> None:
    """Check that every document is there once, with its chunks and their vectors, and nothing else."""
    census = fleet.client.census(collection)
    assert census.live.documents == DOCUMENTS
    assert census.live.chunks == CHUNKS
    assert census.hidden == census.orphans == Counts()
    vectors = fleet.client.services.vectors
    assert vectors.count(collection, "chunk") == CHUNKS
    assert vectors.count(collection, "element") == census.live.elements
