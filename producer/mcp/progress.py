"""Follows a job for an assistant: sends progress, and cancels the job if the assistant disconnects."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Protocol

from anyio import CancelScope, get_cancelled_exc_class

if TYPE_CHECKING:
    from collections.abc import Sequence

    from producer.mcp.offer import Call
    from workers.core.jobs.work import Event


class Progress(Protocol):
    """What events add up to."""

    def add(self, event: Event) -> str | None:
        """Take one event in; return a line where it is worth one."""


async def follow(call: Call, job_id: str, progress: Progress, timeout: float | None) -> None:  # noqa: ASYNC109 - of the watch
    """Tell a job's id, and its progress until it has ended.

    Raises:
        TimeoutError: it still runs after so many seconds; it goes on.
    """
    await call.report(f"job {job_id}")  # so that it can be looked at, and ended
    watch = await call.do(call.client.follow, job_id, timeout=timeout)
    while not watch.ended:
        for event in await call.do(watch.poll):
            if line := progress.add(event):
                await call.report(line)


@asynccontextmanager
async def ending(call: Call, job_ids: Sequence[str]) -> AsyncIterator[None]:
    """End the jobs listed by then where the call is cancelled: nobody would ask for what they bring."""
    try:
        yield
    except get_cancelled_exc_class():
        with CancelScope(shield=True):
            for job_id in job_ids:
                await call.do(call.client.cancel, job_id)
        raise
