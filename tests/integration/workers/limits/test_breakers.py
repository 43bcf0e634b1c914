"""Bulk work waits while a server that it needs is away; over a real Redis, with the runner."""

from __future__ import annotations

import errno
import json
import time
from collections.abc import Iterator

import pytest
import redis
from doubles.broker import Broker
from doubles.memory_redis import services_over

from workers.adapters.blobs import BlobStore
from workers.core.errors import DependencyAway, DependencyRefuses
from workers.core.jobs.flow import Flow, Step
from workers.core.jobs.work import End, Item, Job, JobState, Json, Outcome, Phase, Terms
from workers.core.ports import Ports
from workers.core.records import Frozen
from workers.engine.memory_limit import MemoryLimit, is_full
from workers.engine.runner import Runner
from workers.engine.submit import cancel_job, submit_job
from workers.engine.watchdog import Watchdog
from workers.flows import registry
from workers.flows.document import DOCUMENT
from workers.ledger.keys import ACTIVE, BREAKERS, job_key
from workers.ledger.records import Parent
from workers.limits import breakers as breakers_module
from workers.limits.breakers import Breakers
from workers.services import Services

pytestmark = pytest.mark.memory_too

NEEDS = frozenset(("neo4j", "model"))
AWAY = DependencyAway("nobody answers at bolt://graph", dependency="neo4j")


class NoParams(Frozen):
    items: int = 4


class World:
    """A flow of bulk items, each of which asks the graph."""

    def __init__(self, services: Services) -> None:
        self.services, self.broker = services, Broker()
        self.runner = Runner(services, self.broker)
        self.error: Exception | None = None
        self.asked = 0

    def step(self, _given: Json, _ports: Ports) -> Outcome:
        self.asked += 1
        if self.error:
            raise self.error
        return Outcome(result={})

    def submit(self, kind: str) -> str:
        return submit_job(self.services, self.broker, kind, "default", {}).job.id


@pytest.fixture
def world(client: redis.Redis, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    monkeypatch.setattr(breakers_module, "_FRESH_SECONDS", 0.0)
    services = services_over(client, max_attempts=3)
    services.redis.delete(BREAKERS)
    monkeypatch.setattr(Services, "ports", lambda _self, _job, *_: None)
    made = World(services)
    for kind, queue in (("bulky", "bulk"), ("awaited", "interactive")):
        flow = Flow(
            kind=kind,
            params=NoParams,
            steps={"x.ask": Step(run=made.step, queue=queue, needs=NEEDS)},
            first=lambda job: Phase(
                items=tuple(Item(id=f"ask {n}", step="x.ask") for n in range(job.params["items"]))
            ),
            advance=lambda _phase, results, _job: End(
                state=JobState.DONE, outcome={"errors": [item.error for item in results[0] if item.error]}
            ),
            cut_short=_cut,
        )
        monkeypatch.setitem(registry.FLOWS, kind, flow)
    yield made
    services.redis.delete(BREAKERS)


def _cut(_results: object, _job: Job, reason: str) -> End:
    return End(state=JobState.PARTIAL, outcome={"reason": reason})


def test_after_one_item_found_the_graph_away_the_others_are_laid_aside(world: World) -> None:
    world.error = AWAY
    job = world.submit("bulky")
    world.broker.deliver(world.runner)
    assert world.asked == 1
    opened = world.services.breakers.all()["neo4j"]
    assert opened.why == str(AWAY)
    record = world.services.ledger.job(job)
    assert record is not None
    assert record.state is JobState.RUNNING
    assert not world.services.redis.exists(job_key(job, "tries"))


def test_one_item_at_a_time_tries_and_success_closes_the_breaker(world: World) -> None:
    held = world.services.breakers
    assert held.met(AWAY, NEEDS)
    laid = held.holds(NEEDS)
    assert laid is not None
    assert "nobody answers" in laid.why
    _make_due(world)
    assert held.holds(NEEDS) is None  # this one tries
    assert held.holds(NEEDS) is not None  # the others wait for it
    held.passed(NEEDS)
    assert held.all() == {}
    assert held.holds(NEEDS) is None


def test_a_few_calls_in_a_row_that_a_server_breaks_open_its_breaker_and_success_in_between_does_not(
    world: World,
) -> None:
    held = world.services.breakers
    for _ in range(4):
        held.broke("model")
    held.passed(("model",))
    for _ in range(4):
        held.broke("model")
    assert held.holds(NEEDS) is None
    held.broke("model")
    assert held.holds(NEEDS) is not None
    _make_due(world)
    assert held.holds(NEEDS) is None  # this one tries
    held.passed(("model",))
    assert held.all() == {}


def test_a_server_that_says_when_is_not_tried_before(world: World) -> None:
    held = world.services.breakers
    held.met(DependencyAway("overloaded", dependency="model", retry_after=90.0), NEEDS)
    assert held.all()["model"].probe - time.time() == pytest.approx(90, abs=5)
    held.met(DependencyAway("overloaded", dependency="model"), NEEDS)
    held.met(DependencyAway("overloaded", dependency="model", retry_after=200.0), NEEDS)
    assert held.all()["model"].probe - time.time() == pytest.approx(200, abs=5)
    held.met(DependencyAway("overloaded", dependency="model", retry_after=1e9), NEEDS)
    assert held.all()["model"].probe - time.time() == pytest.approx(3600, abs=5)


@pytest.mark.parametrize("retry_after", [None, 90.0])
def test_a_clock_that_was_set_back_an_hour_keeps_no_breaker_open_for_it(
    world: World, retry_after: float | None
) -> None:
    held = world.services.breakers
    held.met(DependencyAway("overloaded", dependency="model", retry_after=retry_after), NEEDS)
    opened = json.loads(world.services.redis.hget(BREAKERS, "model") or "")
    opened |= {"since": opened["since"] + 3_600_000, "probe": opened["probe"] + 3_600_000}
    world.services.redis.hset(BREAKERS, "model", json.dumps(opened))
    laid = held.holds(NEEDS)
    assert laid is not None
    assert laid.seconds <= 1.25 * (retry_after or 30.0) + 1.0
    assert held.all()["model"].since <= time.time() + 1


def test_another_worker_knows(world: World) -> None:
    world.services.breakers.met(AWAY, NEEDS)
    assert Breakers(world.services.redis).holds(NEEDS) is not None
    assert Breakers(world.services.redis).holds(frozenset(("disk",))) is None


def test_tries_become_rarer(world: World) -> None:
    held = world.services.breakers
    held.met(AWAY, NEEDS)
    waits = []
    for _ in range(3):
        _make_due(world)
        assert held.holds(NEEDS) is None
        waits.append(held.all()["neo4j"].probe - time.time())
    assert waits[0] < waits[1] < waits[2]


def test_a_wrong_key_pauses_bulk_work_and_fails_a_question_at_once(world: World) -> None:
    world.error = DependencyRefuses(
        "the model denies access (401): check HOPLINE_MODEL_KEY.", dependency="model"
    )
    question = world.submit("awaited")
    world.broker.deliver(world.runner)
    record = world.services.ledger.job(question)
    assert record is not None
    assert record.state is JobState.DONE
    assert "HOPLINE_MODEL_KEY" in record.outcome["errors"][0]
    bulk = world.submit("bulky")
    world.broker.deliver(world.runner)
    record = world.services.ledger.job(bulk)
    assert record is not None
    assert record.state is JobState.RUNNING
    assert not record.dead
    assert "HOPLINE_MODEL_KEY" in world.services.breakers.all()["model"].why


def test_that_a_model_is_back_is_told_by_a_call_and_not_by_a_step_that_need_not_make_one(
    world: World,
) -> None:
    held = world.services.breakers
    held.met(DependencyAway("out of credit", dependency="model"), NEEDS)
    _make_due(world)
    world.submit("bulky")
    world.broker.deliver(world.runner)
    assert world.asked >= 1
    assert "model" in held.all()


def test_an_error_of_a_server_that_the_step_does_not_need_opens_nothing(world: World) -> None:
    assert not world.services.breakers.met(DependencyAway("wait", dependency="elsewhere"), NEEDS)
    assert not world.services.breakers.met(DependencyAway("busy"), NEEDS)
    assert world.services.breakers.all() == {}


def test_every_step_of_ingestion_says_what_it_needs() -> None:
    assert all(step.needs for step in DOCUMENT.steps.values())


def test_a_full_disk_is_a_server_that_is_away(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = BlobStore(str(tmp_path))

    def full(*_args: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(store, "_write", full)
    with pytest.raises(DependencyAway, match="No space left") as caught:
        store.put(b"text")
    assert caught.value.dependency == "disk"


@pytest.mark.usefixtures("own_server")  # makes the server refuse writes
def test_a_redis_that_is_full_is_tried_now_and_then_and_loses_no_item(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = world.services.redis
    job = world.submit("bulky")
    monkeypatch.setattr("workers.engine.memory_limit._FIRST_SECONDS", 0.05)
    world.runner.full_redis = MemoryLimit()
    client.config_set("maxmemory", "100kb")
    try:
        world.broker.deliver(world.runner)
    finally:
        client.config_set("maxmemory", "0")
    assert world.asked == 1  # whose result could not be written down
    assert world.runner.full_redis._until
    assert client.zcard(job_key(job, "due")) == 4
    assert not client.exists(job_key(job, "lease"))


def test_what_redis_says_when_it_is_full_is_known() -> None:
    assert is_full(
        redis.exceptions.OutOfMemoryError("OOM command not allowed when used memory > 'maxmemory'.")
    )
    assert is_full(redis.ResponseError("MISCONF Errors writing to the AOF file: No space left on device"))
    assert not is_full(redis.ResponseError("WRONGTYPE Operation against a key"))
    assert not is_full(ValueError("OOM "))


@pytest.mark.usefixtures("own_server")  # makes the server refuse writes
def test_a_redis_without_the_replicas_that_it_must_have_counts_as_full(world: World) -> None:
    client = world.services.redis
    client.config_set("min-replicas-to-write", 1)
    try:
        with pytest.raises(redis.ResponseError) as caught:
            client.set("hop:probe", "1")
    finally:
        client.config_set("min-replicas-to-write", 0)
    assert is_full(caught.value)


def leave_no_room(client: redis.Redis) -> None:
    """Let the server refuse writes for want of memory; it may still be freeing what is gone."""
    for _ in range(20):
        client.config_set("maxmemory", client.info("memory")["used_memory"] - 1000)
        try:
            client.set("hop:probe", "1")
        except redis.OutOfMemoryError:
            return
    raise AssertionError("there is room, whatever the limit")


@pytest.mark.usefixtures("own_server")  # makes the server refuse writes
def test_cancelling_what_fills_redis_makes_room_in_it(world: World) -> None:
    client = world.services.redis
    small = submit_job(world.services, world.broker, "bulky", "default", {"items": 1}).job.id
    assert cancel_job(world.services, small)  # the server has loaded what cancels
    job = submit_job(world.services, world.broker, "bulky", "default", {"items": 300}).job.id
    try:
        leave_no_room(client)
        assert cancel_job(world.services, job)
        assert client.set("hop:probe", "1")
    finally:
        client.config_set("maxmemory", "0")
    record = world.services.ledger.job(job)
    assert record is not None
    assert record.state is JobState.CANCELLED


@pytest.mark.usefixtures("own_server")  # makes the server refuse writes
def test_where_redis_stays_full_a_cancelled_job_ends_with_its_children_and_tells_others_later(
    world: World,
) -> None:
    client = world.services.redis
    terms = Terms(webhook="https://a.invalid/")
    job = submit_job(world.services, world.broker, "bulky", "default", {}, terms=terms).job
    child = Job(id=f"{job.id}c", kind="bulky", collection="default", params={"items": 1}, root=job.id)
    phase = Phase(items=(Item(id="ask 0", step="x.ask"),))
    parent = Parent(job_id=job.id, epoch=1, item_id="ask 0")
    assert world.services.ledger.submit(child, phase, parent=parent)
    client.hset(job_key(job.id, "child"), "ask 0", child.id)
    client.config_set("maxmemory", "100kb")
    try:
        assert cancel_job(world.services, job.id)
    finally:
        client.config_set("maxmemory", "0")
    for job_id in (job.id, child.id):
        assert client.hget(job_key(job_id, "job"), "state") == JobState.CANCELLED
    assert set(client.hgetall(job_key(job.id, "outbox"))) == {"webhook"}
    assert client.zscore(ACTIVE, job.id) is not None  # so that the watchdog looks at it
    watchdog = Watchdog(world.runner.driver, 1.0)
    for _ in range(2):
        watchdog.look_once()
    assert not client.exists(job_key(job.id, "outbox"))


def _make_due(world: World) -> None:
    """Let the waits of all open breakers be over."""
    client = world.services.redis
    for name, text in client.hgetall(BREAKERS).items():
        client.hset(BREAKERS, name, json.dumps(json.loads(text) | {"probe": 0}))
