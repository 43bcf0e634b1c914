"""Arrays in which a snapshot holds ids, texts and links: some tens of bytes for each, not hundreds.

Columns take them row by row, as packed as the arrays are: a list of the rows would be several times as large.
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
    """Distinct ids, each with its place, in the order given.

    Args:
        ids: of ASCII characters.
    """

    def __init__(self, ids: NDArray[np.bytes_]) -> None:
        self._ids = ids
        self._order = np.argsort(ids, kind="stable").astype(np.int32)
        self._sorted = ids[self._order]
        self._ranks = np.empty_like(self._order)
        self._ranks[self._order] = np.arange(len(ids), dtype=np.int32)

    def places(self, ids: Sequence[str]) -> list[int]:
        """Return each id's place, -1 for one that is not here."""
        if not len(self._ids) or not ids:
            return [-1] * len(ids)
        wanted = np.array([name.encode() for name in ids], dtype=np.bytes_)
        at = np.minimum(np.searchsorted(self._sorted, wanted), len(self._sorted) - 1)
        places: list[int] = np.where(self._sorted[at] == wanted, self._order[at], -1).tolist()
        return places

    def by_id(self, places: Places, counts: list[int]) -> tuple[Places, list[int]]:
        """Return lists of places, one after another, and how long each is; each in the order of the ids."""
        return places[np.lexsort((self._ranks[places], np.repeat(np.arange(len(counts)), counts)))], counts

    def at(self, places: Places | Sequence[int]) -> list[str]:
        """Return the ids at some places."""
        # At once: in no id there is a zero.
        return b"\0".join(self._ids[places].tolist()).decode().split("\0") if len(places) else []


class IdColumn:
    """Ids that come one by one."""

    def __init__(self) -> None:
        self._packed: list[NDArray[np.bytes_]] = []
        self._last: list[bytes] = []

    def add(self, name: str) -> None:
        """Take an id."""
        self._last.append(name.encode())
        if len(self._last) == _PACKED:
            self._pack()

    def ids(self) -> Ids:
        """Return all that came."""
        self._pack()
        return Ids(np.concatenate(self._packed))

    def _pack(self) -> None:
        self._packed.append(np.array(self._last, dtype=np.bytes_))
        self._last = []


class Texts:
    """Texts by place, in one piece, as they come."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._ends = array("q", [0])

    def add(self, text: str) -> None:
        """Take a text."""
        self._bytes += text.encode("utf-8", "surrogatepass")
        self._ends.append(len(self._bytes))

    def at(self, place: int) -> str:
        """Return the text at a place."""
        return self._bytes[self._ends[place] : self._ends[place + 1]].decode("utf-8", "surrogatepass")


class Links:
    """For each place a list of other places.

    Args:
        places: of all lists, one after another.
        counts: how many of them are of each list.
    """

    def __init__(self, places: Places, counts: NDArray[np.int64]) -> None:
        self._places = places
        self._ends = np.concatenate([[0], np.cumsum(counts)])

    def at(self, place: int) -> Places:
        """Return the list of a place."""
        return self._places[self._ends[place] : self._ends[place + 1]]

    @property
    def first(self) -> Places:
        """The first of each list; none of them is empty."""
        places: Places = self._places[self._ends[:-1]]
        return places

    def of(self, places: Sequence[int] | NDArray[Any]) -> tuple[Places, list[int]]:
        """Return the lists of some places one after another, and how long each is."""
        wanted = np.asarray(places, np.int64)
        starts = self._ends[:-1][wanted]
        counts = self._ends[1:][wanted] - starts
        skipped = np.repeat(starts - np.cumsum(counts) + counts, counts)
        return self._places[skipped + np.arange(len(skipped))], counts.tolist()


def grouped(numbers: NDArray[np.int64], size: int) -> Links:
    """Return for each number the places that have it, in ascending order.

    Args:
        numbers: by place; each 0 <= number < size.
        size: how many numbers there are.
    """
    order = np.argsort(numbers, kind="stable").astype(np.int32)
    return Links(order, np.bincount(numbers, minlength=size))


def bounded(
    places: NDArray[_Whole], counts: list[int], most: int, wanted: Sequence[int] = ()
) -> tuple[NDArray[_Whole], list[int]]:
    """Return the beginning of each of some lists.

    Args:
        places: of all lists, one after another.
        counts: how long each is.
        most: how many of a list are returned.
        wanted: what of a list is returned beyond that, wherever it stands.
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
    """The places of the server's numbers of nodes.

    Args:
        numbers: distinct, by place.
    """

    def __init__(self, numbers: Sequence[int]) -> None:
        array = np.array(numbers, dtype=np.int64)
        self._order = np.argsort(array).astype(np.int32)
        self._sorted = array[self._order]

    def places(self, numbers: Sequence[int]) -> Places:
        """Return each number's place, -1 for one that is not here."""
        wanted = np.asarray(numbers, dtype=np.int64)
        if not len(self._sorted):
            return np.full(len(wanted), -1, np.int32)
        at = np.minimum(np.searchsorted(self._sorted, wanted), len(self._sorted) - 1)
        return np.where(self._sorted[at] == wanted, self._order[at], np.int32(-1))


class LinkColumn:
    """Lists of the server's numbers that come one by one."""

    def __init__(self) -> None:
        self._numbers = array("q")
        self._counts = array("i")

    def add(self, numbers: list[int]) -> None:
        """Take a list."""
        self._numbers.fromlist(numbers)
        self._counts.append(len(numbers))

    def links(self, numbers: Numbers) -> Links:
        """Return all lists, without those numbers that have no place."""
        places = numbers.places(self._numbers)
        here = places >= 0
        held_by = np.repeat(np.arange(len(self._counts)), self._counts)[here]
        return Links(places[here], np.bincount(held_by, minlength=len(self._counts)))
