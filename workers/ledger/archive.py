"""Exports the ledger (jobs, batches, pauses, sessions, API keys), and imports it into an empty Redis.

Queues are not exported: they contain only messages, and the watchdog sends messages of due items again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import cast

import orjson
import redis

from hopline.models.base import Frozen
from hopline.models.jobs import JobState
from workers.adapters.redis.client import open_redis
from workers.core.redis_keys import ACTIVE, WATCHDOG, job_key
from workers.ledger.pauses import Pauses, root_of

KEPT = ("hop:", "redbeat")  # the ledger's, and the schedules'
_PASSING = ("hop:workers:", "hop:turns", "hop:fair:", WATCHDOG)  # of processes that run now, and messages
_PAGE = 500  # keys
_READS_ONLY = ("query", "webhook")  # kinds of job that change neither graph nor vectors


class Entry(Frozen):
    """A key and its value as serialised by Redis."""

    key: bytes
    value: bytes
    expires: int  # milliseconds since the epoch; 0 never


class Busy(Frozen):
    """A job that may write during a backup."""

    job_id: str
    kind: str


def is_kept(key: bytes) -> bool:
    """Return whether a key of Redis belongs in a backup."""
    name = key.decode(errors="replace")
    return name.startswith(KEPT) and not name.startswith(_PASSING)


class LedgerArchive:
    """Exports and imports the ledger's keys.

    Args:
        url: address of its Redis; a restore needs a server at least as new as the backup's.
    """

    def __init__(self, url: str) -> None:
        self._client = open_redis(url)

    def close(self) -> None:
        """Close all connections."""
        self._client.close()

    def entries(self) -> Iterator[Entry]:
        """Yield every key; those that disappear in the meantime are left out."""
        for prefix in KEPT:
            matches = self._client.scan_iter(match=f"{prefix}*", count=_PAGE)
            kept = (key for key in matches if is_kept(key))
            while keys := list(islice(kept, _PAGE)):
                yield from self._dumped(keys)

    def _dumped(self, keys: list[bytes]) -> Iterator[Entry]:
        pipeline = self._client.pipeline(transaction=True)
        pipeline.time()
        for key in keys:
            pipeline.dump(key)
            pipeline.pttl(key)
        (seconds, micros), *replies = pipeline.execute()
        now = 1000 * seconds + micros // 1000
        for key, value, left in zip(keys, replies[::2], replies[1::2], strict=True):
            if value is not None:
                yield Entry(key=key, value=value, expires=now + left if left > 0 else 0)

    def is_empty(self) -> bool:
        """Return whether no job was ever submitted."""
        return not self._client.exists(ACTIVE, "hop:recent", "hop:batches", "hop:api-keys")

    def put(self, entries: Iterable[Entry]) -> None:
        """Write keys, except those that have expired in the meantime."""
        pipeline = self._client.pipeline(transaction=False)
        for entry in entries:
            pipeline.restore(entry.key, entry.expires, entry.value, replace=True, absttl=bool(entry.expires))
        pipeline.execute()


def busy_jobs(client: redis.Redis, pauses: Pauses) -> list[Busy]:
    """Return the jobs that write, or may start to: running and not paused, or paused with items in progress.

    Args:
        client: client of the ledger's Redis, with `decode_responses`.
        pauses: pauses of jobs.
    """
    paused = pauses.all()
    jobs = []
    for job_id in cast("list[str]", client.zrange(ACTIVE, 0, -1)):
        spec, state = cast("list[str | None]", client.hmget(job_key(job_id, "job"), "spec", "state"))
        kind = orjson.loads(spec)["kind"] if spec else ""
        if not kind or kind in _READS_ONLY or state != JobState.RUNNING:
            continue
        if root_of(job_id) not in paused or _held(client, job_id):
            jobs.append(Busy(job_id=job_id, kind=kind))
    return jobs


def _held(client: redis.Redis, job_id: str) -> bool:
    """Return whether an item of the job is leased: `token expiry`, in milliseconds."""
    seconds, micros = client.time()
    now = 1000 * seconds + micros // 1000
    leases = cast("list[str]", client.hvals(job_key(job_id, "lease")))
    return any(int(lease.rpartition(" ")[2]) > now for lease in leases)
