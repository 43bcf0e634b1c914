"""Redis goes away in the middle of a step and comes back, or all stand still: nothing is counted as lost."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import redis
from doubles.memory_redis import services_over
from doubles.single_worker import SingleWorker, short_flow
from fleet.crew import PrivateRedis

from hopline.errors import DependencyAway
from hopline.models.jobs import JobState, Json
from infra.local.process import free_port
from workers.adapters.redis.client import redis_client
from workers.app import application_for
from workers.core.jobs.messages import Message
from workers.core.jobs.records import Claim
from workers.core.jobs.work import Outcome
from workers.engine.watchdog import Watchdog
from workers.flows import registry
from workers.services import Services
from workers.settings import Settings
from workers.transport.publishers import CeleryPublisher

LEASE = 600.0  # seconds


@dataclass
class World(SingleWorker):
    """A flow of one item whose step a test writes."""

    does: list[Callable[[], object]] = field(default_factory=list)
    ran: int = 0

    def step(self, _input: Json, _ports: object) -> Outcome:
        self.ran += 1
        if self.does:
            self.does.pop(0)()
        return Outcome(result={})


def make_world(services: Services, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setattr(Services, "ports", lambda *_: None)
    world = World(services)
    monkeypatch.setitem(registry.FLOWS, "outage", short_flow("outage", world.step))
    return world


@pytest.fixture
def server(tmp_path: Path) -> Iterator[PrivateRedis]:
    server = PrivateRedis(tmp_path / "redis")
    yield server
    server.kill()


@pytest.fixture
def world(client: redis.Redis, monkeypatch: pytest.MonkeyPatch) -> World:
    return make_world(services_over(client, lease_seconds=LEASE, max_attempts=1), monkeypatch)


def test_a_step_that_finds_redis_away_uses_up_no_attempt_and_loses_no_lease(server, monkeypatch, tmp_path):
    settings = Settings(redis_url=server.url, lease_seconds=LEASE, max_attempts=1, var=tmp_path)
    services = Services(settings)
    services.redis = redis_client(server.url, retries=1)  # so that the outage outlasts them
    world = make_world(services, monkeypatch)
    began, gone, missed = threading.Event(), threading.Event(), threading.Event()

    def read_while_away() -> None:
        began.set()
        assert gone.wait(60)
        try:
            services.hasty_redis.get("anything")  # a patient client would raise this only after 20 s
        finally:
            missed.set()

    world.does = [read_while_away]
    job = world.submit("outage")
    worker = threading.Thread(target=world.broker.deliver, args=(world.runner,))
    worker.start()
    assert began.wait(60)
    server.running.stop()
    gone.set()
    with pytest.raises(redis.ConnectionError):
        services.redis.ping()
    assert missed.wait(60)
    server.start()
    worker.join(60)
    ended = world.play(job)
    assert (ended.state, ended.outcome, ended.dead) == (JobState.DONE, {"errors": []}, 0)
    assert (ended.leases_lost, world.ran) == (0, 2)


@pytest.mark.memory_too
def test_a_result_is_recorded_when_redis_is_back_and_its_step_is_not_done_again(world, monkeypatch):
    job, finish = world.submit("outage"), world.ledger.finish

    def find_redis_away(*_args: object) -> object:
        """Fail once, for longer than the lease."""
        world.lose_leases(job)
        monkeypatch.setattr(world.ledger, "finish", finish)
        raise redis.ConnectionError

    monkeypatch.setattr(world.ledger, "finish", find_redis_away)
    ended = world.work(job)
    assert (ended.state, ended.leases_lost, world.ran) == (JobState.DONE, 0, 1)


class Waits(threading.Event):
    """Does one thing in place of each wait, and is set after the last."""

    def __init__(self, *acts: Callable[[], object]) -> None:
        super().__init__()
        self._acts = list(acts)

    def wait(self, timeout: float | None = None) -> bool:
        if timeout is None or self.is_set():
            return super().wait(60)
        if not self._acts:
            self.set()
            return True
        self._acts.pop(0)()
        return False


@pytest.mark.memory_too
@pytest.mark.parametrize("away", [False, True], ids=["the machine stood still", "Redis was away"])
def test_a_lease_that_nobody_could_renew_is_not_lost_at_once(world, monkeypatch, away):
    job, now, renewed = world.submit("outage"), [1000.0], list[list[bool | None]]()
    claim = Claim(job_id=job, epoch=1, item_id="do 0", token="mine")
    assert world.ledger.begin(claim).verdict == "go"

    def lose() -> None:
        world.lose_leases(job)
        world.skip_waits(job)

    def come_back_late() -> None:
        lose()
        if away:
            leads = watchdog.leads

            def fail_once() -> bool:
                monkeypatch.setattr(watchdog, "leads", leads)
                raise redis.ConnectionError

            monkeypatch.setattr(watchdog, "leads", fail_once)
        else:
            now[0] += 1.2 * LEASE

    def pass_time() -> None:
        now[0] += 0.4 * LEASE

    def lose_again() -> None:
        lose()
        pass_time()

    def renew() -> None:
        renewed.append(world.ledger.renew([claim]))

    waits = Waits(come_back_late, pass_time, renew, pass_time, lose_again)
    watchdog = Watchdog(world.runner.driver, 0.1, stopping=waits, clock=lambda: now[0])
    watchdog.start()
    assert waits.wait()
    assert renewed == [[True]], "the watchdog was back before who holds the lease"
    assert world.record(job).leases_lost == 1, "a lease later it looks again"


def test_a_broker_that_is_away_is_an_outage_too() -> None:
    application = application_for(Settings(broker_url=f"redis://127.0.0.1:{free_port()}/0"))
    application.conf.task_publish_retry_policy = {"max_retries": 1, "interval_start": 0}
    message = Message(step="outage.only", job_id="j", epoch=1, item_id="only", queue="bulk")
    publisher = CeleryPublisher(application)
    for send in (publisher.send, publisher.chain):
        with pytest.raises(DependencyAway):
            send([message, message])
