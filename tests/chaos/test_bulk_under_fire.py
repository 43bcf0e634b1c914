"""A named batch while workers, Redis and Neo4j are killed and the model fails: all in or listed, none twice.

HOPLINE_TEST_DOCUMENTS_UNDER_FIRE=2000 makes a night of it: some minutes.
"""

import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest
from fleet.crew import Crew, private_crew, wait_until
from fleet.servers import START_SECONDS

from hopline.models.census import Counts
from infra.local.process import is_ready

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = int(os.environ.get("HOPLINE_TEST_DOCUMENTS_UNDER_FIRE", "120"))
CHUNKS = 2 * DOCUMENTS
LONG = DOCUMENTS >= 500
KILL_EVERY = 5.0  # seconds
THREADS = 24  # of a worker
SECONDS = 600 + DOCUMENTS  # of a machine that does much else
FAULTS = {"500": 0.03, "429": 0.02, "malformed": 0.02}


@dataclass
class Fire:
    """Kills of workers and servers while a batch runs, and what they cost.

    Attributes:
        kills: of workers.
        in_flight: model calls whose replies a worker had not kept yet in the moment of its kill, summed.
        blows: at which share of the documents what else is done, each once.
    """

    crew: Crew
    job_id: str
    blows: list[tuple[float, Callable[[], None]]]
    kills: int = 0
    in_flight: int = 0
    _ready: dict[str, float] = field(default_factory=dict)  # since when a worker works
    _last: float = 0.0  # kill

    def burn(self) -> None:
        """Strike until the batch has ended."""
        for name in cycle([name for name in self.crew.workers if name != "quarantine"]):
            if self.blows and self.share() >= self.blows[0][0]:
                self.blows.pop(0)[1]()
            wait_until(lambda victim=name: self._is_due(victim) or self.ended(), f"{name} works", SECONDS)
            if self.ended():
                return
            self.kill(name)

    def _is_due(self, name: str) -> bool:
        """Tell whether the next kill is due: killing what has not worked for a while yet shows nothing."""
        now = time.monotonic()
        for worker_name, worker in self.crew.workers.items():
            if worker_name not in self._ready and is_ready(worker.program, worker.pid):
                self._ready[worker_name] = now
        return now >= self._last + KILL_EVERY and now >= self._ready.get(name, now) + KILL_EVERY

    def kill(self, name: str) -> None:
        """Kill a worker as it works and start it again as its supervisor would; count its calls in flight."""
        worker = self.crew.workers[name]
        os.killpg(worker.pid, signal.SIGSTOP)
        lost = self._not_kept(self._ports_of(worker.pid))
        assert lost <= THREADS, "no more than it can ask at a time"
        self.in_flight += lost
        self.crew.restart(name, wait=False)
        self.kills += 1
        self._last = time.monotonic()
        self._ready.pop(name, None)

    def _not_kept(self, ports: set[int]) -> int:
        """Count extractions asked over these connections whose replies, nonsense apart, are not kept."""
        contents = {
            call["content"]
            for call in self.crew.model.latest()
            if call["kind"] == "ExtractedFacts" and "failure" not in call and call["port"] in ports
        }
        replies = self.crew.settings.var / "blobs" / "replies"
        return sum(not any((replies / content[:3]).glob(f"{content}.*")) for content in contents)

    def _ports_of(self, pid: int) -> set[int]:
        """Return the ports of a process's connections to the model."""
        to = urlsplit(self.crew.environment["HOPLINE_MODEL_URL"]).port
        connections = psutil.Process(pid).net_connections("tcp")
        return {each.laddr.port for each in connections if each.raddr and each.raddr.port == to}

    def ended(self) -> bool:
        record = self.crew.ledger.job(self.job_id, outcome=False)
        return record is not None and record.ended is not None

    def share(self) -> float:
        record = self.crew.ledger.job(self.job_id, outcome=False)
        return record.done.get("ingest.document", 0) / DOCUMENTS if record else 0.0


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
def fleet(own_stack_env: dict[str, str], tmp_path: Path) -> Iterator[Crew]:
    own = {"HOPLINE_BULK_THREADS": str(THREADS), "HOPLINE_DOCUMENTS_IN_FLIGHT": "60"}
    with private_crew(own_stack_env, tmp_path, **own) as fleet:
        fleet.model.set(chat={"latency": 0.5, "fail": FAULTS}, seed=7)
        fleet.start_all(**dict.fromkeys("abc" if LONG else "ab", "bulk"), quarantine="quarantine")
        yield fleet


@pytest.mark.timeout(2 * SECONDS)
def test_a_batch_under_fire_is_in_or_listed_and_pays_for_nothing_twice(fleet, servers, corpus, collection):
    name = f"fire-{secrets.token_hex(3)}"
    job_id = fleet.client.batches.submit(name, [str(corpus)], collection).job_id

    def restart_neo4j() -> None:
        servers.kill("own_neo4j")
        servers.start_again("own_neo4j")
        servers.running["own_neo4j"].wait_ready(START_SECONDS)

    blows = [(0.02, fleet.restart_redis), (0.05, restart_neo4j), (0.15, fleet.restart_redis)]
    fire = Fire(fleet, job_id, blows)
    fire.burn()

    assert fire.blows == []
    assert fire.kills >= (DOCUMENTS // 100 if LONG else 2)
    assert_paid_once(fleet, fire)
    report = fleet.client.batches.report(name)
    assert sum(report.documents.values()) == DOCUMENTS
    assert set(report.documents) <= {"done", "unchanged", "partial", "failed"}, report.documents
    assert sum(cause.count for cause in report.causes) >= DOCUMENTS - report.whole
    if report.again:  # a reply was nonsense and its repair, too
        fleet.model.set()
        fleet.client.batches.retry(name)
        fleet.client.jobs.wait(job_id, timeout=SECONDS)
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
    census = fleet.client.collections.census(collection)
    assert census.live.documents == DOCUMENTS
    assert census.live.chunks == CHUNKS
    assert census.hidden == census.orphans == Counts()
    vectors = fleet.services.vectors
    assert vectors.count(collection, "chunk") == CHUNKS
    assert vectors.count(collection, "element") == census.live.elements
