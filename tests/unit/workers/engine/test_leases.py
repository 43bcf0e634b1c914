"""What runs beside the items of a worker: renewed leases, looks of the watchdog, threads."""

import sys
import threading
from collections.abc import Callable, Sequence
from threading import Event
from typing import cast

import pytest
import redis
from doubles.broker import Broker
from doubles.memory_redis import memory_redis, services_over

from workers.core.jobs.records import Claim, Look
from workers.core.jobs.work import Item, Job, Phase
from workers.engine.composition import ItemThreads
from workers.engine.leases import Leases
from workers.engine.runner import Runner
from workers.engine.watchdog import Watchdog
from workers.ledger.ledger import Ledger
from workers.telemetry.metrics import Counts, read_counts


class Renewals:
    """A ledger that renews every lease it is asked for, and notes whose; it may be away once."""

    def __init__(self, *, is_away: bool = False) -> None:
        self.items: list[str] = []
        self.is_away = is_away

    def renew(self, claims: Sequence[Claim]) -> list[bool | None]:
        if self.is_away:
            self.is_away = False
            raise redis.ConnectionError
        self.items += [claim.item_id for claim in claims]
        return [True] * len(claims)


class Pauses(Event):
    """Waits for no time, notes for how long it was to, and is set after some rounds."""

    def __init__(self, rounds: int) -> None:
        super().__init__()
        self.rounds = rounds
        self.seconds: list[float | None] = []

    def wait(self, timeout: float | None = None) -> bool:
        self.seconds.append(timeout)
        return len(self.seconds) > self.rounds


def leases(ledger: Renewals, seconds: float, **more: Callable[[], None] | Event) -> Leases:
    return Leases(cast("Ledger", ledger), seconds, **more)  # type: ignore[arg-type]


def claim(item: str) -> Claim:
    return Claim(job_id="job", epoch=1, item_id=item, token=item)


def test_a_step_past_its_time_is_not_renewed_and_its_worker_leaves() -> None:
    left: list[bool] = []
    ledger = Renewals()
    running = leases(ledger, 10.0, leave=lambda: left.append(True))
    with running.holding(claim("quick"), 3600.0):
        running.renew_once()
        assert (ledger.items, left) == (["quick"], [])
        with running.holding(claim("stuck"), -1.0):
            running.renew_once()
    assert (ledger.items, left) == (["quick", "quick"], [True])


def test_where_redis_was_away_it_is_asked_again_soon() -> None:
    ledger, pauses = Renewals(is_away=True), Pauses(3)
    running = leases(ledger, 60.0, stopping=pauses)
    running.hold(claim("held"))
    running.renew_until_stopped()
    assert pauses.seconds == [20.0, 1.0, 20.0, 20.0]
    assert ledger.items == ["held", "held"]


def test_a_look_that_ends_a_job_by_giving_its_advance_up_counts_the_lost_lease(monkeypatch):
    services, counts = services_over(memory_redis(), history_days=0), Counts()
    job = Job(id="j1", kind="document", collection="c")
    services.ledger.submit(job, Phase(items=(Item(id="i", step="s"),)))
    looks = iter([[Look(verdict="ended", lost=(("flow.advance", True),))], [Look(verdict="ended")]])
    monkeypatch.setattr(services.ledger, "look", lambda *_args: next(looks))
    monkeypatch.setattr("workers.telemetry.counters.COUNTS", counts)
    watchdog = Watchdog(Runner(services, Broker()).driver, 0.1)
    for _ in range(2):
        watchdog.look_once()
    counts.flush(services.redis)
    totals = {number.name: value for number, value in read_counts(services.redis).items()}
    assert totals == {"hopline_leases_lost": 1, "hopline_dead_letters": 1}


SECONDS = 300  # of a test that hangs


def test_the_most_urgent_goes_first_and_then_what_came_first() -> None:
    threads, may_go, order = ItemThreads[None](1), threading.Event(), list[str]()
    first = threads.submit(6, lambda: may_go.wait(SECONDS) and None)
    waiting = [(6, "normal"), (9, "low"), (6, "normal, later"), (1, "high")]
    results = [threads.submit(urgency, lambda name=name: order.append(name)) for urgency, name in waiting]
    may_go.set()
    for result in (first, *results):
        result.result(SECONDS)
    assert order == ["high", "normal", "normal, later", "low"]


def test_there_are_as_many_threads_as_are_needed_and_no_more_than_are_allowed() -> None:
    threads, together = ItemThreads[None](3), threading.Barrier(4)
    results = [threads.submit(0, lambda: together.wait(SECONDS) and None) for _ in range(3)]
    assert not any(result.done() for result in results)
    together.wait(SECONDS)
    for result in results:
        result.result(SECONDS)


def test_what_a_call_raises_is_raised_to_who_waits_for_it_and_its_thread_serves_on() -> None:
    threads = ItemThreads[None](1)
    with pytest.raises(ZeroDivisionError):
        threads.submit(0, lambda: 1 // 0 and None).result(SECONDS)
    with pytest.raises(SystemExit):
        threads.submit(0, sys.exit).result(SECONDS)
    assert threads.submit(0, lambda: None).result(SECONDS) is None
