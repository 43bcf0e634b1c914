"""Turns at a model over a real Redis: what all workers know of one that refuses, and what a turn costs."""

from __future__ import annotations

import itertools
import signal
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
import redis
from doubles.databases import address_of
from doubles.door import own_clock, tell_time
from fleet.crew import wait_until

from workers.core.errors import Deferred
from workers.core.models.permits import Cost, Line, Permit
from workers.limits import in_flight, rate_limiter
from workers.limits.breakers import Breakers
from workers.limits.keys import LINES, REFUSED, line_keys
from workers.limits.model_queues import lines_now
from workers.limits.permits import ItemPermits
from workers.limits.rate_limiter import LineLimits, RateLimiter

pytestmark = pytest.mark.memory_too

COST = Cost(prompt=100, completion=100)
FREE = LineLimits()


@pytest.fixture
def line(client: redis.Redis, request: pytest.FixtureRequest) -> Line:
    client.delete(REFUSED, LINES)
    return Line(endpoint=f"http://{request.node.name}/v1", model="limited", kind="model")


@pytest.fixture
def at_once(client: redis.Redis) -> Iterator[None]:
    """Stop the limiter's clock, so that the whole test happens in one moment."""
    with own_clock():
        tell_time(client, time.time())
        yield


class Worker:
    """A process's limiter, and what its calls waited."""

    def __init__(self, client: redis.Redis, limits: LineLimits, *, used: bool = False) -> None:
        self.limiter = RateLimiter(client, {"model": limits}, 0.25, used=used)
        self.waited: dict[str, float] = defaultdict(float)

    def take(self, line: Line, kind: str = "bulk", patience: float = 5.0, cost: Cost = COST) -> Permit:
        return self.limiter.take(line, cost, kind, patience, self._note)  # type: ignore[arg-type]

    def give(self, permit: Permit, came: str = "done", **more: object) -> None:
        self.limiter.give(permit, "bulk", came, **more)  # type: ignore[arg-type]

    def _note(self, limiter: str, seconds: float) -> None:
        self.waited[limiter] += seconds


def test_where_nothing_is_limited_and_nothing_was_refused_a_turn_asks_redis_once_a_second_at_most(
    client: redis.Redis, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands: list[str] = []
    real = redis.Redis.execute_command
    monkeypatch.setattr(
        redis.Redis,
        "execute_command",
        # Other clients are those of tests before, whose calls in flight are renewed.
        lambda self, *args, **kw: (self is client and commands.append(args[0])) or real(self, *args, **kw),
    )
    worker = Worker(client, FREE)
    began = time.monotonic()
    for _ in range(200):
        worker.give(worker.take(line))
    assert len(commands) <= 1 + (time.monotonic() - began)


def test_an_endpoint_that_asks_to_wait_is_left_alone_by_all_workers_until_then(
    client: redis.Redis, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []
    clock = SimpleNamespace(time=time.time, monotonic=time.monotonic, sleep=slept.append)
    monkeypatch.setattr(rate_limiter, "time", clock)
    first, second = Worker(client, FREE), Worker(client, FREE)
    began = time.monotonic()
    first.give(first.take(line), "busy", retry_after=4.5)
    permit = second.take(line)
    assert time.monotonic() - began + sum(slept) >= 4.45
    assert permit.call
    assert slept == [second.waited["pause"]]


def test_another_model_of_that_endpoint_waits_as_well(client: redis.Redis, line: Line) -> None:
    worker = Worker(client, LineLimits(rpm=6000))
    worker.give(worker.take(line), "busy", retry_after=30.0)
    with pytest.raises(Deferred, match="asked to wait") as caught:
        worker.take(line.model_copy(update={"model": "another"}))
    assert 25 < (caught.value.retry_after or 0) < 35


@pytest.mark.usefixtures("at_once")
def test_items_that_are_sent_back_come_again_one_after_another(client: redis.Redis, line: Line) -> None:
    worker = Worker(client, LineLimits(rpm=60))
    hints = []
    for _ in range(30):
        try:
            worker.take(line, patience=0.0)
        except Deferred as away:
            hints.append(away.retry_after or 0.0)
    assert len(hints) > 20
    steps = [after - before for before, after in itertools.pairwise(hints)]
    assert all(0.5 < step < 2.0 for step in steps)


def test_a_question_that_jumps_ahead_leaves_room_for_the_calls_whose_places_come_after_it(
    client: redis.Redis, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.limits.rate_limiter.time.sleep", lambda _seconds: None)
    worker = Worker(client, LineLimits(rpm=10))
    ahead = [worker.take(line, patience=20.0) for _ in range(3)]
    assert (ahead[-1].second or 0) > (ahead[0].second or 0) + 5
    for _ in range(10 - len(ahead)):
        worker.take(line, "interactive", patience=0.0)
    with pytest.raises(Deferred):
        worker.take(line, "interactive", patience=0.0)


@pytest.mark.usefixtures("at_once")
def test_a_refusal_without_a_time_allows_fewer_calls_and_success_more_again(
    client: redis.Redis, line: Line
) -> None:
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


def test_bulk_calls_leave_a_share_of_the_calls_in_flight_to_questions(
    client: redis.Redis, line: Line
) -> None:
    worker = Worker(client, LineLimits(calls=8))  # a quarter is for questions
    for _ in range(6):
        worker.take(line)
    with pytest.raises(Deferred):
        worker.take(line, patience=0.0)
    for _ in range(2):
        worker.take(line, "interactive")


def test_calls_that_were_sent_before_the_first_refusal_count(client: redis.Redis, line: Line) -> None:
    worker = Worker(client, FREE)
    permits = [worker.take(line) for _ in range(64)]
    worker.give(permits.pop(), "busy")
    (state,) = lines_now(client)
    assert (state.allowed, state.bulk) == (pytest.approx(0.7 * 64), 63)
    for permit in permits:
        worker.give(permit)
    (state,) = lines_now(client)
    assert state.bulk == 0
    assert (state.allowed or 0) > 0.7 * 64


def test_so_do_those_of_other_workers_as_soon_as_they_hear_of_it(
    client: redis.Redis, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rate_limiter, "_LOOK_SECONDS", 0.0)
    first, second = Worker(client, FREE), Worker(client, FREE)
    permits = [(worker, worker.take(line)) for worker in (first, second) for _ in range(32)]
    worker, permit = permits.pop(0)
    worker.give(permit, "busy")
    assert lines_now(client)[0].allowed == pytest.approx(0.7 * 32)
    with pytest.raises(Deferred):
        second.take(line, patience=0.0)
    (state,) = lines_now(client)
    assert (state.allowed, state.bulk) == (pytest.approx(0.7 * 64), 63)
    for worker, permit in permits:
        worker.give(permit)
    assert lines_now(client)[0].bulk == 0


DIES = """
import os, signal, sys, redis
from workers.core.models.permits import Cost, Line
from workers.limits import in_flight, rate_limiter
in_flight.HELD_SECONDS = rate_limiter.HELD_SECONDS = 4.0
made = rate_limiter.RateLimiter(
    redis.Redis.from_url(sys.argv[1], decode_responses=True), {"model": rate_limiter.LineLimits(calls=4)}, 0.0
)
for _ in range(4):
    made.take(Line.model_validate_json(sys.argv[2]), Cost(prompt=1), "bulk", 5, print)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.usefixtures("redis_url")  # which another process uses as well
def test_calls_of_a_worker_that_was_killed_hold_nobody_back_for_their_time_limit(
    client: redis.Redis, line: Line
) -> None:
    command = [sys.executable, "-c", DIES, address_of(client), line.model_dump_json()]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert lines_now(client)[0].bulk == 4
    alive = Worker(client, LineLimits(calls=4))
    assert alive.take(line, patience=30.0).call  # of the 120 s that a call may take


def test_a_call_that_takes_long_counts_for_as_long_as_its_worker_lives(
    client: redis.Redis, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (in_flight, rate_limiter):
        monkeypatch.setattr(module, "HELD_SECONDS", 2.0)
    worker = Worker(client, LineLimits(calls=1))
    permit = worker.take(line, "interactive")
    with pytest.raises(Deferred):
        Worker(client, LineLimits(calls=1)).take(line, "interactive", patience=3.0)
    worker.limiter.give(permit, "interactive", "done")
    assert Worker(client, LineLimits(calls=1)).take(line, "interactive", patience=0.0).call


def test_moments_ahead_that_no_clock_explains_send_nobody_back_for_an_hour(
    client: redis.Redis, line: Line
) -> None:
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


def test_a_call_whose_worker_died_is_forgotten_when_it_could_not_be_under_way_any_more(
    client: redis.Redis, line: Line
) -> None:
    worker = Worker(client, LineLimits(calls=1, timeout=0.1))
    worker.take(line, "interactive")  # and never given back
    assert worker.take(line, "interactive").call


def test_who_gets_no_call_in_its_patience_is_sent_back(client: redis.Redis, line: Line) -> None:
    worker = Worker(client, LineLimits(calls=1))
    worker.take(line, "interactive")
    with pytest.raises(Deferred, match="as many calls as are allowed"):
        worker.take(line, "interactive", patience=0.2)


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


def test_an_item_waits_a_bounded_time_in_all_its_calls(client: redis.Redis, line: Line) -> None:
    waits: list[tuple[str, float]] = []
    limiter = RateLimiter(client, {"model": LineLimits(rpm=60)}, 0.25)
    permits = ItemPermits(
        limiter, Breakers(client), lambda name, seconds: waits.append((name, seconds)), bulk=True
    )
    permits._waited = 19.9
    with pytest.raises(Deferred):
        _take_many(permits, line)
    assert waits[-1][0] == "requests"


def _take_many(permits: ItemPermits, line: Line) -> None:
    for _ in range(10):
        permits.take(line, COST)
