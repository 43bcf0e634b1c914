"""Requests of several threads are done in groups, each once."""

import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count, cycle
from types import SimpleNamespace

import pytest

from workers.adapters.groups import _LOOKED_BACK, Groups

THREADS, EACH = 16, 300


@pytest.fixture
def hasty() -> Iterator[None]:
    """Threads that are interrupted anywhere."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("patience", [0.0, 0.01])
def test_each_request_is_done_once_however_threads_meet(patience: float) -> None:
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

    groups = Groups[int, int](do_all, do_one, lambda _group, _other: True, 2, patience)
    with ThreadPoolExecutor(THREADS) as threads:
        replies = list(threads.map(groups.do, range(THREADS * EACH)))
    assert replies == [-number for number in range(THREADS * EACH)]
    assert done == dict.fromkeys(range(THREADS * EACH), 1)
    assert groups.waiting == 0
    assert 1 <= most <= 2
    assert groups.do(-1) == 1
    assert done[-1] == 1


def test_one_of_many_waits_for_those_that_follow_it(monkeypatch: pytest.MonkeyPatch) -> None:
    groups, together = _noted(monkeypatch, gap=1.0)
    for number in range(_LOOKED_BACK - 1):
        groups.do(number)
    assert together == []
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(groups.do, range(8))) == [0] * 8
    assert [sorted(requests) for requests in together] == [list(range(8))]


@pytest.mark.parametrize(("gap", "threads"), [(40.0, 100), (1.0, 8)], ids=["seldom", "of a few threads"])
def test_one_that_others_will_not_follow_does_not_wait(
    monkeypatch: pytest.MonkeyPatch, gap: float, threads: int
) -> None:
    groups, together = _noted(monkeypatch, gap, threads)
    started = time.perf_counter()
    for number in range(2 * _LOOKED_BACK):
        groups.do(number)
    assert time.perf_counter() - started < 8  # as long as the first of them would wait for others
    assert together == []


def _noted(
    monkeypatch: pytest.MonkeyPatch, gap: float, threads: int = 100
) -> tuple[Groups[int, int], list[Sequence[int]]]:
    """Return groups whose requests come so many seconds after one another, and what is done together."""
    clock, callers, together = count(step=gap), cycle(range(threads)), list[Sequence[int]]()
    monkeypatch.setattr("workers.adapters.groups.time", SimpleNamespace(monotonic=lambda: next(clock)))
    monkeypatch.setattr("workers.adapters.groups.get_ident", lambda: next(callers))

    def do_all(requests: Sequence[int]) -> list[int]:
        together.append(requests)
        return [0] * len(requests)

    return Groups[int, int](do_all, lambda _request: 0, lambda *_: True, 2, 60.0), together
