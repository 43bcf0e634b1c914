"""Codes of vectors: which of many may be near one, told by some bits of each.

The signs of a vector's numbers after a random rotation: two vectors differ in as many of them as the angle
between them is wide (Charikar, Similarity estimation techniques from rounding algorithms, 2002). Counted from
the vectors' mean, which the vectors of many embedders lie around.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

_BITS = 512
_WORD = 64
_SEED = 1
_ROWS = 4096  # that are rotated at a time


class SignCodes:
    """The codes of the first rows of a matrix.

    Args:
        vectors: of length 1, one in each row.
        points: rows that are filled.

    Attributes:
        made_of: the number of points whose mean is counted from.
    """

    def __init__(self, vectors: NDArray[np.float32], points: int) -> None:
        self.made_of = points
        self._mean = vectors[:points].mean(axis=0)
        self._words = np.zeros((_BITS // _WORD, len(vectors)), dtype=np.uint64)
        for first in range(0, points, _ROWS):
            places = list(range(first, min(first + _ROWS, points)))
            self.put(places, vectors[places])

    def put(self, places: list[int], vectors: NDArray[np.float32]) -> None:
        """Take the vectors that are now in some rows."""
        room = self._words.shape[1]
        if (most := max(places)) >= room:
            larger = np.zeros((len(self._words), (most + 1) * 5 // 4), dtype=np.uint64)
            larger[:, :room] = self._words
            self._words = larger
        self._words[:, places] = _words(vectors - self._mean).T

    def move(self, row: int, place: int) -> None:
        """Take what was in one row for what is in another."""
        self._words[:, place] = self._words[:, row]

    def nearest(self, query: NDArray[np.float32], points: int, wanted: int) -> NDArray[np.int64]:
        """Return the rows with the nearest codes: as many as are wanted, and those that are as near.

        Args:
            query: of length 1.
            points: rows that are filled.
            wanted: rows at least, where there are so many.
        """
        differing = np.zeros(points, dtype=np.uint16)
        for words, word in zip(self._words, _words(query[None])[0], strict=True):
            differing += np.bitwise_count(words[:points] ^ word)
        nearer = np.cumsum(np.bincount(differing, minlength=_BITS + 1))
        return np.flatnonzero(differing <= np.searchsorted(nearer, min(wanted, points)))


def _words(vectors: NDArray[np.float32]) -> NDArray[np.uint64]:
    rotated = vectors @ _rotation(vectors.shape[1])
    return np.packbits(rotated > 0, axis=1).view(np.uint64)


@cache
def _rotation(dimension: int) -> NDArray[np.float32]:
    """Return some rotations side by side, as many as give the bits."""
    random = np.random.default_rng(_SEED)
    width = min(dimension, _BITS)
    parts = [np.linalg.qr(random.normal(size=(dimension, width)))[0] for _ in range(-(-_BITS // width))]
    return np.concatenate(parts, axis=1)[:, :_BITS].astype(np.float32)
