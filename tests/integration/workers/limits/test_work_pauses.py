"""Work that is paused across jobs waits, loses nothing, and goes on; with the runner."""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
import redis
from doubles.memory_redis import services_over
from doubles.single_worker import SingleWorker, bare_ports, short_flow

from hopline.models.jobs import JobState
from workers.core.errors import WorkPaused
from workers.core.jobs.work import Outcome, Terms
from workers.core.models.permits import Cost, Line, NoPermits
from workers.core.redis_keys import WORK_PAUSED, job_key
from workers.flows import registry
from workers.limits.work_pauses import PausablePermits, WorkPauses

pytestmark = pytest.mark.memory_too
KEY = "0f3a5c7e9b1d"
LINE = Line(endpoint="http://model", model="swift", kind="model")


@dataclass
class World(SingleWorker):
    """A flow of bulk items and one of interactive items."""

    done: list[str] = field(default_factory=list)

    def step(self, _input: Any, ports: Any) -> Outcome:
        self.done.append(ports.job.id)
        return Outcome(result={})


@pytest.fixture
def world(client: redis.Redis, monkeypatch: pytest.MonkeyPatch) -> World:
    bare_ports(monkeypatch)
    services = services_over(client, max_attempts=3)
    services.work_pauses = WorkPauses(services.redis, fresh_seconds=0.0, again=(0.01, 0.01))
    made = World(services)
    for kind, queue in (("bulky", "bulk"), ("awaited", "interactive")):
        monkeypatch.setitem(registry.FLOWS, kind, short_flow(kind, made.step, items=3, queue=queue))
    return made


@pytest.mark.parametrize(("kind", "name"), [("step", "bulky.do"), ("queue", "bulk"), ("key", KEY)])
def test_what_is_paused_waits_and_others_do_not_and_after_it_each_item_is_done_once(world, kind, name):
    pauses = world.services.work_pauses
    assert pauses.pause(kind, name, "ann")
    job, other = world.submit("bulky", Terms(caller=KEY)), world.submit("awaited", Terms(caller="other"))
    assert world.play(other).state is JobState.DONE
    assert world.play(job, looks=3).state is JobState.RUNNING
    assert world.done == [other] * 3
    assert not world.services.redis.exists(job_key(job, "tries")), "no attempt is counted"
    assert pauses.resume(kind, name)
    ended = world.play(job)
    assert (ended.state, ended.outcome) == (JobState.DONE, {"errors": []})
    assert world.done == [other] * 3 + [job] * 3


def test_a_deadline_holds_for_a_job_whose_work_is_paused(world: World) -> None:
    world.services.work_pauses.pause("step", "bulky.do")
    job = world.submit("bulky")
    world.broker.deliver(world.runner)
    world.services.redis.hset(job_key(job, "job"), mapping={"deadline": 1, "hard_deadline": 2})
    assert world.play(job).state is JobState.PARTIAL
    assert world.done == []


def test_a_call_of_a_paused_model_is_deferred_and_one_of_another_passes(world: World) -> None:
    pauses = world.services.work_pauses
    permits = PausablePermits(NoPermits(), pauses)
    pauses.pause("model", "swift")
    with pytest.raises(WorkPaused, match="model swift is paused"):
        permits.take(LINE, Cost(prompt=1))
    permits.give(permits.take(LINE.model_copy(update={"model": "strong"}), Cost(prompt=1)), "done")
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


def test_the_longer_a_pause_lasts_the_seldomer_what_waits_is_looked_at(world: World) -> None:
    pauses = WorkPauses(world.services.redis, fresh_seconds=0.0)
    pauses.pause("step", "bulky.do")
    (pause,) = pauses.all()
    for age, least in ((0, 5.0), (160, 40.0), (10_000, 60.0)):
        older = pause.model_copy(update={"since": pause.since - timedelta(seconds=age)})
        world.services.redis.hset(WORK_PAUSED, "step bulky.do", older.model_dump_json())
        hold = pauses.holds("bulk", "bulky.do", "")
        assert least <= hold.seconds <= 1.25 * least + 15  # a minute later, on a machine that is slow
