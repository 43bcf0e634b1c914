"""Wait for a job's end, and follow its events, without holding a thread."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Any, cast

from workers.core.errors import Gone
from workers.core.work import Event, JobState
from workers.ledger.keys import job_key
from workers.ledger.reader import entries_of

if TYPE_CHECKING:
    from redis.asyncio import Redis

_BLOCK_SECONDS = 2.0  # of one read; an end that came another way is seen after it
_BATCH = 500
ENDED = "job.ended"
Entry = tuple[str, Event]  # stream id, event


async def wait_for_end(client: Redis, job_id: str, seconds: float) -> bool:
    """Wait until a job has ended, so long at most; return whether it has.

    Raises:
        Gone: the job is unknown, or has expired.
    """
    deadline = time.monotonic() + seconds
    newest = cast("Any", await client.xrevrange(job_key(job_id, "events"), count=1))
    after = newest[0][0] if newest else "0"
    while not await has_ended(client, job_id):
        left = deadline - time.monotonic()
        if left <= 0:
            return False
        entries: list[Entry] = []
        while left > 0 and not any(event.name == ENDED for _, event in entries):
            entries = await read_events(client, job_id, after, min(left, _BLOCK_SECONDS))
            if not entries:
                break
            after, left = entries[-1][0], deadline - time.monotonic()
    return True


async def has_ended(client: Redis, job_id: str) -> bool:
    """Return whether a job has ended.

    Raises:
        Gone: the job is unknown, or has expired.
    """
    state = cast("str | None", await cast("Any", client.hget(job_key(job_id, "job"), "state")))
    if state is None:
        raise Gone(f"no job {job_id}: it never was, or its record has expired")
    return JobState(state) is not JobState.RUNNING


async def read_events(client: Redis, job_id: str, after: str, block: float | None) -> list[Entry]:
    """Return events after a stream id, oldest first; wait so many seconds for one."""
    wait = None if block is None else max(1, round(block * 1000))
    reply = await client.xread({job_key(job_id, "events"): after}, count=_BATCH, block=wait)
    return entries_of(cast("Any", reply))


async def missed(client: Redis, job_id: str, after: str) -> bool:
    """Return whether the stream's cap has passed a reader: the last event that they read is gone."""
    key = job_key(job_id, "events")
    if after == "0":
        first = cast("Any", await client.xrange(key, count=1))
        return bool(first) and first[0][1].get("name") != "job.submitted"
    return not await client.xrange(key, after, after, count=1)


async def follow(client: Redis, job_id: str, after: str) -> AsyncGenerator[list[Entry] | None]:
    """Yield what happens to a job: events as they come; before them None, where some were lost to the cap.

    An end is believed only when nothing follows it: a retried job has an older end in its stream.

    Raises:
        Gone: the job is unknown, or has expired.
    """
    draining = False
    while True:
        entries = await read_events(client, job_id, after, None if draining else _BLOCK_SECONDS)
        if entries:
            # What is still kept after the read was not lost before it.
            if await missed(client, job_id, after):
                yield None
            yield entries
            after = entries[-1][0]
        elif await has_ended(client, job_id):
            return
        draining = any(event.name == ENDED for _, event in entries)
