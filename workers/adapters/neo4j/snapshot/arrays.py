"""Compact arrays of a snapshot's ids, texts and links, with tens of bytes for each instead of hundreds.

Columns collect them row by row in the same compact form; a list of rows would be several times as large.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.int32]
_Whole = TypeVar("_Whole", bound=np.integer[Any])

_PACKED = 4096  # ids that are put into an array at a time


class Ids:
    """Distinct ids in the given order, each with its position.

    Args:
        ids: ids in ASCII.
    """

    def __init__(self, ids: NDArray[np.bytes_]) -> None:
        self._ids = ids
        self._order = np.argsort(ids, kind="stable").astype(np.int32)
        self._sorted = ids[self._order]
        self._ranks = np.empty_like(self._order)
        self._ranks[self._order] = np.arange(len(ids), dtype=np.int32)

    def places(self, ids: Sequence[str]) -> list[int]:
        """Return each id's position; -1 if it is missing."""
        if not len(self._ids) or not ids:
            return [-1] * len(ids)
        wanted = np.array([name.encode() for name in ids], dtype=np.bytes_)
        at = np.minimum(np.searchsorted(self._sorted, wanted), len(self._sorted) - 1)
        places: list[int] = np.where(self._sorted[at] == wanted, self._order[at], -1).tolist()
        return places

    def by_id(self, places: Places, counts: list[int]) -> tuple[Places, list[int]]:
        """Return concatenated lists of positions, each sorted by id, and their lengths."""
        return places[np.lexsort((self._ranks[places], np.repeat(np.arange(len(counts)), counts)))], counts

    def at(self, places: Places | Sequence[int]) -> list[str]:
        """Return the ids at some positions."""
        # At once: in no id there is a zero.
        return b"\0".join(self._ids[places].tolist()).decode().split("\0") if len(places) else []


class IdColumn:
    """A builder of ids."""

    def __init__(self) -> None:
        self._packed: list[NDArray[np.bytes_]] = []
        self._last: list[bytes] = []

    def add(self, name: str) -> None:
        """Add an id."""
        self._last.append(name.encode())
        if len(self._last) == _PACKED:
            self._pack()

    def ids(self) -> Ids:
        """Return all added ids."""
        self._pack()
        return Ids(np.concatenate(self._packed))

    def _pack(self) -> None:
        self._packed.append(np.array(self._last, dtype=np.bytes_))
        self._last = []


class Texts:
    """Texts by position, in one buffer."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._ends = array("q", [0])

    def add(self, text: str) -> None:
        """Add a text."""
        self._bytes += text.encode("utf-8", "surrogatepass")
        self._ends.append(len(self._bytes))

    def at(self, place: int) -> str:
        """Return the text at a position."""
        return self._bytes[self._ends[place] : self._ends[place + 1]].decode("utf-8", "surrogatepass")


class Links:
    """A list of other positions for each position.

    Args:
        places: the concatenated lists.
        counts: how many of them are of each list.
    """

    def __init__(self, places: Places, counts: NDArray[np.int64]) -> None:
        self._places = places
        self._ends = np.concatenate([[0], np.cumsum(counts)])

    def at(self, place: int) -> Places:
        """Return the list of a position."""
        return self._places[self._ends[place] : self._ends[place + 1]]

    @property
    def first(self) -> Places:
        """The first entry of each list, none of which is empty."""
        places: Places = self._places[self._ends[:-1]]
        return places

    def of(self, places: Sequence[int] | NDArray[Any]) -> tuple[Places, list[int]]:
        """Return the concatenated lists of some positions, and their lengths."""
        wanted = np.asarray(places, np.int64)
        starts = self._ends[:-1][wanted]
        counts = self._ends[1:][wanted] - starts
        skipped = np.repeat(starts - np.cumsum(counts) + counts, counts)
        return self._places[skipped + np.arange(len(skipped))], counts.tolist()


def grouped(numbers: NDArray[np.int64], size: int) -> Links:
    """Return the positions of each number, in ascending order.

    Args:
        numbers: by place; each 0 <= number < size.
        size: how many numbers there are.
    """
    order = np.argsort(numbers, kind="stable").astype(np.int32)
    return Links(order, np.bincount(numbers, minlength=size))


def bounded(
    places: NDArray[_Whole], counts: list[int], most: int, wanted: Sequence[int] = ()
) -> tuple[NDArray[_Whole], list[int]]:
    """Return the beginnings of some lists.

    Args:
        places: the concatenated lists.
        counts: how long each is.
        most: maximum number of entries per list.
        wanted: entries that are returned in addition, wherever they are.
    """
    if max(counts, default=0) <= most:
        return places, counts
    beyond = np.isin(places, wanted)
    nth = np.repeat(np.arange(len(counts)), counts)
    others = np.cumsum(~beyond)
    before = np.concatenate([[0], others])[np.cumsum(counts) - counts]  # of the lists before
    kept = beyond | (others - before[nth] <= most)
    return places[kept], np.bincount(nth[kept], minlength=len(counts)).tolist()


class Numbers:
    """The positions of the server's node numbers.

    Args:
        numbers: distinct, by place.
    """

    def __init__(self, numbers: Sequence[int]) -> None:
        array = np.array(numbers, dtype=np.int64)
        self._order = np.argsort(array).astype(np.int32)
        self._sorted = array[self._order]

    def places(self, numbers: Sequence[int]) -> Places:
        """Return each number's position; -1 if it is missing."""
        wanted = np.asarray(numbers, dtype=np.int64)
        if not len(self._sorted):
            return np.full(len(wanted), -1, np.int32)
        at = np.minimum(np.searchsorted(self._sorted, wanted), len(self._sorted) - 1)
        return np.where(self._sorted[at] == wanted, self._order[at], np.int32(-1))


class LinkColumn:
    """A builder of lists of the server's numbers."""

    def __init__(self) -> None:
        self._numbers = array("q")
        self._counts = array("i")

    def add(self, numbers: list[int]) -> None:
        """Add a list."""
        self._numbers.fromlist(numbers)
        self._counts.append(len(numbers))

    def links(self, numbers: Numbers) -> Links:
        """Return all lists, without numbers that have no position."""
        places = numbers.places(self._numbers)
        here = places >= 0
        held_by = np.repeat(np.arange(len(self._counts)), self._counts)[here]
        return Links(places[here], np.bincount(held_by, minlength=len(self._counts)))
