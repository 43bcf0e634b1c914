"""Requests of several threads are done in groups, each once, and none fails for another."""

import sys
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, count, cycle

import pytest

from hopline.errors import Transient
from workers.adapters.groups import LOOKED_BACK, Groups

THREADS, EACH = 16, 100
SECONDS = 300  # of a test that hangs


class Server:
    """Does numbers, the first only once it is told to; refuses what a test names."""

    def __init__(self, size: int = 100) -> None:
        self.groups = Groups(self.do_all, self.do_one, lambda group, _one: len(group) < size, 1)
        self.open, self.entered = threading.Event(), threading.Event()
        self.done: list[list[int]] = []
        self.refused: set[int] = set()
        self.error: Exception | None = Transient("refused")

    def do_all(self, numbers: Sequence[int]) -> list[bool | None]:
        if self.refused & set(numbers):
            if self.error:
                raise self.error
            return [None for _ in numbers]
        self.done.append(sorted(numbers))
        return [True for _ in numbers]

    def do_one(self, number: int) -> bool:
        self.entered.set()
        assert self.open.wait(SECONDS)
        if number in self.refused:
            raise Transient(f"{number} is refused")
        self.done.append([number])
        return True

    def play(self, numbers: int) -> list[BaseException | None]:
        """Let the first begin, and others come meanwhile; return what each raised."""
        with ThreadPoolExecutor(numbers) as pool:
            first = pool.submit(self.groups.do, 0)
            assert self.entered.wait(SECONDS)
            others = [pool.submit(self.groups.do, number) for number in range(1, numbers)]
            while self.groups.waiting < numbers - 1:
                threading.Event().wait(0.005)
            self.open.set()
            return [result.exception(SECONDS) for result in (first, *others)]


def test_what_comes_meanwhile_goes_together() -> None:
    server = Server()
    assert server.play(6) == [None] * 6
    assert server.done == [[0], [1, 2, 3, 4, 5]]


def test_what_does_not_fit_goes_with_the_next() -> None:
    server = Server(size=2)
    assert server.play(6) == [None] * 6
    assert sorted(map(len, server.done)) == [1, 1, 2, 2]
    assert sorted(chain.from_iterable(server.done)) == list(range(6))


@pytest.mark.parametrize("error", [Transient("refused"), None, ValueError("a mistake")])
def test_a_group_that_fails_is_done_one_by_one(error: Exception | None) -> None:
    server = Server()
    server.refused, server.error = {3}, error
    failures = server.play(6)
    assert isinstance(failures[3], Transient)
    assert failures == [None, None, None, failures[3], None, None]


@pytest.fixture
def hasty() -> Iterator[None]:
    """Threads that are interrupted anywhere."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize(("patience", "size"), [(0.0, 3), (0.01, 100)])
def test_each_request_is_done_once_however_threads_meet(patience: float, size: int) -> None:
    lock, done, under_way, most = threading.Lock(), Counter[int](), 0, 0

    def do_all(requests: Sequence[int]) -> list[int]:
        nonlocal under_way, most
        with lock:
            under_way += 1
            most = max(most, under_way)
        with lock:
            done.update(requests)
            under_way -= 1
        return [-request for request in requests]

    def do_one(request: int) -> int:
        return do_all([request])[0]

    groups = Groups[int, int](do_all, do_one, lambda group, _other: len(group) < size, 2, patience)
    with ThreadPoolExecutor(THREADS) as threads:
        replies = list(threads.map(groups.do, range(THREADS * EACH)))
    assert replies == [-number for number in range(THREADS * EACH)]
    assert done == dict.fromkeys(range(THREADS * EACH), 1)
    assert groups.waiting == 0
    assert 1 <= most <= 2
    assert groups.do(-1) == 1
    assert done[-1] == 1


def at_pace(gap: float, threads: int = 100) -> tuple[Groups[int, int], list[Sequence[int]]]:
    """Return groups whose requests come so many seconds after one another, and what is done together.

    Their patience is that of a test that hangs: who waits for others in vain does so for hours.
    """
    clock, callers, together = count(step=gap), cycle(range(threads)), list[Sequence[int]]()

    def do_all(requests: Sequence[int]) -> list[int]:
        together.append(requests)
        return [0] * len(requests)

    groups = Groups[int, int](
        do_all,
        lambda _request: 0,
        lambda *_: True,
        2,
        patience=60_000.0,
        clock=lambda: next(clock),
        caller=lambda: next(callers),
    )
    return groups, together


def test_one_of_many_waits_for_those_that_follow_it() -> None:
    groups, together = at_pace(gap=1000.0)
    for number in range(LOOKED_BACK - 1):
        groups.do(number)
    assert together == []
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(groups.do, range(8))) == [0] * 8
    assert [sorted(requests) for requests in together] == [list(range(8))]


@pytest.mark.parametrize(
    ("gap", "threads"), [(40_000.0, 100), (1000.0, 8)], ids=["seldom", "of a few threads"]
)
def test_one_that_others_will_not_follow_does_not_wait(gap: float, threads: int) -> None:
    groups, together = at_pace(gap, threads)
    for number in range(2 * LOOKED_BACK):
        groups.do(number)
    assert together == []
