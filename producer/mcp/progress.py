"""Follows a job for an assistant: sends progress, and cancels the job if the assistant disconnects."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Protocol

from anyio import CancelScope, fail_after, get_cancelled_exc_class

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hopline.models.events import Told
    from producer.mcp.offer import Call


class Progress(Protocol):
    """The progress computed from events."""

    def add(self, event: Told) -> str | None:
        """Process an event; return a line if it is worth one."""


async def follow(call: Call, job_id: str, progress: Progress, patience: float | None) -> None:
    """Send a job's id, then its progress until it has ended.

    Args:
        call: the tool call.
        job_id: id of the job.
        progress: computes the progress from its events.
        patience: seconds; None waits without limit.

    Raises:
        TimeoutError: it still runs after that time; it continues.
    """
    await call.report(f"job {job_id}")  # so that it can be looked at, and ended
    try:
        with fail_after(patience):
            async for event in call.client.jobs.events(job_id):
                if line := progress.add(event):
                    await call.report(line)
    except TimeoutError:
        raise TimeoutError(f"job {job_id} has not ended within {patience:g} s; it continues") from None


@asynccontextmanager
async def ending(call: Call, job_ids: Sequence[str]) -> AsyncIterator[None]:
    """If the call is cancelled, end the jobs listed by then, because nobody would read their results."""
    try:
        yield
    except get_cancelled_exc_class():
        with CancelScope(shield=True):
            for job_id in job_ids:
                await call.client.jobs.cancel(job_id)
        raise
