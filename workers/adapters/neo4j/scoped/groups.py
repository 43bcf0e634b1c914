"""Positions grouped by the number that each of them has."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]


class Groups:
    """For each number the positions that have it, in ascending order.

    Args:
        numbers: of the positions 0, 1, …; each 0 <= number < size.
        size: how many numbers there are.
    """

    def __init__(self, numbers: Numbers, size: int) -> None:
        self._order = np.argsort(numbers, kind="stable")
        counts = np.bincount(numbers, minlength=size) if len(numbers) else np.zeros(size, np.int64)
        self._ends = np.concatenate([[0], np.cumsum(counts)])

    def at(self, number: int) -> Numbers:
        """Return the positions of a number."""
        found: Numbers = self._order[self._ends[number] : self._ends[number + 1]]
        return found
