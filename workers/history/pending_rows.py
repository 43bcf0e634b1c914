"""The rows of history that wait in Redis to be written."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import cast

import redis
from redis.commands.core import Script

from workers.adapters.redis.lua import lua_source
from workers.core.jobs.history import HistoryRow
from workers.ledger.keys import HISTORY, HISTORY_LAST, HISTORY_SEALED

MOST_WAITING = 100_000  # rows; about as many bytes of Redis as a thousand each
_PAGE = 500


class PendingRows:
    """What `hand_over` brought: rows that wait, and rows that were sealed and are being written.

    Args:
        client: a Redis client with `decode_responses`.
    """

    def __init__(self, client: redis.Redis) -> None:
        self._client = client

    @cached_property
    def _seal(self) -> Script:
        return self._client.register_script(lua_source("workers.history", "seal"))

    def seal(self, rows: int, seconds: float, above: int) -> int | None:
        """Seal the rows that wait; return their number, above all numbers before it.

        Args:
            rows: not where fewer wait.
            seconds: but all the same so long after the last time.
            above: the highest number that was written.
        """
        keys = [HISTORY, HISTORY_LAST, HISTORY_SEALED]
        number = self._seal(keys=keys, args=[rows, round(seconds * 1000), above])
        return int(number) if number else None

    def sealed(self) -> list[int]:
        """Return the numbers of sealed rows that are not known to be written, in order."""
        return [int(number) for number in cast("list[str]", self._client.zrange(HISTORY_SEALED, 0, -1))]

    def rows(self, number: int) -> Iterator[HistoryRow]:
        """Yield sealed rows."""
        for _, row in self._client.hscan_iter(_key(number), count=_PAGE):
            yield HistoryRow.read_stored(row)

    def written(self, number: int) -> None:
        """Forget sealed rows, which are written."""
        pipeline = self._client.pipeline(transaction=True)
        pipeline.zrem(HISTORY_SEALED, number)
        pipeline.unlink(_key(number))
        pipeline.execute()

    def all(self) -> list[HistoryRow]:
        """Return all rows, each end of a job once; some may be written already."""
        waiting = dict(self._client.hscan_iter(HISTORY, count=_PAGE))
        for number in self.sealed():  # after what waits, which may become sealed meanwhile
            waiting |= dict(self._client.hscan_iter(_key(number), count=_PAGE))
        return [HistoryRow.read_stored(row) for row in waiting.values()]


def _key(number: int) -> str:
    return f"{HISTORY_SEALED}:{number}"
