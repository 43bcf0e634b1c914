"""Counts finished documents and chunks per period of time, in bounded memory."""

from __future__ import annotations

from dataclasses import dataclass, field

from hopline.models.reports import Period
from hopline.models.times import timestamp

_MOST = 180  # periods that are shown
# Seconds; each divides the next, so that no period falls into two.
_WIDTHS = (1, 5, 10, 30, 60, 300, 600, 1800, 3600, 7200, 21600, 86400)


@dataclass
class Night:
    """Counts by periods that grow wider as the time gets longer.

    Attributes:
        width: seconds of a period.
    """

    width: int = _WIDTHS[0]
    _counted: dict[int, list[int]] = field(default_factory=dict)  # number -> documents, chunks, failed

    def add(self, at: float, chunks: int, *, failed: bool) -> None:
        """Count a document that ended at this time, in seconds since the epoch."""
        self._count(int(at // self.width), (1, chunks, int(failed)))
        while max(self._counted) - min(self._counted) >= _MOST:
            self._widen()

    def _count(self, number: int, more: tuple[int, ...] | list[int]) -> None:
        counted = self._counted.setdefault(number, [0, 0, 0])
        for at, amount in enumerate(more):
            counted[at] += amount

    def _widen(self) -> None:
        before, width = self._counted, self.width
        self.width = next((candidate for candidate in _WIDTHS if candidate > width), 2 * width)
        self._counted = {}
        for number, counted in before.items():
            self._count(number * width // self.width, counted)

    def periods(self) -> tuple[Period, ...]:
        """Return the periods from the first to the last, empty ones between included."""
        if not self._counted:
            return ()
        none = [0, 0, 0]
        numbers = range(min(self._counted), max(self._counted) + 1)
        return tuple(
            Period(start=timestamp(number * self.width), documents=documents, chunks=chunks, failed=failed)
            for number in numbers
            for documents, chunks, failed in (self._counted.get(number, none),)
        )
