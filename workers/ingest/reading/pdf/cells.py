"""Makes a table of rows whose columns are known: which lines are one cell, and which cells one row."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from workers.ingest.reading.blocks import Block, Box, Cell
from workers.ingest.reading.pdf.frame import Frame
from workers.ingest.reading.pdf.lines import LEADER, Line, Word
from workers.ingest.reading.pdf.rows import Row, by_column, is_number, line_of, whole_of

_FEWEST_ROWS = 2  # of cells, which may have several lines
_LONGEST_CELL = 60  # characters of half of a table's cells at most
_MOST_CENTRED = 12  # lines of a row whose cells stand at its middle
_OFF_MIDDLE, _LEAST_SPACE = 0.6, 0.2  # of a letter's height: twice from the middle; more than between lines
LINE_GAP = 0.65  # of a letter's height between lines of one cell


def table_of(rows: Sequence[Row], borders: Sequence[float], frame: Frame, number: int) -> Line | None:
    """Return the table of rows that have these borders between their columns; None if it would be none."""
    texts: list[list[list[Line]]] = []  # of each row the lines of each of its cells
    parted = [[_cell(row, words) for words in by_column(row, borders)] for row in rows]
    apart = min((_space(*pair) for pair in pairwise(parted) if _has_figures(pair[1])), default=0.0)
    at = 0
    while at < len(parted):
        end = _end_of_centred(parted, at)
        cells = [
            [line for row in parted[at:end] for line in row[column]] for column in range(len(borders) + 1)
        ]
        is_centred, at = end - at > 1, end
        if is_centred:
            texts.append(cells)
        elif texts and _goes_on(
            texts[-1], cells, apart, is_head=len(texts) == 1 and not _has_figures(texts[0])
        ):
            for column, lines in enumerate(cells):
                texts[-1][column] += lines
        else:
            texts.append(cells)
    lengths = [sum(len(line.text) for line in cell) for row in texts for cell in row if cell]
    if len(texts) < _FEWEST_ROWS or median(lengths) > _LONGEST_CELL:
        return None
    from_right = sum(row.reads_right_to_left for row in rows) * 2 > len(rows)
    block = Block("table", cells=_table_cells(texts, borders, frame, number, from_right=from_right))
    around = _around([line for row in rows for line in row.pieces])
    edges = (whole_of(rows[0]), whole_of(rows[-1]))
    return Line("", *around, 0.0, table=block, edges=edges)


def _table_cells(
    texts: Sequence[Sequence[Sequence[Line]]],
    borders: Sequence[float],
    frame: Frame,
    number: int,
    *,
    from_right: bool,
) -> list[Cell]:
    """Return the cells of a table; a name in its head may span several columns."""
    cells: list[Cell] = []
    first = next((index for index, parts in enumerate(texts) if _has_figures(parts)), 0)
    for index, parts in enumerate(texts):
        for place, lines in enumerate(parts):
            if not lines:
                continue
            column, columns = place, 1
            if from_right:
                column = len(borders) - place  # the first column is the one on the right
            elif index < first:
                column, columns = _spanned(place, lines, borders, parts)
            text, box = " ".join(line.text for line in lines), frame.shown(_around(lines))
            cells.append(Cell(index, column, text, columns=columns, page=number, box=box))
    return cells


def _spanned(
    place: int, lines: Sequence[Line], borders: Sequence[float], parts: Sequence[Sequence[Line]]
) -> tuple[int, int]:
    """Return (first column, number of columns) of a name in a head's row."""
    box = _around(lines)
    first, last = (bisect_left(borders, x) for x in (box.left, box.right))
    is_alone = sum(bool(part) for part in parts[first : last + 1]) == 1
    return (first, last - first + 1) if last > first and is_alone else (place, 1)


def _cell(row: Row, words: Sequence[Word]) -> list[Line]:
    """Return the line of a cell, without dots that lead to the next; none of an empty one."""
    kept = [word for word in words if word.text != LEADER]
    return [line_of(row, kept)] if kept else []


def _end_of_centred(rows: Sequence[Sequence[Sequence[Line]]], start: int) -> int:
    """Return where a row ends whose cells have different numbers of lines around the same middle.

    Args:
        rows: rows of lines, each with the line of each cell.
        start: start of the row.
    """
    for end in range(min(len(rows), start + _MOST_CENTRED), start + 1, -1):
        cells = _cells(rows[start:end])
        if _is_centred(cells):
            space = _LEAST_SPACE * cells[0][0].size + max(map(_widest_gap, cells))
            before = _space(rows[start - 1], rows[start]) if start else space
            after = _space(rows[end - 1], rows[end]) if end < len(rows) else space
            if min(before, after) >= space:
                return end
    return start + 1


def _cells(rows: Sequence[Sequence[Sequence[Line]]]) -> list[list[Line]]:
    """Return the lines of each column of rows."""
    return [[line for lines in column for line in lines] for column in zip(*rows, strict=True)]


def _is_centred(cells: Sequence[Sequence[Line]]) -> bool:
    """Return whether cells of one line stand at the middle of others, of which one has more."""
    single = next((lines[0] for lines in cells if len(lines) == 1), None)
    if single is None or not cells[0] or max(map(len, cells)) == 1:
        return False
    for lines in filter(None, cells):
        if abs(lines[0].top + lines[-1].bottom - single.top - single.bottom) > _OFF_MIDDLE * single.size:
            return False
        if len(lines) > 1 and (_widest_gap(lines) > LINE_GAP * single.size or _has_figures([lines])):
            return False
    return True


def _widest_gap(lines: Sequence[Line]) -> float:
    return max((below.top - above.bottom for above, below in pairwise(lines)), default=float("-inf"))


def _space(above: Sequence[Sequence[Line]], below: Sequence[Sequence[Line]]) -> float:
    """Return the points between two rows of lines."""
    bottom = max(line.bottom for lines in above for line in lines)
    return min(line.top for lines in below for line in lines) - bottom


def _goes_on(
    above: Sequence[Sequence[Line]], cells: Sequence[Sequence[Line]], apart: float, *, is_head: bool
) -> bool:
    """Return whether a row holds further lines of the cells above it.

    It stands as near as lines of one text do, has no cell where there is none above, leaves out the first (or
    stands nearer than the rows with figures, which are `apart`), in the head any, and has no figures, which
    are values of their own.
    """
    is_named = bool(cells[0]) and not (
        _has_figures(above) and _space(above, cells) + _LEAST_SPACE * cells[0][0].size <= apart
    )
    if all(cells) if is_head else is_named or not above[0]:
        return False
    for over, under in zip(above, cells, strict=True):
        if not under:
            continue
        if not over or under[0].top - over[-1].bottom > LINE_GAP * under[0].size or _has_figures([under]):
            return False
    return True


def _has_figures(cells: Sequence[Sequence[Line]]) -> bool:
    return any(is_number(line.text) for lines in cells for line in lines)


def _around(lines: Sequence[Line]) -> Box:
    return Box(
        min(line.left for line in lines),
        min(line.top for line in lines),
        max(line.right for line in lines),
        max(line.bottom for line in lines),
    )
