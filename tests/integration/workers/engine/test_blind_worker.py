"""Workers that do not see the blob store of the others; two runners, two folders, a real Redis."""

import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis
from doubles.broker import Broker
from doubles.databases import address_of
from doubles.single_worker import child_flow, submit_batch

from hopline.errors import Permanent
from hopline.models.jobs import JobState, Json
from workers.core.errors import StoreUnseen
from workers.core.jobs.params import DocumentParams
from workers.core.jobs.records import JobRecord
from workers.core.jobs.work import Outcome
from workers.core.redis_keys import BLOB_STORE
from workers.engine.runner import Runner
from workers.engine.watchdog import Watchdog
from workers.flows import registry
from workers.ingest.flow import BLOBS
from workers.services import Services
from workers.settings import Settings
from workers.telemetry.presence import blind_by_queue
from workers.telemetry.reporter import Reporter

WINDOW, DOCUMENTS = 20, 100


class Fleet:
    """A worker that sees the store and one that does not."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url, self.broker, self.folder = url, Broker(), folder
        self.good, self.blind = self.made("common"), self.made("own")
        self.good.store_marker.tell()
        self.done: list[object] = []  # in which store each document was done

    def made(self, name: str) -> Runner:
        folder = str(self.folder / name)
        settings = Settings(_env_file=None, redis_url=self.url, blob_url=folder, resend_seconds=0.05)
        return Runner(Services(settings), self.broker)

    def submit(self) -> str:
        return submit_batch(self.good.services, self.broker, DOCUMENTS, WINDOW)[0]

    def record(self, job: str) -> JobRecord:
        record = self.good.ledger.job(job)
        assert record is not None
        return record

    def play(self, job: str, *runners: Runner, until: int = DOCUMENTS) -> JobRecord:
        """Deliver in turn to these workers, which look in turn, too."""
        watchdogs = [Watchdog(runner.driver, 0.1) for runner in runners]
        deadline = time.monotonic() + 300
        turn = 0
        while time.monotonic() < deadline:
            while self.broker.queued and len(self.done) < until:
                turn += 1
                self.broker.deliver_one(runners[turn % len(runners)], self.broker.queued.popleft())
            if self.record(job).state is not JobState.RUNNING or len(self.done) >= until < DOCUMENTS:
                return self.record(job)
            for watchdog in watchdogs:
                watchdog.look_once()
        raise AssertionError("it never ended")


@pytest.fixture
def fleet(client: redis.Redis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Fleet]:
    made = Fleet(address_of(client), tmp_path)
    monkeypatch.setattr("workers.engine.runner.AWAY_SECONDS", 0.05)

    def read(_given: Json, ports: Any) -> Outcome:
        made.done.append(ports.blobs)
        return Outcome(result={"uri": ports.job.params["uri"], "status": "done"})

    monkeypatch.setitem(registry.FLOWS, "document", child_flow("document", DocumentParams, read, BLOBS))
    yield made
    made.good.services.close()
    made.blind.services.close()


def test_a_worker_that_does_not_see_the_store_takes_no_part_and_loses_nothing(fleet: Fleet) -> None:
    ended = fleet.play(fleet.submit(), fleet.good, fleet.blind)
    assert (ended.state, ended.outcome and ended.outcome["counts"]) == (JobState.DONE, {"done": DOCUMENTS})
    assert all(store is fleet.good.services.blobs for store in fleet.done)
    assert ended.dead == ended.leases_lost == 0
    assert not list((fleet.folder / "own").glob("??/??/*")), "nothing is written where others do not find it"


def test_a_worker_whose_mount_goes_lays_its_work_aside_until_it_is_back(fleet: Fleet) -> None:
    job = fleet.submit()
    fleet.play(job, fleet.good, until=50)
    other = fleet.made("common")
    assert other.store_marker.is_seen()
    common, gone = fleet.folder / "common", fleet.folder / "unmounted"
    common.rename(gone)
    with pytest.raises(StoreUnseen):
        other.services.blobs.get("0" * 64)
    other.driver.admit(fleet.record(job).job, 80)
    assert fleet.record(job).state is JobState.RUNNING
    gone.rename(common)
    with pytest.raises(Permanent, match="not in the store"):
        other.services.blobs.get("0" * 64)
    assert fleet.play(job, fleet.good).state is JobState.DONE


def test_a_list_that_no_worker_finds_ends_the_job_with_its_reason(fleet: Fleet) -> None:
    job = fleet.submit()
    fleet.play(job, fleet.good, until=50)
    marker = fleet.good.services.redis.hget(BLOB_STORE, "marker")
    for path in (fleet.folder / "common").glob("??/??/*"):
        if path.name != marker:
            path.unlink()
    ended = fleet.play(job, fleet.good, fleet.blind)
    assert ended.state is JobState.PARTIAL
    assert "the list of what is left to do is lost" in ended.outcome["reason"]
    assert ended.outcome["counts"]["not done"] > 0


def test_a_store_that_nobody_has_seen_for_two_minutes_is_the_new_ones(fleet, monkeypatch):
    shutil.rmtree(fleet.folder / "common")
    redis, marker = fleet.blind.services.redis, fleet.blind.store_marker
    assert not marker.is_seen(now=True)
    assert marker.seen_by_others
    seconds, micros = redis.time()
    redis.hset(BLOB_STORE, "seen", seconds - 125)
    assert not marker.is_seen(now=True), "the others may only be slower to start"
    assert not marker.seen_by_others
    monkeypatch.setattr(redis, "time", lambda: (seconds + 125, micros))
    assert marker.is_seen(now=True)
    assert not fleet.good.store_marker.is_seen(now=True)


def test_a_blind_worker_says_so_and_does_not_lead(fleet: Fleet) -> None:
    redis = fleet.good.services.redis
    for name, runner in (("good", fleet.good), ("blind", fleet.blind)):
        Reporter(redis, "bulk", name, runner.store_marker.tell).report()
    assert blind_by_queue(redis)["bulk"] == 1
    assert not Watchdog(fleet.blind.driver, 0.1).leads()
    assert Watchdog(fleet.good.driver, 0.1).leads()
    Reporter(redis, "bulk", "blind").report()
    assert blind_by_queue(redis)["bulk"] == 0


def test_a_new_marker_takes_the_old_ones_place(fleet: Fleet) -> None:
    redis = fleet.good.services.redis
    before = redis.hget(BLOB_STORE, "marker")
    fleet.good.store_marker.renew()
    assert redis.hget(BLOB_STORE, "marker") != before
    assert fleet.good.store_marker.is_seen(now=True)
    assert not fleet.blind.store_marker.is_seen(now=True)
