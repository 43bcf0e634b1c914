"""Waits for a job's end and follows its events without holding a thread."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import TYPE_CHECKING, Any, cast

from hopline.errors import NotFound
from hopline.models.jobs import JobState
from workers.core.jobs.work import Event
from workers.core.redis_keys import job_key
from workers.ledger.queries import entries_of

if TYPE_CHECKING:
    from redis.asyncio import Redis

_BLOCK_SECONDS = 1.0  # of one read; an end that came another way is seen after it
_BATCH = 500
ENDED = "job.ended"
Entry = tuple[str, Event]  # stream id, event


async def wait_for_end(
    client: Redis, job_id: str, seconds: float, is_over: Callable[[], Awaitable[bool]]
) -> bool:
    """Wait until a job has ended, up to a time limit; return whether it has.

    Args:
        client: Redis client of the ledger.
        job_id: the job.
        seconds: time limit.
        is_over: asked about once a second whether the caller no longer waits.

    Raises:
        NotFound: the job is unknown, or has expired.
    """
    deadline = time.monotonic() + seconds
    newest = cast("Any", await client.xrevrange(job_key(job_id, "events"), count=1))
    after = newest[0][0] if newest else "0"
    ended = await has_ended(client, job_id)
    while not ended:
        left = deadline - time.monotonic()
        if left <= 0 or await is_over():
            return False
        entries = await read_events(client, job_id, after, min(left, _BLOCK_SECONDS))
        after = entries[-1][0] if entries else after
        if not entries or any(event.name == ENDED for _, event in entries):
            ended = await has_ended(client, job_id)
    return True


async def has_ended(client: Redis, job_id: str) -> bool:
    """Return whether a job has ended.

    Raises:
        NotFound: the job is unknown, or has expired.
    """
    state = cast("str | None", await cast("Any", client.hget(job_key(job_id, "job"), "state")))
    if state is None:
        raise NotFound(f"no job {job_id}: it never existed, or its record has expired")
    return JobState(state) is not JobState.RUNNING


async def read_events(client: Redis, job_id: str, after: str, block: float | None) -> list[Entry]:
    """Return events after a stream id, oldest first, waiting up to a time limit for the first."""
    wait = None if block is None else max(1, round(block * 1000))
    reply = await client.xread({job_key(job_id, "events"): after}, count=_BATCH, block=wait)
    return entries_of(cast("Any", reply))


async def missed(client: Redis, job_id: str, after: str) -> bool:
    """Return whether the stream's cap has dropped events that the reader has not read yet."""
    key = job_key(job_id, "events")
    if after == "0":
        first = cast("Any", await client.xrange(key, count=1))
        return bool(first) and first[0][1].get("name") != "job.submitted"
    return not await client.xrange(key, after, after, count=1)


async def so_far(client: Redis, job_id: str, after: str) -> AsyncGenerator[list[Entry] | None]:
    """Yield the events that a job has now; None first, if the cap has dropped some."""
    while entries := await read_events(client, job_id, after, None):
        if await missed(client, job_id, after):
            yield None
        yield entries
        after = entries[-1][0]


async def follow(
    client: Redis, job_id: str, after: str, seconds: float
) -> AsyncGenerator[list[Entry] | None]:
    """Yield a job's events as they arrive; None first, if the cap has dropped some.

    An end counts only if nothing follows it, because the stream of a retried job contains an older end.

    Args:
        client: Redis client of the ledger.
        job_id: the job.
        after: the stream id of the last event read.
        seconds: time limit, checked only between two reads.

    Raises:
        NotFound: the job is unknown, or has expired.
    """
    draining, deadline = False, time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
        block = None if draining else min(left, _BLOCK_SECONDS)
        entries = await read_events(client, job_id, after, block)
        if entries:
            # What is still kept after the read was not lost before it.
            if await missed(client, job_id, after):
                yield None
            yield entries
            after = entries[-1][0]
        elif await has_ended(client, job_id):
            return
        draining = any(event.name == ENDED for _, event in entries)
