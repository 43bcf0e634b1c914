"""Celery submits while workers and Redis are killed: one job a message or key, a reply of each."""

import json
import os
import secrets
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest
from celery import Celery
from doubles.documents import write
from doubles.relay import Relay
from fleet.crew import Crew, PrivateRedis, wait_until
from fleet.forks import ForkedProgram
from fleet.plain import plain_python

from infra.local.process import Program, Running
from workers.core.ids import reply_id
from workers.core.jobs.records import Wanted

PLAIN = Path(__file__).with_name("plain")
COUNT = 12
PATIENCE = 400.0  # seconds: the broker gives what a killed worker held to another after two minutes


class Reports:
    """The plain application, without hopline: a process that submits, and a worker that hears replies.

    Args:
        broker: its address.
        folder: for its environment and its notes.
    """

    def __init__(self, broker: str, folder: Path) -> None:
        self._notes, self._log = folder / "notes", folder / "log"
        own = {"BROKER": broker, "REPORTS": str(self._notes), "PYTHONPATH": str(PLAIN)}
        self._environment, self._python = os.environ | own, plain_python(folder / "venv")
        self.running: list[Running] = []
        self.start("-m", "celery", "-A", "reports", "worker", "--pool=solo", "--queues=reports")

    def start(self, *words: str) -> Running:
        program = Program("reports", (self._python, *words), lambda _pid: True)
        self.running.append(Running(program, self._log, self._environment))
        return self.running[-1]

    def lines(self, field: str) -> list[dict[str, str]]:
        text = self._notes.read_text(encoding="utf-8") if self._notes.exists() else ""
        return [note for note in map(json.loads, text.splitlines()) if field in note]


@pytest.fixture
def reports(crew: Crew, tmp_path: Path) -> Iterator[Reports]:
    made = Reports(crew.environment["HOPLINE_REDIS_URL"], tmp_path)
    yield made
    for process in made.running:
        process.kill()


@pytest.fixture
def collection(crew: Crew) -> str:
    name, graph = f"reports-{secrets.token_hex(4)}", crew.services.graph
    graph.migrate()
    write(graph, name, "live.txt", [("Alda Works employed Maren Holt.", ["Alda Works"])])
    return name


@pytest.mark.timeout(900)
@pytest.mark.parametrize("heard", [0, 1], ids=["that there are messages", "which they are"])
def test_no_submission_is_lost_with_a_worker_killed_before_it_hears(crew, collection, tmp_path, heard):
    assert isinstance(crew.server, PrivateRedis)
    crew.have()
    broker = crew.environment["HOPLINE_REDIS_URL"]
    plain = Celery("reports", broker=broker, backend=broker, set_as_current=False)
    message = {"kind": "query", "params": {"question": "Who employed Maren Holt?"}, "collection": collection}
    sent = [plain.send_task("hopline.submit", kwargs=message, queue="submissions") for _ in range(3)]
    first = orjson.loads(crew.redis.lindex("submissions", -1))["properties"]["delivery_tag"]
    relay = Relay(crew.server.port)
    relay.withhold(first.encode(), after=heard)
    through = broker.replace(f":{crew.server.port}", f":{relay.port}")
    command = (sys.executable, "-m", "hopline", "worker", "submissions", "--name", "victim")
    victim = ForkedProgram(
        Program("victim", command, lambda _pid: True),
        tmp_path / "victim.log",
        os.environ | crew.environment | {"HOPLINE_BROKER_URL": through},
    )
    assert relay.withheld.wait(PATIENCE)
    victim.kill()
    relay.close()
    for tag in crew.redis.zrange("unacked_index", 0, -1):  # the two minutes that they stay its own are over
        crew.redis.zadd("unacked_index", {tag: 0})
    crew.have(s="submissions")
    jobs = [each.get(timeout=PATIENCE)["job_id"] for each in sent]
    page, _ = crew.ledger.page(Wanted(kind="query", collections=frozenset({collection})), limit=200)
    assert sorted(record.job.id for record in page) == sorted(jobs)
    assert len(set(jobs)) == len(sent)
    wait_until(lambda: crew.redis.hlen("unacked") == 0, "all are off the books")
    assert _state_of_submissions(crew) == "up"
    crew.kill("s")
    wait_until(lambda: _state_of_submissions(crew) == "down", "an operator is told", PATIENCE)


def _state_of_submissions(crew: Crew) -> str:
    parts = json.loads(crew.run("status", "--json").stdout)["parts"]
    return next(part["state"] for part in parts if part["name"] == "worker submissions")


@pytest.mark.timeout(1800)
def test_one_job_a_key_and_a_reply_of_each_through_kills_of_all(crew, collection, reports):
    crew.model.set(chat={"latency": 0.1})
    crew.have(a="interactive", s="submissions")
    client = reports.start(str(PLAIN / "reports.py"), collection, str(COUNT)).popen
    for number, name in ((2, "s"), (5, "a"), (8, "redis")):
        wait_until(lambda least=number: len(reports.lines("key")) >= least, f"{number} jobs", PATIENCE)
        if name == "redis":
            crew.restart_redis()
        else:
            crew.restart(name, wait=False)
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
