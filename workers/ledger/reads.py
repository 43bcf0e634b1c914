"""Records what a job's items have read, so that no node or chunk is read twice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import redis

from workers.core.errors import Conflict
from workers.core.jobs.work import Job
from workers.ledger.keys import job_key
from workers.ledger.scripts import Scripts

_MOST = 500  # names that one script handles


class JobReads:
    """`core.graph.paths.Reads` of one job.

    Args:
        client: the ledger's Redis.
        scripts: the ledger's scripts.
        job: whose reads these are.
    """

    def __init__(self, client: redis.Redis, scripts: Scripts, job: Job) -> None:
        self._client = client
        self._scripts = scripts
        self._job = job

    def take(self, reader: str, names: Sequence[str], most: int | None = None) -> list[str]:
        """Return those of the names that only this reader reads, at most so many; the first 500 are tried.

        Raises:
            Conflict: the job has ended.
        """
        tried = list(dict.fromkeys(names))[:_MOST]
        if not tried:
            return []
        limit = len(tried) if most is None else most
        reply = self._scripts.call("take_reads", self._job.id, self._job.epoch, reader, limit, *tried)
        if reply[0] == "gone":
            raise Conflict(f"job {self._job.id} has ended")
        return cast("list[str]", reply[1])

    def by_others(self, reader: str, names: Sequence[str]) -> set[str]:
        """Return those of the names that another reader has taken."""
        if not names:
            return set()
        readers = cast("list[str | None]", self._client.hmget(job_key(self._job.id, "reads"), list(names)))
        return {name for name, holder in zip(names, readers, strict=True) if holder not in {None, reader}}
