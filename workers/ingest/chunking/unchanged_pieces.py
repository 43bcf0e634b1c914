"""Finds the chunks of an older text in the new one."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from hopline.models.documents import Chunk


class Core(NamedTuple):
    """A chunk of the older text without the overlap with the chunk before it."""

    text: str
    start: int  # in the older text
    whole: str  # the chunk's text
    tokens: int  # of the whole

    @property
    def repeats(self) -> int:
        """Number of characters of the previous chunk it repeats."""
        return len(self.whole) - len(self.text)


class Placed(NamedTuple):
    """A core that was found in the new text."""

    start: int
    core: Core

    @property
    def end(self) -> int:
        """Its end."""
        return self.start + len(self.core.text)

    @property
    def begin(self) -> int:
        """The start of its chunk if it still had the same overlap."""
        return self.start - self.core.repeats


def cores_of(known: Sequence[Chunk]) -> list[Core]:
    """Return the cores of a text's chunks, in order."""
    cores = []
    covered = 0
    for chunk in sorted(known, key=lambda chunk: chunk.index):
        own = chunk.text[max(0, covered - chunk.start) :].lstrip()
        if own:
            cores.append(Core(own, chunk.end - len(own), chunk.text, chunk.tokens))
        covered = max(covered, chunk.end)
    return cores


def place_cores(text: str, cores: Sequence[Core]) -> list[Placed]:
    """Return the cores found in a text, in order and without overlap.

    Text before the first change and after the last one is found by its position, text in between by its
    words; a repeated text only next to another one that was found.
    """
    places: list[int | None] = [None] * len(cores)
    first = _place_beginning(text, cores, places)
    last = _place_end(text, cores, places, first)
    _place_unique(text, cores, places, first, last)
    _place_neighbours(text, cores, places)
    return [Placed(at, core) for at, core in zip(places, cores, strict=True) if at is not None]


def _place_beginning(text: str, cores: Sequence[Core], places: list[int | None]) -> int:
    """Place what nothing before it has moved; return how many these are."""
    for nth, core in enumerate(cores):
        if not text.startswith(core.text, core.start):
            return nth
        places[nth] = core.start
    return len(cores)


def _place_end(text: str, cores: Sequence[Core], places: list[int | None], first: int) -> int:
    """Place what nothing after it has changed; return the number of the first of these."""
    if first == len(cores):
        return first
    moved = len(text.rstrip()) - _end(cores[-1])
    floor = _end(cores[first - 1]) if first else 0
    for nth in range(len(cores) - 1, first - 1, -1):
        at = cores[nth].start + moved
        if at < floor or not text.startswith(cores[nth].text, at):
            return nth + 1
        places[nth] = at
    return first


def _end(core: Core) -> int:
    return core.start + len(core.text)


def _place_unique(text: str, cores: Sequence[Core], places: list[int | None], first: int, last: int) -> None:
    """Place the longest run of cores that occur exactly once in the old and new middle."""
    floor = _end(cores[first - 1]) if first else 0
    at = places[last] if last < len(cores) else None
    ceiling = len(text) if at is None else at
    often = Counter(core.text for core in cores[first:last])
    positions = []
    for nth in range(first, last):
        at = text.find(cores[nth].text, floor, ceiling) if often[cores[nth].text] == 1 else -1
        if at >= 0 and text.find(cores[nth].text, at + 1, ceiling) < 0:
            positions.append((nth, at))
    covered = floor
    for nth, at in _longest_row(positions):
        if at >= covered:
            places[nth] = at
            covered = at + len(cores[nth].text)


def _longest_row(positions: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest part of it whose places grow: what stayed in order."""
    tails: list[int] = []  # the smallest place that ends a row of this length
    ends: list[int] = []  # of `positions`, by row length
    before: list[int] = []
    for nth, (_core, at) in enumerate(positions):
        length = bisect_left(tails, at)
        before.append(ends[length - 1] if length else -1)
        tails[length : length + 1] = [at]
        ends[length : length + 1] = [nth]
    row = []
    nth = ends[-1] if ends else -1
    while nth >= 0:
        row.append(positions[nth])
        nth = before[nth]
    return row[::-1]


def _place_neighbours(text: str, cores: Sequence[Core], places: list[int | None]) -> None:
    """Place cores that keep their distance to a placed neighbour."""
    for order, beside in ((range(1, len(cores)), -1), (range(len(cores) - 2, -1, -1), 1)):
        free = _free(text, cores, places)
        for nth in order:
            anchor = places[nth + beside]
            if places[nth] is not None or anchor is None:
                continue
            at = anchor + cores[nth].start - cores[nth + beside].start
            low, high = free[nth]
            if beside < 0:
                low = anchor + len(cores[nth - 1].text)
            else:
                high = anchor
            if at >= low and at + len(cores[nth].text) <= high and text.startswith(cores[nth].text, at):
                places[nth] = at


def _free(text: str, cores: Sequence[Core], places: Sequence[int | None]) -> list[tuple[int, int]]:
    """Return per core the range between what is placed before and after it."""
    lows, low = [], 0
    for core, at in zip(cores, places, strict=True):
        lows.append(low)
        low = low if at is None else at + len(core.text)
    highs, high = [], len(text)
    for at in reversed(places):
        highs.append(high)
        high = high if at is None else at
    return list(zip(lows, reversed(highs), strict=True))
