"""Redis goes away in the middle of a step and comes back, or all stand still: nothing is counted as lost."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest
import redis
from doubles.broker import Broker
from fleet.crew import PrivateRedis, wait_until

from infra.local.process import free_port
from workers.adapters.redis import client
from workers.app import CeleryPublisher, application_for
from workers.core.errors import DependencyAway
from workers.core.jobs.flow import Flow, Step
from workers.core.jobs.messages import Message
from workers.core.jobs.work import End, Item, JobState, Json, Outcome, Phase
from workers.core.records import Frozen
from workers.engine.runner import Runner
from workers.engine.submit import submit_job
from workers.engine.watchdog import Watchdog
from workers.flows import registry
from workers.ledger.keys import WATCHDOG
from workers.ledger.records import Claim, JobRecord
from workers.services import Services
from workers.settings import Settings

LEASE = 2.0  # seconds


class NoParams(Frozen):
    pass


class Fleet:
    """One worker's threads over a Redis of its own, and a flow of one item whose step a test writes."""

    def __init__(self, services: Services) -> None:
        self.services = services
        self.does: list[Callable[[], None]] = []
        self.ran = 0
        self.broker = Broker()
        self.runner = Runner(services, self.broker)
        self.watchdog = Watchdog(self.runner.driver, 0.1)
        self._over = threading.Event()
        self._delivery = threading.Thread(target=self._deliver, daemon=True)

    def step(self, _input: Json, _ports: object) -> Outcome:
        self.ran += 1
        if self.does:
            self.does.pop(0)()
        return Outcome(result={})

    def start(self) -> None:
        self.runner.running.start()
        self.watchdog.start()
        self._delivery.start()

    def stop(self) -> None:
        self._over.set()
        self._delivery.join(60)  # before its Redis goes: it would wait for it for ever
        self.watchdog.stop()
        self.runner.running.stop()

    def _deliver(self) -> None:
        while not self._over.wait(0.02):
            with suppress(redis.RedisError):  # Celery would log it, and go on
                self.broker.deliver(self.runner)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[PrivateRedis]:
    server = PrivateRedis(tmp_path / "redis")
    yield server
    server.kill()


@pytest.fixture
def fleet(server: PrivateRedis, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Fleet]:
    monkeypatch.setattr(client, "_RETRIES", 2)  # so that an outage of a second outlasts them
    monkeypatch.setattr(Services, "ports", lambda *_: None)
    settings = Settings(
        redis_url=server.url, lease_seconds=LEASE, resend_seconds=0.2, max_attempts=1, var=tmp_path
    )
    fleet = Fleet(Services(settings))
    flow = Flow(
        kind="outage",
        params=NoParams,
        steps={"outage.only": Step(run=fleet.step)},
        first=lambda _job: Phase(items=(Item(id="only", step="outage.only"),)),
        advance=lambda _phase, results, _job: End(
            state=JobState.DONE, outcome={"errors": [done.error for done in results[0] if done.error]}
        ),
        cut_short=lambda _results, _job, why: End(state=JobState.PARTIAL, outcome={"reason": why}),
    )
    monkeypatch.setitem(registry.FLOWS, "outage", flow)
    fleet.start()
    yield fleet
    fleet.stop()


@pytest.mark.parametrize("seconds", [0.2 * LEASE, 1.5 * LEASE])
def test_a_step_that_finds_redis_away_uses_up_no_attempt_and_loses_no_lease(
    fleet: Fleet, server: PrivateRedis, seconds: float
) -> None:
    began, gone = threading.Event(), threading.Event()

    def read_while_away() -> None:
        began.set()
        assert gone.wait(60)
        fleet.services.hasty_redis.get("anything")  # a patient client would raise this only after 20 s

    fleet.does = [read_while_away]
    job = submit_job(fleet.services, fleet.broker, "outage", "default", {}).job.id
    assert began.wait(60)
    server.running.stop()
    gone.set()
    time.sleep(seconds)
    server.start()
    ended = wait_until(lambda: _ended(fleet, job), "the job has ended")
    assert (ended.state, ended.outcome, ended.dead) == (JobState.DONE, {"errors": []}, 0)
    assert ended.leases_lost == 0
    assert fleet.ran == 2


def test_a_result_is_recorded_when_redis_is_back_and_its_step_is_not_done_again(
    fleet: Fleet, server: PrivateRedis
) -> None:
    began, gone = threading.Event(), threading.Event()

    def outlive_redis() -> None:
        began.set()
        assert gone.wait(60)

    fleet.does = [outlive_redis]
    job = submit_job(fleet.services, fleet.broker, "outage", "default", {}).job.id
    assert began.wait(60)
    server.running.stop()
    gone.set()
    time.sleep(1.5 * LEASE)
    server.start()
    ended = wait_until(lambda: _ended(fleet, job), "the job has ended")
    assert (ended.state, ended.leases_lost, fleet.ran) == (JobState.DONE, 0, 1)


def test_a_lease_that_nobody_could_renew_is_not_lost_at_once(fleet: Fleet, server: PrivateRedis) -> None:
    fleet.stop()  # nobody renews here but the test
    lease, services = 2.0, Services(fleet.services.settings.model_copy(update={"lease_seconds": 2.0}))
    job = submit_job(services, fleet.broker, "outage", "default", {}).job.id
    claim = Claim(job_id=job, epoch=1, item_id="only", token="mine")
    assert services.ledger.begin(claim).verdict == "go"
    watchdog = Watchdog(Runner(services, fleet.broker).driver, 0.1)
    watchdog.start()
    server.running.stop()
    time.sleep(1.2 * lease)
    server.start()
    time.sleep(0.3 * lease)  # the watchdog is back before who holds the lease
    assert services.ledger.renew([claim]) == [True]
    watchdog.stop()
    record = services.ledger.job(job)
    assert record is not None
    assert record.leases_lost == 0


def test_a_lease_is_not_lost_to_a_watchdog_that_stood_still_with_who_holds_it(fleet: Fleet) -> None:
    fleet.stop()  # nobody renews here but the test
    job = submit_job(fleet.services, fleet.broker, "outage", "default", {}).job.id
    claim = Claim(job_id=job, epoch=1, item_id="only", token="mine")
    watchdog, stalled, looked = Watchdog(fleet.runner.driver, 0.1), threading.Event(), threading.Event()
    stop = watchdog._stop
    fleet.services.redis.delete(WATCHDOG)  # it leads

    def stand_still(seconds: float) -> bool:
        """Wait far too long, once, as on a machine that is stopped; then wait as one is told."""
        if not stalled.is_set():
            time.sleep(1.2 * LEASE)
            stalled.set()
        else:
            looked.set()
        return stop.wait(seconds)

    watchdog._stop = SimpleNamespace(wait=stand_still, set=stop.set)  # type: ignore[assignment]
    assert fleet.services.ledger.begin(claim).verdict == "go"
    watchdog.start()
    assert looked.wait(60)
    assert fleet.services.ledger.renew([claim]) == [True]
    watchdog.stop()
    record = fleet.services.ledger.job(job)
    assert record is not None
    assert record.leases_lost == 0


def test_a_broker_that_is_away_is_an_outage_too() -> None:
    application = application_for(Settings(broker_url=f"redis://127.0.0.1:{free_port()}/0"))
    application.conf.task_publish_retry_policy = {"max_retries": 1, "interval_start": 0}
    message = Message(step="outage.only", job_id="j", epoch=1, item_id="only", queue="bulk")
    publisher = CeleryPublisher(application)
    for send in (publisher.send, publisher.chain):
        with pytest.raises(DependencyAway):
            send([message, message])


def _ended(fleet: Fleet, job: str) -> JobRecord | None:
    record = fleet.services.ledger.job(job)
    return record if record is not None and record.state is not JobState.RUNNING else None
