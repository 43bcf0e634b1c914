"""The rows of history that wait in Redis to be written."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Generic, cast

import redis
from redis.commands.core import Script

from workers.adapters.redis.lua import lua_source
from workers.history.books import Book, RowOf

MOST_WAITING = 100_000  # rows; about as many bytes of Redis as a thousand each
_PAGE = 500


class PendingRows(Generic[RowOf]):
    """Rows of a book that wait, and rows that were sealed and are being written.

    Args:
        client: a Redis client with `decode_responses`.
        book: whose rows.
    """

    def __init__(self, client: redis.Redis, book: Book[RowOf]) -> None:
        self._client = client
        self._book: Book[RowOf] = book

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
        keys = [self._book.waiting, self._book.last, self._book.sealed]
        number = self._seal(keys=keys, args=[rows, round(seconds * 1000), above])
        return int(number) if number else None

    def sealed(self) -> list[int]:
        """Return the numbers of sealed rows that are not known to be written, in order."""
        numbers = cast("list[str]", self._client.zrange(self._book.sealed, 0, -1))
        return [int(number) for number in numbers]

    def rows(self, number: int) -> Iterator[RowOf]:
        """Yield sealed rows."""
        for _, row in self._client.hscan_iter(self._key(number), count=_PAGE):
            yield self._book.row.read_stored(row)

    def written(self, number: int) -> None:
        """Forget sealed rows, which are written."""
        pipeline = self._client.pipeline(transaction=True)
        pipeline.zrem(self._book.sealed, number)
        pipeline.unlink(self._key(number))
        pipeline.execute()

    def all(self) -> list[RowOf]:
        """Return all rows, each once, as it was noted last; some may be written already."""
        waiting = dict(self._client.hscan_iter(self._book.waiting, count=_PAGE))
        sealed: dict[str, str] = {}
        for number in self.sealed():  # after what waits, which may become sealed meanwhile
            sealed |= dict(self._client.hscan_iter(self._key(number), count=_PAGE))
        return [self._book.row.read_stored(row) for row in (sealed | waiting).values()]

    def _key(self, number: int) -> str:
        return f"{self._book.sealed}:{number}"
