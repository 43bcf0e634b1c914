"""Each end of a job is handed over to history once, and history never keeps a job from ending."""

import threading
from pathlib import Path

import pytest
from doubles.broker import Broker
from doubles.memory_redis import memory_redis, services_over
from fleet.crew import wait_until

from hopline.models.history import HistoryRow
from hopline.models.jobs import JobState, Json, Parent
from workers.core.ids import child_job_id
from workers.core.jobs.history import WantedHistory
from workers.core.jobs.records import Claim, JobRecord
from workers.core.jobs.work import ChildJob, Item, Job, Phase
from workers.core.metadata.filter_text import parse_filter
from workers.core.redis_keys import ACTIVE, HISTORY, HISTORY_SEALED
from workers.engine import history
from workers.engine.driver import FlowDriver
from workers.engine.leases import Leases
from workers.engine.outbox import work_off
from workers.ledger.retry import retry_dead_letters
from workers.services import Services

ASKED: Json = {"question": "Who is ill?", "strategy": "graph", "max_depth": 2, "metadata": {"a": "b"}}
TOLD: Json = {"text": "Ann is.", "facts": 2}
CHILD = child_job_id("p", "0:a")
CLAIM = Claim(job_id="p", epoch=1, item_id="0:a", token="t")  # of the item that is the child


@pytest.fixture
def services(tmp_path: Path) -> Services:
    return made(tmp_path)


def made(folder: Path, **settings: object) -> Services:
    return services_over(memory_redis(), blob_url=str(folder), **settings)


def ended(services: Services, name: str = "j1", outcome: Json | None = None) -> JobRecord:
    """Return a job that has ended with a dead letter, and told nobody."""
    fields = {"caller": "k1", "params": ASKED, "request_id": "r1", "tags": {"team": "a"}}
    job = Job(id=name, kind="query", collection="default", **fields)
    services.ledger.submit(job, Phase(items=(Item(id="i1", step="traverse.plan"),)))
    claim = Claim(job_id=name, epoch=1, item_id="i1", token="t")
    assert services.ledger.begin(claim).verdict == "go"
    services.ledger.fail(claim, "broken " + "x" * 300, permanent=True)
    services.ledger.end(name, 1, JobState.FAILED, outcome or {"reason": "no plan", "counts": {"done": 3}})
    record = services.ledger.job(name)
    assert record is not None
    return record


def told(services: Services, outcome: Json | None = None) -> HistoryRow:
    """Return the row of a job that has ended, and of which history was told."""
    ended(services, outcome=outcome)
    work_off(services, "j1")
    (row,) = rows(services)
    return row


def batch(services: Services) -> Job:
    """Return a batch of two documents, of which one is begun."""
    job = Job(id="p", kind="batch", collection="default", root="p")
    items = tuple(Item(id=name, step="ingest.document") for name in ("0:a", "0:b"))
    services.ledger.submit(job, Phase(items=items))
    assert services.ledger.begin(CLAIM).verdict == "go"
    return job


def rows(services: Services) -> list[HistoryRow]:
    return list(services.history_search.page(WantedHistory()).jobs)


def test_an_ended_job_is_found_whether_it_waits_or_is_written(services: Services) -> None:
    row = told(services)
    assert (row.id, row.epoch, row.state, row.caller, row.request_id) == ("j1", 1, "failed", "k1", "r1")
    assert (row.reason, row.outcome, row.dead) == ("no plan", {"counts": {"done": 3}}, 1)
    assert (row.tags, row.collections) == ({"team": "a"}, ("default",))
    assert (row.errors[0].step, len(row.errors[0].error)) == ("traverse.plan", 200)
    services.history.take_turn(1, 0.0)
    assert not services.redis.exists(HISTORY)
    assert rows(services) == [row]


def test_what_people_wrote_is_left_out_unless_a_setting_says_otherwise(services, tmp_path):
    row = told(services, TOLD)
    assert (row.params, row.outcome) == ({"strategy": "graph", "max_depth": 2}, {"facts": 2})
    row = told(made(tmp_path / "told", history_texts=True), TOLD)
    assert (row.params, row.outcome) == (ASKED, TOLD)


def test_an_end_is_handed_over_once_however_often_the_outbox_is_worked_off(services: Services) -> None:
    record = ended(services)
    assert history.hand_over(services, record)
    services.history.take_turn(1, 0.0)
    assert history.hand_over(services, record), "whoever comes late"
    work_off(services, "j1")
    assert len(rows(services)) == 1
    assert not services.redis.exists(HISTORY)


def test_a_retried_job_has_a_row_for_each_end_and_is_found_as_it_ended_last(services: Services) -> None:
    late = ended(services)
    work_off(services, "j1")
    assert retry_dead_letters(services.ledger, "j1") == 2
    services.ledger.end("j1", 2, JobState.DONE, {})
    history.hand_over(services, late)
    assert services.ledger.outbox("j1") == {"history": "1"}, "who comes late hands nothing over"
    work_off(services, "j1")
    assert set(services.redis.hkeys(HISTORY)) == {"j1 1", "j1 2"}
    assert [(row.epoch, row.state) for row in rows(services)] == [(2, "done")]


def test_a_job_of_which_nothing_can_be_told_ends_all_the_same(services, monkeypatch):
    def broken(*_args: object, **_more: object) -> HistoryRow:
        raise ValueError("no row")

    monkeypatch.setattr(history, "history_row", broken)
    row = told(services)
    assert (row.id, row.params) == ("j1", {})
    assert not services.redis.zcard(ACTIVE)


def test_a_store_that_refuses_rows_leaves_the_job_ended_and_the_row_to_be_handed_over(services):
    batch(services)
    job = Job(id=CHILD, kind="document", collection="default", root="p")
    parent = Parent(job_id="p", epoch=1, item_id="0:a")
    services.ledger.submit(job, Phase(items=(Item(id="do", step="ingest.read"),)), parent=parent)
    assert services.ledger.delegate(CLAIM, CHILD)
    services.ledger.end(CHILD, None, JobState.DONE, {})
    services.redis.set(HISTORY, "no hash")
    work_off(services, CHILD)
    assert services.ledger.outbox(CHILD)["history"] == "1", "what is not handed over is not forgotten"
    services.redis.delete(HISTORY)
    work_off(services, CHILD)
    assert services.ledger.job(CHILD) is None
    assert [(row.id, row.parent) for row in rows(services)] == [(CHILD, "p")]


def test_no_child_is_made_again_for_an_item_that_is_done(services, monkeypatch):
    parent = batch(services)
    driver = FlowDriver(services, Broker(), Leases(services.ledger, 10.0))
    child = ChildJob(kind="document", params={"source": "a.txt", "uri": "a.txt", "format": "txt"})
    driver.delegate(CLAIM, parent, child)
    late = CLAIM.model_copy(update={"token": "late"})
    assert services.ledger.begin(late).verdict == "go", "a message that came twice"
    services.ledger.end(CHILD, None, JobState.DONE, {})
    work_off(services, CHILD)
    assert services.ledger.job(CHILD) is None

    def die(*_args: object) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(services.ledger, "delegate", die)  # killed right after the child would have been made
    with pytest.raises(KeyboardInterrupt):
        driver.delegate(late, parent, child)
    assert services.ledger.job(CHILD) is None
    assert services.redis.zscore(ACTIVE, CHILD) is None
    assert [(row.id, row.state) for row in rows(services)] == [(CHILD, "done")]


def test_what_a_schedule_began_is_found_by_its_name(services: Services) -> None:
    for name, schedule in (("s1", "nightly"), ("s2", "weekly")):
        params = {"sources": ["s3://archive"], "schedule": schedule}
        job = Job(id=name, kind="sync", collection="c", params=params)
        services.ledger.submit(job, Phase(items=(Item(id="i", step="sync.list"),)))
        services.ledger.end(name, None, JobState.DONE, {})
        work_off(services, name)
    wanted = WantedHistory(kind="sync", where=parse_filter('param_schedule = "nightly"'))
    assert [row.id for row in services.history_search.page(wanted).jobs] == ["s1"]


def test_too_many_rows_that_wait_let_a_row_be_lost_and_the_job_end(services: Services) -> None:
    for name in ("j1", "j2"):
        assert history.hand_over(services, ended(services, name), most_waiting=1)
        work_off(services, name)
    assert services.redis.hkeys(HISTORY) == ["j1 1"]
    assert not services.redis.zcard(ACTIVE)


def test_no_history_is_kept_where_none_is_wanted(tmp_path: Path) -> None:
    services = made(tmp_path, history_days=0)
    ended(services)
    work_off(services, "j1")
    assert not services.redis.exists(HISTORY)
    assert not services.redis.zcard(ACTIVE)


def test_a_worker_writes_what_waits(services: Services) -> None:
    row = told(services)
    history.keep_history(services, look_seconds=0.01)
    wait_until(lambda: not services.redis.exists(HISTORY, HISTORY_SEALED), "it is written")
    assert rows(services) == [row]


def test_history_that_cannot_be_written_does_not_keep_the_audit_from_it(services, monkeypatch):
    refused, written = threading.Event(), threading.Event()

    def broken() -> None:
        refused.set()
        raise ValueError("a row of a newer version")

    monkeypatch.setattr(services.history, "take_turn", broken)
    monkeypatch.setattr(services.audit_keeper, "take_turn", written.set)
    history.keep_history(services, look_seconds=0.01)
    assert refused.wait(300)
    assert written.wait(300)
