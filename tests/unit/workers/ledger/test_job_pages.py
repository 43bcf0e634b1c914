"""Pages of jobs: which are listed, and how many one page looks at."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fakeredis import FakeRedis, FakeServer

from workers.core.jobs.work import Item, Job, JobState, Phase
from workers.flows.registry import FLOWS
from workers.ledger.job_lists.pages import OF_THE_SERVICE
from workers.ledger.keys import ACTIVE, RECENT, job_key, recent_key
from workers.ledger.ledger import Ledger
from workers.ledger.records import Config, Parent, Wanted


class _CountingRedis(FakeRedis):
    """Keeps how many members of a sorted set were asked for at a time."""

    def __init__(self) -> None:
        super().__init__(server=FakeServer(), decode_responses=True)
        self.asked: list[int] = []

    def zrange(self, *args: Any, **options: Any) -> Any:
        """Return what is asked for."""
        if "num" in options:
            self.asked.append(options["num"])
        return super().zrange(*args, **options)


def test_a_page_of_jobs_looks_at_a_hundred_at_a_time() -> None:
    client = _CountingRedis()
    client.zadd("hop:recent", {f"j{number}": 1000.0 + number for number in range(150)})
    assert Ledger(client).page(Wanted()) == ([], "")
    assert client.asked[0] == 100


@pytest.fixture
def ledger() -> Ledger:
    return Ledger(FakeRedis(server=FakeServer(), decode_responses=True))


def submitted(ledger: Ledger, name: str, *, created: int, **fields: Any) -> str:
    """Submit a job as if it had been at a moment."""
    job = Job(**{"id": name, "kind": "query", "collection": "c"} | fields)
    ledger.submit(job, Phase(items=(Item(id="plan", step="traverse.plan"),)))
    ledger.client.hset(job_key(name, "job"), "created", created * 1000)
    for newest in {RECENT, recent_key(job.caller)}:
        ledger.client.zadd(newest, {name: created})
    return name


def listed(ledger: Ledger, **wanted: Any) -> list[str]:
    """Return ids of all pages of two jobs."""
    names, cursor = list[str](), ""
    while True:
        records, cursor = ledger.page(Wanted(**wanted), before=cursor, limit=2)
        names += [record.job.id for record in records]
        if not cursor:
            return names


def test_jobs_are_listed_by_tags_step_and_time(ledger: Ledger) -> None:
    for number in range(4):
        submitted(ledger, f"j{number}", created=1000 + number, tags={"team": "legal", "run": str(number % 2)})
    submitted(ledger, "j9", created=1009)
    assert listed(ledger) == ["j9", "j3", "j2", "j1", "j0"]
    assert listed(ledger, tags={"team": "legal"}) == ["j3", "j2", "j1", "j0"]
    assert listed(ledger, tags={"team": "legal", "run": "1"}) == ["j3", "j1"]
    assert listed(ledger, until=1002) == ["j2", "j1", "j0"]
    assert listed(ledger, since=1001, until=1002) == ["j2", "j1"]
    assert listed(ledger, step="traverse.plan") == listed(ledger)
    assert listed(ledger, step="critic.synthesize") == []


def test_jobs_are_listed_by_what_went_wrong(ledger: Ledger) -> None:
    for number, outcome in enumerate(
        (
            {"error": "Rate limit: 429"},
            {"reason": "no evidence"},
            {"documents": [{"uri": "a", "error": "the rate limit of the model"}, {"uri": "b"}]},
        )
    ):
        ledger.end(submitted(ledger, f"j{number}", created=1000 + number), None, JobState.FAILED, outcome)
    submitted(ledger, "j3", created=1003)
    letter = {"error": "rate limit", "step": "s", "phase": 0, "at": 1}
    ledger.client.hset(job_key("j3", "dead"), "i", json.dumps(letter))
    submitted(ledger, "j4", created=1004)
    assert listed(ledger, error="rate LIMIT") == ["j3", "j2", "j0"]
    assert listed(ledger, error="no evidence") == ["j1"]


def test_a_job_that_runs_for_long_is_listed_after_the_newest(ledger: Ledger) -> None:
    for number in range(6):
        submitted(ledger, f"j{number}", created=1000 + number, caller="k1" if number % 2 else "k2")
    for name in ("j0", "j1", "j2"):  # many others were submitted since
        ledger.client.zrem(RECENT, name)
        ledger.client.zrem(recent_key("k1"), name)
    ledger.end("j1", None, JobState.DONE, {})
    ledger.client.zrem(ACTIVE, "j1")
    assert listed(ledger) == ["j5", "j4", "j3", "j2", "j0"]
    assert listed(ledger, state=JobState.RUNNING) == ["j5", "j4", "j3", "j2", "j0"]
    assert listed(ledger, state=JobState.DONE) == []
    assert listed(ledger, caller="k1") == ["j5", "j3"]
    assert listed(ledger, until=1002) == ["j2", "j0"]


def test_neither_documents_of_a_batch_nor_jobs_of_the_service_are_listed(ledger: Ledger) -> None:
    phase = Phase(items=(Item(id="i", step="s"),))
    parent = Parent(job_id=submitted(ledger, "j1", created=1000), epoch=1, item_id="i")
    ledger.submit(Job(id="j1.0", kind="document", collection="c"), phase, parent=parent)
    for kind in OF_THE_SERVICE:
        assert kind in FLOWS
        ledger.submit(Job(id=kind, kind=kind, collection="c"), phase, config=Config())
    assert listed(ledger) == ["j1"]
