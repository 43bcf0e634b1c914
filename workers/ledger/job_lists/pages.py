"""Lists jobs in pages, newest first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

import redis

from workers.ledger.keys import recent_key
from workers.ledger.records import JobRecord, Wanted

_PAGE = 100  # jobs looked at in one round trip


class JobPages:
    """Lists jobs.

    Args:
        client: a Redis client with `decode_responses`.
        read: returns the records of some jobs without their outcomes; those that are gone are left out.
    """

    def __init__(self, client: redis.Redis, read: Callable[[Sequence[str]], list[JobRecord]]) -> None:
        self._client = client
        self._read = read

    def page(self, wanted: Wanted, before: str, limit: int) -> tuple[list[JobRecord], str]:
        """Return a page, and the cursor of the next; see `LedgerQueries.page`."""
        newest, found, at = recent_key(wanted.caller), cast("list[JobRecord]", []), before
        while len(found) < limit:
            page = self._ids_before(newest, at, wanted.since)
            if not page:
                return found, ""
            records = {record.job.id: record for record in self._read([name for name, _ in page])}
            for name, behind in page:
                at = behind
                record = records.get(name)
                if record is not None and wanted.fits(record):
                    found.append(record)
                if len(found) == limit:
                    break
        return found, at

    def _ids_before(self, newest: str, cursor: str, since: float | None) -> list[tuple[str, str]]:
        """Return (id, cursor behind it) of jobs, newest first; those of one moment go by their ids."""
        oldest = "-inf" if since is None else since
        score, _, last = cursor.partition(":")
        top = float(score) if score else "+inf"
        most = _PAGE + (self._client.zcount(newest, top, top) if score else 0)
        found = cast(
            "list[tuple[str, float]]",
            self._client.zrange(
                newest, top, oldest, desc=True, byscore=True, offset=0, num=most, withscores=True
            ),
        )
        behind = [(name, f"{at!r}:{name}") for name, at in found if not score or (at, name) < (top, last)]
        return behind[:_PAGE]
