"""Work that is paused across jobs waits, loses nothing, and goes on; over a real Redis, with the runner."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import redis
from doubles.broker import Broker
from doubles.memory_redis import services_over
from fleet.crew import wait_until

from workers.core.errors import WorkPaused
from workers.core.jobs.flow import Flow, Step
from workers.core.jobs.work import End, Item, Job, JobState, Json, Outcome, Phase, Terms
from workers.core.jobs.work_pauses import WorkKind
from workers.core.models.permits import Cost, Line, NoPermits
from workers.core.ports import Ports
from workers.core.records import Frozen
from workers.engine.runner import Runner
from workers.engine.submit import submit_job
from workers.engine.watchdog import Watchdog
from workers.flows import registry
from workers.ledger.keys import WORK_PAUSED, job_key
from workers.limits import work_pauses as module
from workers.limits.work_pauses import PausablePermits
from workers.services import Services

pytestmark = pytest.mark.memory_too
KEY = "0f3a5c7e9b1d"
LINE = Line(endpoint="http://model", model="swift", kind="model")


class NoParams(Frozen):
    items: int = 3


class World:
    """A flow of bulk items and one of interactive items."""

    def __init__(self, services: Services) -> None:
        self.services, self.broker = services, Broker()
        self.runner = Runner(services, self.broker)
        self.watchdog = Watchdog(self.runner.driver, 1.0)
        self.done: list[str] = []

    def step(self, step_input: Json, _ports: Ports) -> Outcome:
        self.done.append(step_input["job"])
        return Outcome(result={})

    def submit(self, kind: str, key: str = "") -> str:
        return submit_job(self.services, self.broker, kind, "default", {}, terms=Terms(caller=key)).job.id

    def state(self, job: str) -> JobState:
        record = self.services.ledger.job(job)
        assert record is not None
        return record.state

    def look(self) -> None:
        """Let the watchdog send what is due, and the workers do it."""
        self.watchdog.look_once()
        self.broker.deliver(self.runner)

    def ends(self, job: str) -> JobState:
        def has_ended() -> bool:
            self.look()
            return self.state(job) is not JobState.RUNNING

        wait_until(has_ended, f"job {job} ends")
        return self.state(job)


@pytest.fixture
def world(client: redis.Redis, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    monkeypatch.setattr(module, "_FRESH_SECONDS", 0.0)
    monkeypatch.setattr(module, "_SOONEST", 0.01)
    monkeypatch.setattr(module, "_LATEST", 0.01)
    services = services_over(client, max_attempts=3)
    services.redis.delete(WORK_PAUSED)
    monkeypatch.setattr(Services, "ports", lambda _self, _job, *_: None)
    made = World(services)
    for kind, queue in (("bulky", "bulk"), ("awaited", "interactive")):
        flow = Flow(
            kind=kind,
            params=NoParams,
            steps={f"x.{kind}": Step(run=made.step, queue=queue)},
            first=lambda job: Phase(
                items=tuple(
                    Item(id=f"do {n}", step=f"x.{job.kind}", input={"job": job.id})
                    for n in range(job.params["items"])
                )
            ),
            advance=lambda _phase, results, _job: End(
                state=JobState.DONE, outcome={"errors": [item.error for item in results[0] if item.error]}
            ),
            cut_short=_cut,
        )
        monkeypatch.setitem(registry.FLOWS, kind, flow)
    yield made
    services.redis.delete(WORK_PAUSED)


def _cut(_results: object, _job: Job, reason: str) -> End:
    return End(state=JobState.PARTIAL, outcome={"reason": reason})


@pytest.mark.parametrize(("kind", "name"), [("step", "x.bulky"), ("queue", "bulk"), ("key", KEY)])
def test_what_is_paused_waits_and_others_do_not_and_after_it_each_item_is_done_once(
    world: World, kind: WorkKind, name: str
) -> None:
    pauses = world.services.work_pauses
    assert pauses.pause(kind, name, "ann")
    job, other = world.submit("bulky", KEY), world.submit("awaited", "other")
    assert world.ends(other) is JobState.DONE
    for _ in range(3):
        world.look()
    assert world.done == [other] * 3
    assert world.state(job) is JobState.RUNNING
    assert not world.services.redis.exists(job_key(job, "tries")), "no attempt is counted"
    assert pauses.resume(kind, name)
    assert world.ends(job) is JobState.DONE
    assert world.done == [other] * 3 + [job] * 3
    record = world.services.ledger.job(job)
    assert record is not None
    assert record.outcome == {"errors": []}


def test_a_key_of_another_submits_and_works_beside_a_paused_one(world: World) -> None:
    world.services.work_pauses.pause("key", KEY)
    mine, other = world.submit("awaited", KEY), world.submit("awaited", "other")
    assert world.ends(other) is JobState.DONE
    assert world.state(mine) is JobState.RUNNING


def test_a_deadline_holds_for_a_job_whose_work_is_paused(world: World) -> None:
    world.services.work_pauses.pause("step", "x.bulky")
    job = world.submit("bulky")
    world.broker.deliver(world.runner)
    world.services.redis.hset(job_key(job, "job"), mapping={"deadline": 1, "hard_deadline": 2})
    assert world.ends(job) is JobState.PARTIAL
    assert world.done == []


def test_a_call_of_a_paused_model_is_deferred_and_one_of_another_passes(world: World) -> None:
    pauses = world.services.work_pauses
    permits = PausablePermits(NoPermits(), pauses)
    pauses.pause("model", "swift")
    with pytest.raises(WorkPaused, match="model swift is paused"):
        permits.take(LINE, Cost(prompt=1))
    other = permits.take(LINE.model_copy(update={"model": "strong"}), Cost(prompt=1))
    permits.give(other, "done")
    assert permits.waited == 0.0
    pauses.resume("model", "swift")
    assert permits.take(LINE, Cost(prompt=1)).line == LINE


def test_a_pause_is_kept_once_and_says_who_and_since_when(world: World) -> None:
    pauses = world.services.work_pauses
    assert pauses.all() == ()
    assert pauses.pause("queue", "bulk", "ann")
    assert not pauses.pause("queue", "bulk", "bob")
    assert pauses.pause("model", "a b", "bob")
    assert [(pause.kind, pause.name, pause.by) for pause in pauses.all()] == [
        ("queue", "bulk", "ann"),
        ("model", "a b", "bob"),
    ]
    assert pauses.resume("queue", "bulk")
    assert not pauses.resume("queue", "bulk")
    assert [pause.name for pause in pauses.all()] == ["a b"]


def test_the_longer_a_pause_lasts_the_seldomer_what_waits_is_looked_at(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_SOONEST", 5.0)
    monkeypatch.setattr(module, "_LATEST", 60.0)
    pauses = world.services.work_pauses
    pauses.pause("step", "x.bulky")
    (pause,) = pauses.all()
    held = {}
    for age in (0, 100, 10_000):
        older = pause.model_copy(update={"since": pause.since - age})
        world.services.redis.hset(WORK_PAUSED, "step x.bulky", older.model_dump_json())
        hold = pauses.holds("bulk", "x.bulky", "")
        assert hold is not None
        held[age] = hold.seconds
    assert 5 <= held[0] <= 6.5
    assert 25 <= held[100] <= 32.5
    assert 60 <= held[10_000] <= 75
