"""Requests that come at the same time are done together, and none fails for another."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain

import pytest

from workers.adapters.groups import Groups
from workers.core.errors import Transient

SECONDS = 10


class Server:
    """Does numbers, the first only once it is told to; refuses what a test names."""

    def __init__(self, most: int = 1, size: int = 100) -> None:
        self.groups = Groups(self.do_all, self.do_one, lambda group, _one: len(group) < size, most)
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


def test_nothing_is_left_waiting_when_all_are_done() -> None:
    server = Server(most=2, size=3)
    server.open.set()
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(server.groups.do, range(400)))
    assert sorted(chain.from_iterable(server.done)) == list(range(400))
    assert server.groups.waiting == 0
