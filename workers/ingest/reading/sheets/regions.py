"""Divides a sheet into regions, which empty rows and columns separate."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

COVERED = "\0"  # what a cell says that a merged one covers
_DEPTH = 12  # of regions within regions
_FIGURE = re.compile(
    r"[^\w\s]{0,3}\s?(?:[A-Z]{3}\s)?[^\w\s]{0,2}\s?\d[\d.,:'\s/-]*(?:T\d[\d:.]*Z?)?(?:[Ee][+-]?\d+)?"
    r"\s?(?:[^\w\s]{1,2}|[A-Za-z]{1,3})?(?: \([^()]*%\))?\)?|(?i:true|false)|-|#[\w/]+[!?]?",
    re.ASCII,
)
_MOSTLY = 0.5

Grid = Sequence[Sequence[str]]


class Area(NamedTuple):
    """A part of a grid: rows top to bottom, columns left to right, each without the last."""

    top: int
    left: int
    bottom: int
    right: int


def is_figure(text: str) -> bool:
    """Return whether a cell contains a number, a date, a time or a Boolean, alone or with a unit."""
    return _FIGURE.fullmatch(text) is not None


def are_figures(texts: Sequence[str]) -> bool:
    """Return whether most non-empty cells contain figures."""
    said = [text for text in texts if text]
    return bool(said) and sum(map(is_figure, said)) > _MOSTLY * len(said)


def regions(grid: Grid, area: Area, *, by_columns: bool = True, depth: int = 0) -> Iterator[Area]:
    """Yield the regions of a grid in reading order.

    Args:
        grid: rows of equal width.
        area: part of the grid.
        by_columns: whether empty columns also separate regions.
        depth: number of earlier divisions.
    """
    for top, bottom in _runs(
        [any(row[area.left : area.right]) for row in grid[area.top : area.bottom]], area.top
    ):
        columns = _filled_columns([row[area.left : area.right] for row in grid[top:bottom]])
        runs = _runs(columns, area.left)
        if not by_columns or depth == _DEPTH:
            runs = [(runs[0][0], runs[-1][1])]
        parts = _joined(grid, [Area(top, left, bottom, right) for left, right in runs])
        for part in parts:
            if len(parts) == 1:
                yield part
            else:
                yield from regions(grid, part, depth=depth + 1)


def _filled_columns(rows: Grid) -> bytearray:
    """Return which columns are filled; a merged title does not count as a bridge."""
    filled = bytearray(len(rows[0]))
    for row in rows:
        is_title = COVERED in row and sum(1 for cell in row if cell and cell != COVERED) == 1
        for column, cell in enumerate(row):
            if cell and not (is_title and cell == COVERED):
                filled[column] = 1
        if all(filled):
            break
    return filled


def _runs(filled: Sequence[int], first: int) -> list[tuple[int, int]]:
    """Return begin and end of each filled run."""
    found, place = [], first
    for is_filled, run in groupby(filled, bool):
        length = len(list(run))
        if is_filled:
            found.append((place, place + length))
        place += length
    return found


def _joined(grid: Grid, parts: list[Area]) -> list[Area]:
    """Return adjacent parts, joined if one has no row names."""
    joined = parts[:1]
    for part in parts[1:]:
        if _leans(grid, joined[-1], part):
            joined[-1] = joined[-1]._replace(right=part.right)
        else:
            joined.append(part)
    return joined


def _leans(grid: Grid, names: Area, part: Area) -> bool:
    """Return whether columns continue those at their left, which have their row names.

    They lie within the same rows, and are a single column, or begin with a named column of figures.
    """
    rows = grid[part.top : part.bottom]
    named = [number for number, row in enumerate(rows) if any(row[names.left : names.right])]
    filled = [number for number, row in enumerate(rows) if any(row[part.left : part.right])]
    if len(named) == 1 or filled[0] < named[0] or filled[-1] > named[-1]:
        return False
    if part.right - part.left == 1:
        return True
    head, *below = (rows[number][part.left] for number in filled)
    return head != rows[filled[0]][names.left] and are_figures(below)
