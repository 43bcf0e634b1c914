"""Turns at a model: what all workers know of one that refuses, and what a turn costs."""

import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
import redis
from doubles.door import own_clock, tell_time
from fleet.crew import wait_until

from hopline.errors import Deferred
from workers.core.models.permits import Cost, Line, Permit
from workers.limits import rate_limiter
from workers.limits.breakers import Breakers
from workers.limits.keys import line_keys
from workers.limits.model_queues import lines_now
from workers.limits.permits import ItemPermits
from workers.limits.rate_limiter import LineLimits, RateLimiter

pytestmark = pytest.mark.memory_too

COST = Cost(prompt=100, completion=100)
FREE = LineLimits()


@pytest.fixture
def line(request: pytest.FixtureRequest) -> Line:
    return Line(endpoint=f"http://{request.node.name}/v1", model="limited", kind="model")


class Clock:
    """What the limiter's scripts take for the time: it stands still unless the test moves it."""

    def __init__(self, client: redis.Redis) -> None:
        self._client = client
        self.now = time.time()
        self.move(0.0)

    def move(self, seconds: float) -> None:
        self.now += seconds
        tell_time(self._client, self.now)


@pytest.fixture(autouse=True)
def clock(client: redis.Redis) -> Iterator[Clock]:
    with own_clock():
        yield Clock(client)


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The waits of the limiter, which do not last."""
    waits: list[float] = []
    without = SimpleNamespace(time=time.time, monotonic=time.monotonic, sleep=waits.append)
    monkeypatch.setattr(rate_limiter, "time", without)
    return waits


class Worker:
    """A process's limiter, and what its calls waited."""

    def __init__(self, client: redis.Redis, limits: LineLimits, **more: Any) -> None:
        self.limiter = RateLimiter(client, {"model": limits}, 0.25, **more)
        self.waited: dict[str, float] = defaultdict(float)

    def take(self, line: Line, kind: str = "bulk", patience: float = 5.0, cost: Cost = COST) -> Permit:
        return self.limiter.take(line, cost, kind, patience, self._note)

    def give(self, permit: Permit, came: str = "done", **more: object) -> None:
        self.limiter.give(permit, "bulk", came, **more)

    def _note(self, limiter: str, seconds: float) -> None:
        self.waited[limiter] += seconds


def test_where_nothing_is_limited_turns_share_one_look_at_redis(client, line, monkeypatch):
    commands: list[str] = []
    real = redis.Redis.execute_command
    monkeypatch.setattr(
        redis.Redis,
        "execute_command",
        # Other clients are those of tests before, whose calls in flight are renewed.
        lambda self, *args, **kw: (self is client and commands.append(args[0])) or real(self, *args, **kw),
    )
    worker = Worker(client, FREE, look_seconds=600.0)
    for _ in range(200):
        worker.give(worker.take(line))
    assert commands == ["HGETALL"]


def test_an_endpoint_that_asks_to_wait_is_left_alone_by_all_workers_until_then(client, line, slept):
    first, second = Worker(client, FREE), Worker(client, FREE)
    first.give(first.take(line), "busy", retry_after=4.5)
    assert second.take(line).call
    assert slept == [second.waited["pause"]] == [pytest.approx(4.5, abs=0.01)]


def test_another_model_of_that_endpoint_waits_as_well(client: redis.Redis, line: Line) -> None:
    worker = Worker(client, LineLimits(rpm=6000))
    worker.give(worker.take(line), "busy", retry_after=30.0)
    with pytest.raises(Deferred, match="asked to wait") as caught:
        worker.take(line.model_copy(update={"model": "another"}))
    assert caught.value.retry_after == pytest.approx(30, abs=5)


@pytest.mark.usefixtures("slept")
def test_a_question_that_jumps_ahead_leaves_room_for_the_calls_whose_places_come_after_it(client, line):
    worker = Worker(client, LineLimits(rpm=10))
    ahead = [worker.take(line, patience=20.0) for _ in range(3)]
    assert (ahead[-1].second or 0) > (ahead[0].second or 0) + 5
    for _ in range(10 - len(ahead)):
        worker.take(line, "interactive", patience=0.0)
    with pytest.raises(Deferred):
        worker.take(line, "interactive", patience=0.0)


def test_a_refusal_without_a_time_allows_fewer_calls_and_success_more_again(client, line):
    worker = Worker(client, LineLimits(calls=100))
    permits = [worker.take(line) for _ in range(20)]
    worker.give(permits.pop(), "busy")
    for permit in permits:
        worker.give(permit, "busy")  # of the same moment: this counts as one refusal
    (state,) = lines_now(client)
    assert state.allowed == pytest.approx(14)
    for _ in range(30):
        worker.give(worker.take(line))
    (state,) = lines_now(client)
    assert 15.5 < (state.allowed or 0) < 16.5


def test_calls_sent_before_the_first_refusal_count_for_all_who_hear_of_it(client, line):
    first, second = Worker(client, FREE, look_seconds=0.0), Worker(client, FREE, look_seconds=0.0)
    permits = [(worker, worker.take(line)) for worker in (first, second) for _ in range(32)]
    worker, permit = permits.pop(0)
    worker.give(permit, "busy")
    (state,) = lines_now(client)
    assert (state.allowed, state.bulk) == (pytest.approx(0.7 * 32), 31)
    with pytest.raises(Deferred):
        second.take(line, patience=0.0)
    (state,) = lines_now(client)
    assert (state.allowed, state.bulk) == (pytest.approx(0.7 * 64), 63)
    for worker, permit in permits:
        worker.give(permit)
    (state,) = lines_now(client)
    assert state.bulk == 0
    assert (state.allowed or 0) > 0.7 * 64


@pytest.mark.parametrize(("timeout", "seconds"), [(1000.0, 601), (50.0, 101)])
def test_calls_of_a_dead_worker_soon_hold_nobody_back(client, line, clock, timeout, seconds):
    limits = LineLimits(calls=4, timeout=timeout)
    dead = Worker(client, limits, held_seconds=600.0)  # renews in 200 s: long after the test
    for _ in range(4):
        dead.take(line, "interactive")
    clock.move(seconds - 2)
    with pytest.raises(Deferred, match="the limit of concurrent calls"):
        Worker(client, limits).take(line, "interactive", patience=0.0)
    clock.move(2)
    assert Worker(client, limits).take(line, "interactive", patience=0.0).call


def test_a_call_that_takes_long_counts_for_as_long_as_its_worker_lives(client, line, clock):
    limits = LineLimits(calls=1)
    worker = Worker(client, limits, held_seconds=0.6)
    permit = worker.take(line, "interactive")

    def held_until() -> float:
        return client.zscore(line_keys(line)[3], permit.call) / 1000

    for _ in range(3):
        clock.move(0.5)
        wait_until(lambda: held_until() >= clock.now + 0.59, "it is renewed")
    with pytest.raises(Deferred):
        Worker(client, limits).take(line, "interactive", patience=0.0)
    worker.limiter.give(permit, "interactive", "done")
    assert Worker(client, limits).take(line, "interactive", patience=0.0).call


def test_moments_ahead_that_no_clock_explains_send_nobody_back_for_an_hour(client, line):
    worker = Worker(client, LineLimits(rpm=600))
    worker.give(worker.take(line))
    client.hincrby(line_keys(line)[0], "requests", 3_600_000)
    with pytest.raises(Deferred) as caught:
        worker.take(line)
    assert (caught.value.retry_after or 0) < 130


def test_a_call_that_ends_wakes_one_that_waits_in_another_worker(client: redis.Redis, line: Line) -> None:
    first, second = Worker(client, LineLimits(calls=1)), Worker(client, LineLimits(calls=1))
    held = first.take(line)
    taken: list[Permit] = []
    thread = threading.Thread(target=lambda: taken.append(second.take(line, patience=60.0)))
    thread.start()
    wait_until(lambda: "calls bulk" in lines_now(client)[0].waiting, "the other waits")
    first.give(held)
    thread.join(60)
    assert taken


def test_a_call_that_was_never_sent_leaves_its_place_to_others(client: redis.Redis, line: Line) -> None:
    worker = Worker(client, LineLimits(rpm=600, tpm=100_000))
    worker.give(worker.take(line), "unsent")
    (state,) = lines_now(client)
    assert (state.requests, state.tokens, state.bulk) == (0, 0, 0)


def test_tokens_are_corrected_by_what_the_endpoint_counts(client: redis.Redis, line: Line) -> None:
    arriving, used = (
        Worker(client, LineLimits(tpm=100_000)),
        Worker(client, LineLimits(tpm=100_000), used=True),
    )
    arriving.give(arriving.take(line), used=Cost(prompt=80, completion=5))
    assert lines_now(client)[0].tokens == 80 + 100
    used.give(used.take(line), used=Cost(prompt=80, completion=5))
    assert lines_now(client)[0].tokens == 80 + 100 + 80 + 5


def test_estimates_learn_what_the_endpoint_counts(client: redis.Redis, line: Line) -> None:
    worker = Worker(client, LineLimits(tpm=10_000_000))
    for _ in range(60):
        worker.give(worker.take(line), used=Cost(prompt=50, completion=5))
    assert worker.take(line).booked == pytest.approx(150, abs=2)


def test_an_item_waits_a_bounded_time_in_all_its_calls(client, line, slept):
    waits: list[tuple[str, float]] = []
    limiter = RateLimiter(client, {"model": LineLimits(rpm=60)}, 0.25)
    permits = ItemPermits(limiter, Breakers(client), lambda *wait: waits.append(wait), bulk=True, patience=3)
    with pytest.raises(Deferred):
        _take_many(permits, line)
    assert waits[-1][0] == "requests"
    assert 0 < sum(slept) <= 3.1


def _take_many(permits: ItemPermits, line: Line) -> None:
    for _ in range(10):
        permits.take(line, COST)
