"""Groups what the tasks of an event loop ask for at the same time, so that a server is asked once.

`workers.adapters.groups` does so for threads. There a group that fails is done again one by one, as graph and
vectors may be written twice; here it fails for all in it, as a job is submitted once.
"""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

Call = TypeVar("Call")
Reply = TypeVar("Reply")


class Groups(Generic[Call, Reply]):
    """Does the calls of an event loop's tasks in groups; nobody waits for a group to fill.

    What comes while as many groups as may be are under way waits, and then goes in one. So no call is
    answered by what was read before it came.

    Args:
        do_all: returns the reply to each call, in their order; an exception in place of one is raised to its
            caller, and one that is raised to all.
        most: groups under way at most.
        size: calls of a group at most.
    """

    def __init__(
        self,
        do_all: Callable[[Sequence[Call]], Awaitable[Sequence[Reply | Exception]]],
        *,
        most: int = 1,
        size: int = 100,
    ) -> None:
        self._do_all = do_all
        self._most = most
        self._size = size
        self._waiting: list[tuple[Call, asyncio.Future[Reply]]] = []
        self._tasks: set[asyncio.Task[None]] = set()  # the event loop holds them weakly
        self._under_way = 0

    async def do(self, call: Call) -> Reply:
        """Do a call, with others or alone. It is done also where its caller leaves before the reply."""
        reply: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._waiting.append((call, reply))
        if self._under_way < self._most:
            self._under_way += 1
            # In a context of its own, as it is nobody's alone.
            task = asyncio.create_task(self._work_off(), context=contextvars.Context())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return await reply

    async def _work_off(self) -> None:
        """Do one group after the other until nothing waits."""
        try:
            while self._waiting:
                group, self._waiting = self._waiting[: self._size], self._waiting[self._size :]
                await self._do_group(group)
        finally:
            self._under_way -= 1  # at once, so that who comes next knows

    async def _do_group(self, group: Sequence[tuple[Call, asyncio.Future[Reply]]]) -> None:
        replies: Sequence[Reply | Exception]
        try:
            replies = await self._do_all([call for call, _ in group])
        except Exception as error:  # noqa: BLE001 - raised to all who wait
            replies = [error] * len(group)
        except BaseException:
            for _, reply in group:
                reply.cancel()
            raise
        for (_, reply), outcome in zip(group, replies, strict=True):
            if reply.done():
                continue  # its caller has left
            if isinstance(outcome, Exception):
                reply.set_exception(outcome)
            else:
                reply.set_result(outcome)
