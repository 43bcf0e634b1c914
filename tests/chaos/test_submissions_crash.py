"""Celery and Node submit while workers and Redis are killed: one job a key, a reply of each."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from doubles.documents import write
from fleet.crew import Crew, PrivateRedis, wait_until
from fleet.plain import plain_python

from workers.core.ids import reply_id
from workers.ledger.records import Wanted
from workers.services import Services

PLAIN = Path(__file__).with_name("plain")
SCRIPT = Path(__file__).parents[1] / "integration" / "producer" / "messages" / "submit.js"
NEEDS_NODE = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
COUNT = 12
PATIENCE = 400.0  # seconds: the broker gives what a killed worker held to another after two minutes


class Reports:
    """The plain application: a process that submits, and a worker that hears replies.

    Args:
        broker: its address.
        folder: for its environment, which is without hopline, and its notes.
    """

    def __init__(self, broker: str, folder: Path) -> None:
        self._notes, self._errors = folder / "notes", (folder / "errors").open("a")
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        self._environment = environment | {"BROKER": broker, "REPORTS": str(self._notes)}
        self._python = plain_python(folder / "venv")
        self._running: list[subprocess.Popen[bytes]] = []
        self.run("-m", "celery", "-A", "reports", "worker", "--pool=solo", "--queues=reports")

    def run(self, *words: str) -> subprocess.Popen[bytes]:
        """Start one of its processes."""
        command = [self._python, *words]
        started = subprocess.Popen(
            command, cwd=PLAIN, env=self._environment, stdout=self._errors, stderr=self._errors
        )
        self._running.append(started)
        return started

    def lines(self, field: str) -> list[dict[str, str]]:
        """Return its notes that have a field."""
        text = self._notes.read_text(encoding="utf-8") if self._notes.exists() else ""
        notes: list[dict[str, str]] = [json.loads(line) for line in text.splitlines()]
        return [note for note in notes if field in note]

    def stop(self) -> None:
        """End its processes."""
        for process in self._running:
            process.kill()
            process.wait()
        self._errors.close()


@pytest.fixture
def reports(own_redis: PrivateRedis, tmp_path: Path) -> Iterator[Reports]:
    made = Reports(own_redis.url, tmp_path)
    yield made
    made.stop()


@pytest.fixture
def collection(crew: Crew) -> str:
    """A collection with a document."""
    name, services = f"reports-{secrets.token_hex(4)}", Services(crew.settings)
    services.graph.migrate()
    write(services.graph, name, "live.txt", [("Alda Works employed Maren Holt.", ["Alda Works"])])
    services.close()
    return name


@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    "script",
    [pytest.param((), id="celery"), pytest.param((str(SCRIPT),), id="node", marks=NEEDS_NODE)],
)
def test_one_job_a_key_and_a_reply_of_each_through_kills_of_all(
    crew: Crew, collection: str, own_redis: PrivateRedis, reports: Reports, script: tuple[str, ...]
) -> None:
    crew.model.set(chat={"latency": 0.1})
    crew.have(a="interactive", s="submissions")
    client = reports.run("reports.py", collection, str(COUNT), *script)
    for number, name in ((2, "s"), (5, "a"), (8, "redis")):
        wait_until(lambda least=number: len(reports.lines("key")) >= least, f"{number} jobs", PATIENCE)
        if name == "redis":
            own_redis.kill()
            own_redis.start()
        else:
            crew.workers[name].kill()
            crew.start(name, "submissions" if name == "s" else "interactive", wait=False)
    wait_until(lambda: client.poll() is not None, "all is submitted", PATIENCE)
    assert client.returncode == 0
    jobs = {note["key"]: note["job"] for note in reports.lines("key")}
    assert len(jobs) == len(set(jobs.values())) == COUNT
    wait_until(
        lambda: {note["job"] for note in reports.lines("id")} >= set(jobs.values()), "replies", PATIENCE
    )
    page, _ = crew.ledger.page(Wanted(kind="query", collections=frozenset({collection})), limit=200)
    job_ids = [record.job.id for record in page if record.job.reply is not None]
    assert sorted(job_ids) == sorted(jobs.values())
    ids = defaultdict(set)
    for note in reports.lines("id"):
        ids[note["job"]].add(note["id"])
    assert ids == {job: {reply_id(job, 1)} for job in jobs.values()}
