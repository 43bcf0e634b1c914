"""Limits open waits and event streams, in all and per caller."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from producer.api.problems import Problem

_RETRY_SECONDS = 2


class Streams:
    """Counts what is open in this process.

    Args:
        most: in all.
        share: of one caller.
    """

    def __init__(self, most: int, share: int) -> None:
        self._most = most
        self._share = share
        self._open: Counter[str] = Counter()

    def has_room(self, caller: str) -> bool:
        """Return whether a caller may open another."""
        return self._open.total() < self._most and self._open[caller] < self._share

    def check(self, caller: str) -> None:
        """Pass while a caller may open another.

        Raises:
            Problem: as many are open as may be.
        """
        if not self.has_room(caller):
            reason = "too many event streams and waits are open; close some, or ask without waiting"
            raise Problem(503, reason, retry_after=_RETRY_SECONDS)

    @contextmanager
    def open(self, caller: str) -> Iterator[None]:
        """Count one as open inside the block."""
        self._open[caller] += 1
        try:
            yield
        finally:
            self._open[caller] -= 1
            if not self._open[caller]:
                del self._open[caller]
