"""Lists jobs in pages, newest first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

import redis

from workers.core.ids import parent_of_job
from workers.core.jobs.work import JobState
from workers.ledger.job_lists.errors import errors_of
from workers.ledger.keys import ACTIVE, recent_key
from workers.ledger.records import JobRecord, Wanted

_PAGE = 100  # jobs looked at in one round trip
_MOST_ACTIVE = 5000  # of which those are found that are among the newest no more
OF_THE_SERVICE = frozenset({"webhook", "provider_cancel"})  # kinds of jobs that nobody submits


class JobPages:
    """Lists jobs: the newest ones, and after them those that run for so long that they are none of these.

    Args:
        client: a Redis client with `decode_responses`.
        read: returns the records of some jobs without their outcomes; those that are gone are left out.
    """

    def __init__(self, client: redis.Redis, read: Callable[[Sequence[str]], list[JobRecord]]) -> None:
        self._client = client
        self._read = read

    def page(self, wanted: Wanted, before: str, limit: int) -> tuple[list[JobRecord], str]:
        """Return a page, and the cursor of the next; see `LedgerQueries.page`."""
        found, at = list[JobRecord](), before
        while page := self._ids_before(wanted, at) or self._longest_before(wanted, at):
            fitting = {record.job.id: record for record in self._fitting(wanted, [name for name, _ in page])}
            for name, behind in page:
                at = behind
                if name in fitting:
                    found.append(fitting[name])
                if len(found) == limit:
                    return found, at
        return found, ""

    def _fitting(self, wanted: Wanted, job_ids: Sequence[str]) -> list[JobRecord]:
        """Return those of some jobs that are wanted."""
        records = [record for record in self._read(job_ids) if wanted.fits(record)]
        if wanted.error is None:
            return records
        errors = errors_of(self._client, records)
        text = wanted.error.casefold()
        return [record for record in records if text in errors.get(record.job.id, "").casefold()]

    def _ids_before(self, wanted: Wanted, cursor: str) -> list[tuple[str, str]]:
        """Return (id, cursor behind it) of the newest jobs; those of one moment go by their ids."""
        newest = recent_key(wanted.caller)
        oldest = "-inf" if wanted.since is None else wanted.since
        score, _, last = cursor.partition(":")
        latest = "+inf" if wanted.until is None else wanted.until
        top = float(score) if score else latest
        most = _PAGE + (self._client.zcount(newest, top, top) if score else 0)
        found = cast(
            "list[tuple[str, float]]",
            self._client.zrange(
                newest, top, oldest, desc=True, byscore=True, offset=0, num=most, withscores=True
            ),
        )
        behind = [(name, f"{at!r}:{name}") for name, at in found if not score or (at, name) < (top, last)]
        return behind[:_PAGE]

    def _longest_before(self, wanted: Wanted, cursor: str) -> list[tuple[str, str]]:
        """Return the same of jobs that run and are among the newest no more: all of these are younger."""
        if wanted.state not in (None, JobState.RUNNING):
            return []
        active = cast("list[str]", self._client.zrange(ACTIVE, 0, _MOST_ACTIVE - 1))
        users = [name for name in active if parent_of_job(name) is None]
        listed = self._client.zmscore(recent_key(wanted.caller), users) if users else []
        left = [name for name, score in zip(users, listed, strict=True) if score is None]
        score, _, last = cursor.partition(":")
        before = (float(score), last) if score else (float("inf"), "")
        ages = [
            (record.created, record.job.id)
            for record in self._read(left)
            if record.job.kind not in OF_THE_SERVICE and wanted.caller in ("", record.job.caller)
        ]
        older = sorted((age for age in ages if age < before), reverse=True)
        return [(name, f"{created!r}:{name}") for created, name in older[:_PAGE]]
