"""Requests that come at the same time are done together, and each gets its own reply."""

import asyncio
from collections.abc import Sequence
from contextvars import ContextVar

import pytest

from producer.api.groups import Groups

REQUEST: ContextVar[str] = ContextVar("request", default="nobody's")


Played = tuple[list[list[int]], list[int | BaseException]]


class Server:
    """Doubles numbers, a group at a time; each begins when the test says so."""

    def __init__(self) -> None:
        self.groups: list[list[int]] = []
        self.seen: list[str] = []
        self.gates: list[asyncio.Event] = []

    async def double(self, numbers: Sequence[int]) -> list[int | Exception]:
        self.groups.append(list(numbers))
        self.seen.append(REQUEST.get())
        gate = asyncio.Event()
        self.gates.append(gate)
        await gate.wait()
        if 0 in numbers:
            raise OSError("the server is away")
        return [2 * number if number > 0 else ValueError(number) for number in numbers]

    async def opened(self, groups: int) -> None:
        """Let everything end; wait until so many groups have begun."""
        async with asyncio.timeout(120):
            for nth in range(groups):
                while len(self.gates) <= nth:  # noqa: ASYNC110 - the next begins in the same loop's turn
                    await asyncio.sleep(0)
                self.gates[nth].set()


async def _begun(groups: Groups[int, int], *numbers: int) -> list[asyncio.Task[int]]:
    tasks = [asyncio.create_task(groups.do(number)) for number in numbers]
    for _ in range(3):
        await asyncio.sleep(0)
    return tasks


def played(*turns: Sequence[int], groups: int, **bounds: int) -> Played:
    """Return the groups and the replies of numbers that come in turns, while groups are under way."""

    async def play() -> Played:
        server = Server()
        doubled = Groups(server.double, **bounds)
        tasks = [task for turn in turns for task in await _begun(doubled, *turn)]
        await server.opened(groups)
        return server.groups, await asyncio.gather(*tasks, return_exceptions=True)

    return asyncio.run(play())


def test_what_comes_meanwhile_goes_in_the_next_groups_of_a_largest_size() -> None:
    assert played([1], [2, 3], [4], groups=2) == ([[1], [2, 3, 4]], [2, 4, 6, 8])
    groups, _replies = played([1], [2], [3, 4, 5], groups=4, most=2, size=2)
    assert groups == [[1], [2], [3, 4], [5]]


def test_an_error_is_its_callers_alone_and_a_servers_everybodys() -> None:
    _groups, (_first, reply, wrong, other) = played([9], [1, -1, 2], groups=2)
    assert (reply, other) == (2, 4)
    assert isinstance(wrong, ValueError)
    _groups, (_first, *errors) = played([9], [1, 0], groups=2)
    assert [type(error) for error in errors] == [OSError, OSError]


def test_a_caller_that_leaves_takes_no_others_reply() -> None:
    async def play() -> int:
        server = Server()
        groups = Groups(server.double)
        leaving, staying = await _begun(groups, 1, 2)
        leaving.cancel()
        await server.opened(1)
        with pytest.raises(asyncio.CancelledError):
            await leaving
        return await staying

    assert asyncio.run(play()) == 4


def test_one_call_after_the_other_is_answered() -> None:
    """Each begins in the very moment in which the one before it was answered."""

    async def double(numbers: Sequence[int]) -> list[int]:
        return [2 * number for number in numbers]

    async def play() -> list[int]:
        groups = Groups(double)
        async with asyncio.timeout(120):
            return [await groups.do(number) for number in range(20)]

    assert asyncio.run(play()) == [2 * number for number in range(20)]


def test_a_group_belongs_to_no_request() -> None:
    async def play() -> list[str]:
        server = Server()
        REQUEST.set("r1")
        (task,) = await _begun(Groups(server.double), 1)
        await server.opened(1)
        await task
        return server.seen

    assert asyncio.run(play()) == ["nobody's"]
