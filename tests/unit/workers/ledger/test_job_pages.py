"""Pages of jobs: which are listed, and how many one page looks at."""

import json
from typing import Any

import pytest
from fakeredis import FakeRedis, FakeServer

from hopline.models.jobs import JobState, Parent
from workers.core.jobs.records import Config, Wanted
from workers.core.jobs.work import Item, Job, Phase
from workers.core.redis_keys import ACTIVE, RECENT, job_key, recent_key
from workers.flows.registry import FLOWS
from workers.ledger.job_lists.pages import LOOKED_AT, OF_THE_SERVICE, JobPages
from workers.ledger.ledger import Ledger


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


def listed(ledger: Ledger, looked_at: int = LOOKED_AT, **wanted: Any) -> list[str]:
    """Return ids of all pages of two jobs, where Redis looks at so many in one go."""
    names, cursor = list[str](), ""
    pages = JobPages(
        ledger.client, lambda names: [job for name in names if (job := ledger.job(name))], looked_at
    )
    while True:
        records, cursor = pages.page(Wanted(**wanted), before=cursor, limit=2)
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


@pytest.mark.parametrize("looked_at", [1, 2, 1000])
def test_jobs_are_found_wherever_a_look_at_the_newest_ends(ledger: Ledger, looked_at: int) -> None:
    for number in range(7):  # of three moments
        submitted(ledger, f"j{number}", created=1000 + number // 3, kind="batch" if number % 2 else "query")
    ledger.client.zadd(RECENT, {"expired": 1001})
    assert listed(ledger, looked_at) == ["j6", "j5", "j4", "j3", "j2", "j1", "j0"]
    assert listed(ledger, looked_at, kind="batch") == ["j5", "j3", "j1"]
    assert listed(ledger, looked_at, kind="batch", until=1001) == ["j5", "j3", "j1"]
    assert listed(ledger, looked_at, kind="none") == []


def test_jobs_are_listed_by_collection_and_by_tags_of_any_letters(ledger: Ledger) -> None:
    submitted(ledger, "j1", created=1001, collection="books", tags={"who": 'Änne "the boss" \\ <b> 李'})
    submitted(
        ledger, "j2", created=1002, collection="book", tags={"who": "Änne"}, params={"a": '"kind":"batch"'}
    )
    assert listed(ledger, tags={"who": 'Änne "the boss" \\ <b> 李'}) == ["j1"]
    assert listed(ledger, collections=frozenset({"book"})) == ["j2"]
    assert listed(ledger, collections=frozenset({"book", "books"})) == ["j2", "j1"]
    assert listed(ledger, kind="batch") == []


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
    assert listed(ledger, is_open=True) == listed(ledger)
    assert listed(ledger, state=JobState.QUEUED) == ["j5", "j4", "j3", "j2", "j0"]
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
