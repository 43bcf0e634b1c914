"""What is read by one thread for all: nobody waits longer than one reading takes."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from hopline.errors import DependencyAway
from workers.adapters.single_flight import SingleFlight

DEADLINE = 300.0  # seconds, of a test that hangs
THREADS = 12


class Source:
    """Counts readings; each waits until it is let go, and fails where that is set."""

    def __init__(self) -> None:
        self.readings = 0
        self.began = threading.Semaphore(0)
        self.go = threading.Semaphore(0)
        self.error: Exception | None = None

    def __call__(self) -> int:
        self.readings += 1
        nth, error = self.readings, self.error
        self.began.release()
        assert self.go.acquire(timeout=DEADLINE)
        if error:
            raise error
        return nth


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def kept(source: Callable[[], int], clock: Clock, life: float = 60.0) -> SingleFlight[int]:
    return SingleFlight(source, lambda _value: life, clock)


def waiting(flight, pool, source, **how):
    """Let a crowd ask; return when a reading has begun."""
    futures = [pool.submit(flight.get, **how) for _ in range(THREADS)]
    assert source.began.acquire(timeout=DEADLINE)
    return futures


def test_a_crowd_shares_one_reading_and_what_became_of_it() -> None:
    source, clock = Source(), Clock()
    flight = kept(source, clock)
    with ThreadPoolExecutor(THREADS) as pool:
        source.error = DependencyAway("too slow")
        futures = waiting(flight, pool, source)
        source.go.release()
        for future in futures:
            with pytest.raises(DependencyAway, match="too slow"):
                future.result(DEADLINE)
        assert source.readings == 1  # whoever came late met the failure that is kept
        clock.now, source.error = 5.0, None
        futures = waiting(flight, pool, source)
        source.go.release()
        assert [future.result(DEADLINE) for future in futures] == [2] * THREADS


def test_what_has_just_grown_old_is_given_while_one_reads_and_what_is_older_is_not() -> None:
    source, clock = Source(), Clock()
    flight = kept(source, clock)
    source.go.release()
    assert flight.get() == 1
    source.began.acquire()
    with ThreadPoolExecutor(2) as pool:
        clock.now = 61.0
        reader = pool.submit(flight.get)
        assert source.began.acquire(timeout=DEADLINE)
        assert flight.get() == 1  # while the other still reads
        clock.now = 121.0
        other = pool.submit(flight.get)
        source.go.release()
        assert (reader.result(DEADLINE), other.result(DEADLINE)) == (2, 2)


def test_a_refreshed_value_was_read_after_it_was_asked_for() -> None:
    source, clock = Source(), Clock()
    flight = kept(source, clock)
    with ThreadPoolExecutor(THREADS + 1) as pool:
        first = pool.submit(flight.get)
        assert source.began.acquire(timeout=DEADLINE)
        clock.now = 1.0
        later = [pool.submit(flight.get, refresh=True) for _ in range(THREADS)]
        source.go.release()
        assert first.result(DEADLINE) == 1
        source.go.release(THREADS)
        assert min(future.result(DEADLINE) for future in later) >= 2


def test_a_refresh_asks_again_after_a_failure_and_a_value_without_a_life_is_read_each_time() -> None:
    source, clock = Source(), Clock()
    flight = kept(source, clock)
    source.error = DependencyAway("away")
    source.go.release(2)
    for _ in range(3):
        with pytest.raises(DependencyAway):
            flight.get()
    assert source.readings == 1
    source.error = None
    assert flight.get(refresh=True) == 2
    assert flight.get() == 2
    source.go.release(2)
    without_life = kept(source, clock, life=0.0)
    assert (without_life.get(), without_life.get()) == (3, 4)
