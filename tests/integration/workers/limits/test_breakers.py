"""Bulk work waits while a server that it needs is away; with the runner."""

import errno
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
import redis
from doubles.door import own_clock, tell_time
from doubles.memory_redis import services_over
from doubles.single_worker import SingleWorker, bare_ports, short_flow
from fleet.crew import wait_until
from structlog.testing import capture_logs

from hopline.errors import DependencyAway
from hopline.models.jobs import JobState, Json, Parent
from workers.adapters.blobs import classed
from workers.core.errors import DependencyRefuses
from workers.core.jobs.work import Item, Job, Outcome, Phase, Terms
from workers.core.ports import Ports
from workers.core.redis_keys import ACTIVE, BREAKERS, job_key
from workers.engine.memory_limit import MemoryLimit, is_full
from workers.engine.submit import cancel_job
from workers.flows import registry
from workers.ingest.flow import DOCUMENT
from workers.limits.breakers import Breakers

pytestmark = pytest.mark.memory_too

NEEDS = frozenset(("neo4j", "model"))
AWAY = DependencyAway("nobody answers at bolt://graph", dependency="neo4j")


@dataclass
class World(SingleWorker):
    """A flow of bulk items, each of which asks the graph, and one of interactive items."""

    error: Exception | None = None
    asked: int = 0

    def step(self, _given: Json, _ports: Ports) -> Outcome:
        self.asked += 1
        if self.error:
            raise self.error
        return Outcome(result={})

    def make_due(self) -> None:
        """Let the waits of all open breakers be over."""
        client = self.services.redis
        for name, text in client.hgetall(BREAKERS).items():
            client.hset(BREAKERS, name, json.dumps(json.loads(text) | {"probe": 0}))


@pytest.fixture
def now(client: redis.Redis) -> Iterator[float]:
    """The time by which breakers go, which stands still."""
    moment = float(int(time.time()))
    with own_clock():
        tell_time(client, moment)
        yield moment


@pytest.fixture
def world(client: redis.Redis, now: float, monkeypatch: pytest.MonkeyPatch) -> World:
    assert now
    bare_ports(monkeypatch)
    services = services_over(client, max_attempts=3)
    services.breakers = Breakers(services.redis, fresh_seconds=0.0)
    made = World(services)
    for kind, queue, items in (("bulky", "bulk", 4), ("many", "bulk", 3_000), ("awaited", "interactive", 1)):
        flow = short_flow(kind, made.step, items=items, queue=queue, needs=NEEDS)
        monkeypatch.setitem(registry.FLOWS, kind, flow)
    return made


def test_after_one_item_found_the_graph_away_the_others_are_laid_aside(world: World) -> None:
    world.error = AWAY
    job = world.submit("bulky")
    assert (world.work(job).state, world.asked) == (JobState.RUNNING, 1)
    assert world.services.breakers.all()["neo4j"].why == str(AWAY)
    assert not world.services.redis.exists(job_key(job, "tries"))


def test_one_item_at_a_time_tries_ever_more_rarely_and_success_closes_the_breaker(world, now):
    held = world.services.breakers
    assert held.met(AWAY, NEEDS)
    laid = held.holds(NEEDS)
    assert "nobody answers" in laid.why
    waits = []
    for _ in range(3):
        world.make_due()
        assert held.holds(NEEDS) is None  # this one tries
        waits.append(held.all()["neo4j"].probe - now)
        assert held.holds(NEEDS) is not None  # the others wait for it
    assert waits[0] < waits[1] < waits[2]
    assert Breakers(world.services.redis).holds(NEEDS) is not None, "another worker knows"
    assert Breakers(world.services.redis).holds(frozenset(("disk",))) is None
    held.passed(NEEDS)
    assert (held.all(), held.holds(NEEDS)) == ({}, None)


def test_a_few_calls_in_a_row_that_a_server_breaks_open_its_breaker_and_success_in_between_does_not(world):
    held = world.services.breakers
    for _ in range(4):
        held.broke("model")
    held.passed(("model",))
    for _ in range(4):
        held.broke("model")
    assert held.holds(NEEDS) is None
    held.broke("model")
    assert held.holds(NEEDS) is not None
    world.make_due()
    assert held.holds(NEEDS) is None  # this one tries
    held.passed(("model",))
    assert held.all() == {}


def test_a_server_that_says_when_is_not_tried_before(world: World, now: float) -> None:
    held = world.services.breakers
    for asked, seconds in ((90.0, 90), (None, 90), (200.0, 200), (1e9, 3600)):
        held.met(DependencyAway("overloaded", dependency="model", retry_after=asked), NEEDS)
        assert held.all()["model"].probe == now + seconds


@pytest.mark.parametrize("retry_after", [None, 90.0])
def test_a_clock_that_was_set_back_an_hour_keeps_no_breaker_open_for_it(world, now, retry_after):
    held = world.services.breakers
    held.met(DependencyAway("overloaded", dependency="model", retry_after=retry_after), NEEDS)
    opened = json.loads(world.services.redis.hget(BREAKERS, "model") or "")
    opened |= {"since": opened["since"] + 3_600_000, "probe": opened["probe"] + 3_600_000}
    world.services.redis.hset(BREAKERS, "model", json.dumps(opened))
    laid = held.holds(NEEDS)
    assert laid.seconds <= 1.25 * (retry_after or 30.0) + 1.0
    assert held.all()["model"].since <= now


def test_a_wrong_key_pauses_bulk_work_and_fails_a_question_at_once(world: World) -> None:
    world.error = DependencyRefuses(
        "the model denies access (401): check HOPLINE_MODEL_KEY.", dependency="model"
    )
    question = world.work(world.submit("awaited"))
    assert question.state is JobState.DONE
    assert "HOPLINE_MODEL_KEY" in (question.outcome or {})["errors"][0]
    bulk = world.work(world.submit("bulky"))
    assert (bulk.state, bulk.dead) == (JobState.RUNNING, 0)
    assert "HOPLINE_MODEL_KEY" in world.services.breakers.all()["model"].why


def test_that_a_model_is_back_is_told_by_a_call_and_not_by_a_step_that_need_not_make_one(world):
    held = world.services.breakers
    held.met(DependencyAway("out of credit", dependency="model"), NEEDS)
    world.make_due()
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


def test_a_full_disk_is_a_server_that_is_away() -> None:
    with pytest.raises(DependencyAway, match="No space left") as caught, classed("put"):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert caught.value.dependency == "disk"


@pytest.mark.usefixtures("own_server")  # makes the server refuse writes
def test_a_redis_that_is_full_is_tried_now_and_then_and_loses_no_item(world: World) -> None:
    client = world.services.redis
    job = world.submit("bulky")
    world.runner.full_redis = MemoryLimit(first_seconds=0.05)
    client.config_set("maxmemory", "100kb")
    try:
        with capture_logs() as logs:
            world.broker.deliver(world.runner)
    finally:
        client.config_set("maxmemory", "0")
    assert world.asked == 1  # whose result could not be written down
    assert "redis" in [log["dependency"] for log in logs if log["event"] == "breaker.opened"]
    assert client.zcard(job_key(job, "due")) == 4
    assert not client.exists(job_key(job, "lease"))


def test_what_redis_says_when_it_is_full_is_known() -> None:
    oom = redis.exceptions.OutOfMemoryError("OOM command not allowed when used memory > 'maxmemory'.")
    disk = redis.ResponseError("MISCONF Errors writing to the AOF file: No space left on device")
    other = redis.ResponseError("WRONGTYPE Operation against a key"), ValueError("OOM ")
    assert [is_full(error) for error in (oom, disk, *other)] == [True, True, False, False]


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
        if not takes(client):
            return
    raise AssertionError("there is room, whatever the limit")


def takes(client: redis.Redis) -> bool:
    """Return whether the server takes a write."""
    try:
        return bool(client.set("hop:probe", "1"))
    except redis.OutOfMemoryError:
        return False


@pytest.mark.usefixtures("own_server")  # makes the server refuse writes
def test_cancelling_what_fills_redis_makes_room_in_it(world: World) -> None:
    client = world.services.redis
    assert cancel_job(world.services, world.submit("bulky"))  # the server has loaded what cancels
    job = world.submit("many")
    # What is deleted has to outweigh what the server takes for the cancelling and for a new connection.
    client.zadd(job_key(job, "due"), {f"do {nth} {'x' * 1000}": 2e12 for nth in range(1000)})
    try:
        leave_no_room(client)
        assert cancel_job(world.services, job)
        wait_until(lambda: takes(client), "what was deleted is freed")  # which a thread of the server does
    finally:
        client.config_set("maxmemory", "0")
    assert world.record(job).state is JobState.CANCELLED


@pytest.mark.usefixtures("own_server")  # makes the server refuse writes
def test_where_redis_stays_full_a_cancelled_job_ends_with_its_children_and_tells_others_later(world):
    client = world.services.redis
    job = world.submit("bulky", Terms(webhook="https://a.invalid/"))
    child = Job(id=f"{job}c", kind="bulky", collection="default", root=job)
    phase = Phase(items=(Item(id="do 0", step="bulky.do"),))
    assert world.ledger.submit(child, phase, parent=Parent(job_id=job, epoch=1, item_id="do 0"))
    client.hset(job_key(job, "child"), "do 0", child.id)
    client.config_set("maxmemory", "100kb")
    try:
        assert cancel_job(world.services, job)
    finally:
        client.config_set("maxmemory", "0")
    for job_id in (job, child.id):
        assert client.hget(job_key(job_id, "job"), "state") == JobState.CANCELLED
    assert set(client.hgetall(job_key(job, "outbox"))) == {"webhook"}
    assert client.zscore(ACTIVE, job) is not None  # so that the watchdog looks at it
    for _ in range(2):
        world.watchdog.look_once()
    assert not client.exists(job_key(job, "outbox"))
