"""Finds content set side by side without ruled lines: tables, columns of text, labels with values.

Lines that follow one another in the file without going far back up are a stretch. Within it, rows of pieces
with white between them that runs down through all of them are either a table or columns of prose.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from statistics import median

from workers.ingest.reading.pdf.cells import LINE_GAP, table_of
from workers.ingest.reading.pdf.direction import is_right_to_left
from workers.ingest.reading.pdf.frame import Frame
from workers.ingest.reading.pdf.lines import LEADER, Line
from workers.ingest.reading.pdf.rows import (
    BETWEEN_FIGURES,
    NARROWEST,
    SAME_ROW,
    Row,
    by_column,
    gaps_of,
    is_figure,
    is_number,
    line_of,
    merged,
)

_MOST_BACK = 6  # rows up to a cell beside one whose text has several lines
_MOST_ROWS = 400  # of a stretch
_FARTHEST = 3.0  # of a letter's height between rows of a table
_WIDE = 0.9  # of a letter's height: white between columns in some rows
_SHARE_WIDE = 0.3  # of the rows, in which the white between two columns is wide
_SHARE_BESIDE = 0.6  # likewise, where the first row has no cell beyond the white
_FEWEST_ROWS, _FEWEST_FIGURED = 3, 2  # of text; with figures in several columns
_SHARE_FIGURES = 0.3  # of the cells of a table that is written column by column
_MOST_RESTARTS = 20  # of a stretch
_PROSE_WORDS, _PROSE_CHARACTERS = 5, 24  # of half of a column's lines at least: text that runs on
_MOST_ABOVE = 4.0  # of a letter's height: from the first line of a cell to the middle of its row
_LINES_OF_ROW = 4  # down a column at most before the next one, in a table written row by row
_LABEL = re.compile(
    r"[•‣▪▫●○◦■□◆◇➢➤✓✔☐☑☒∙·–—*-]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)]|\[\d{1,3}\]"
    r"|\d{1,2}(?:\.\d{1,3}){1,3}"
)
_PAGE = re.compile(re.escape(LEADER) + r"(?:\d{1,4}|[ivxlcIVXLC]{1,7})")
_SHARE_CONTENTS = 0.6  # of the rows of a table of contents, where names may have several lines
_SAME_START = 0.3  # of a letter's height, between the lines of a cell


@dataclass(slots=True)
class _Border:
    """White between two columns, in all rows so far; in how many rows it is wide."""

    left: float
    right: float
    wide: int = 0
    is_beside: bool = False  # beside the first row: there may be names of rows that its head leaves out


@dataclass(slots=True)
class _Zone:
    """Rows with the same white between their pieces."""

    rows: list[Row] = field(default_factory=list)
    borders: list[_Border] = field(default_factory=list)


def arranged(lines: Sequence[Line], frame: Frame, number: int) -> list[Line]:
    """Return lines with tables in the place of theirs, columns one after another, and rows put together.

    Args:
        lines: lines of a page, in the order of the file.
        frame: frame of the page.
        number: number of the page, 1 for the first.
    """
    for place, line in enumerate(lines):
        line.number = place
    return _arranged(lines, frame, number, goes_back=True)


def _arranged(lines: Sequence[Line], frame: Frame, number: int, *, goes_back: bool) -> list[Line]:
    """Return the lines in reading order; `goes_back` lets a stretch continue above its last row."""
    found: list[Line] = []
    stretch: list[Row] = []
    for line in lines:
        if not line.is_plain:
            found += _stretch_or_lines(stretch, frame, number)
            stretch = []
            found.append(line)
        elif not _take(line, stretch, goes_back=goes_back):
            found += _stretch_or_lines(stretch, frame, number)
            stretch = [Row([line], line.top, line.bottom, line.size)]
    return found + _stretch_or_lines(stretch, frame, number)


def _stretch_or_lines(rows: Sequence[Row], frame: Frame, number: int) -> list[Line]:
    """Return a stretch arranged; one that goes back up must be a table, or its lines are as in the file."""
    found = _stretch(rows, frame, number)
    if any(row.is_above for row in rows) and not any(line.table for line in found):
        lines = sorted((piece for row in rows for piece in row.pieces), key=lambda piece: piece.number)
        return _arranged(lines, frame, number, goes_back=False)
    return found


def _take(line: Line, rows: list[Row], *, goes_back: bool) -> bool:
    """Put a line into a stretch; return False if it begins a new one."""
    if not rows or len(rows) >= _MOST_ROWS:
        return False
    for back, row in enumerate(reversed(rows[-_MOST_BACK:])):
        if row.takes(line):
            if back > 1 and _runs_beside(line, row):
                return False
            row.pieces.append(line)
            row.pieces.sort(key=lambda piece: piece.left)
            row.top, row.bottom = min(row.top, line.top), max(row.bottom, line.bottom)
            return True
    row = Row([line], line.top, line.bottom, line.size)
    if row.middle > rows[-1].middle:
        rows.append(row)
        return True
    place = _place_above(row, rows) if goes_back else 0
    if place:
        row.is_above = True
        rows.insert(place, row)
    return place > 0


def _runs_beside(line: Line, row: Row) -> bool:
    """Return whether a line of a later text stands left of a table or the words of a picture."""
    is_left = all(line.right <= piece.left for piece in row.pieces)
    is_text = len(line.words) >= _PROSE_WORDS and len(line.text) >= _PROSE_CHARACTERS
    return is_left and is_text and not is_right_to_left(line.text)


def _place_above(row: Row, rows: Sequence[Row]) -> int:
    """Return the place of a line that begins a cell beside the last rows or stands between them, or 0."""

    def is_beside(other: Row) -> bool:
        return row.pieces[0].left >= other.pieces[-1].right or row.pieces[0].right <= other.pieces[0].left

    place = len(rows)
    while place and rows[place - 1].middle >= row.middle:
        passed = rows[place - 1]
        if passed.middle - row.middle > _MOST_ABOVE * passed.size or not is_beside(passed):
            return 0
        place -= 1
    is_below = place > 0 and row.top > rows[place - 1].bottom - SAME_ROW * row.size
    return place if is_below or (place and is_beside(rows[place - 1])) else 0


def _stretch(rows: Sequence[Row], frame: Frame, number: int) -> list[Line]:
    found: list[Line] = []
    first = restarts = 0
    while first < len(rows):
        zone = _Zone()
        end = first
        while end < len(rows) and _extend(zone, rows[end]):
            end += 1
        lines = _zone_lines(zone, frame, number)
        if lines:
            found += lines
        elif zone.rows and restarts < _MOST_RESTARTS:  # something may begin below its first row
            restarts += 1
            end = first + 1
            found += merged(rows[first])
        else:
            end = max(end, first + 1)
            found += [line for row in rows[first:end] for line in merged(row)]
        first = end
    return found


def _extend(zone: _Zone, row: Row) -> bool:
    """Add a row to a zone if it keeps the white of the rows above; return whether it does."""
    gaps = gaps_of(row)
    inner = gaps[1:-1]
    if row.is_equation:
        return False
    if not zone.rows:
        if not row.is_parted:
            return False
        for gap in gaps:
            is_wide = gap in inner and gap.right - gap.left >= _WIDE * row.size
            zone.borders.append(_Border(*gap, is_wide, gap not in inner))
        zone.rows.append(row)
        return True
    above = zone.rows[-1]
    if row.top - above.bottom > _FARTHEST * above.size or _begins_below_columns(row, zone.rows):
        return False
    kept: list[_Border] = []
    for border in zone.borders:
        for gap in gaps:
            left, right = max(border.left, gap.left), min(border.right, gap.right)
            narrower = min(border.right - border.left, gap.right - gap.left)
            is_narrow = narrower < NARROWEST * row.size  # between figures
            if right - left >= (BETWEEN_FIGURES if is_narrow else NARROWEST) * row.size:
                is_wide = gap in inner and gap.right - gap.left >= _WIDE * row.size
                kept.append(_Border(left, right, border.wide + is_wide, border.is_beside))
    strong = sum(border.wide > 0 for border in zone.borders if not border.is_beside)
    if sum(border.wide > 0 for border in kept if not border.is_beside) < max(1, (strong + 1) // 2):
        return False
    zone.borders = kept
    zone.rows.append(row)
    return True


def _begins_below_columns(row: Row, rows: Sequence[Row]) -> bool:
    """Return whether the file has rows column by column, and all of them before this row.

    Two rows may be a head, whose cells have two lines each.
    """
    parted = [one for one in rows if len(one.pieces) > 1]
    is_by_column = len(parted) >= _FEWEST_ROWS and all(
        one.pieces[0].number < below.pieces[0].number < one.pieces[-1].number
        for one, below in pairwise(parted)
    )
    last = max(piece.number for one in rows for piece in one.pieces)
    return is_by_column and len(row.pieces) > 1 and min(piece.number for piece in row.pieces) > last


def _zone_lines(zone: _Zone, frame: Frame, number: int) -> list[Line]:
    """Return a zone as a table or as its columns in turn, then the text after it; [] if it is neither."""
    zone, behind = _without_text_behind(zone)
    rows = zone.rows
    if _are_contents(rows):
        return [line for row in rows for line in _entry(row)] + [
            line for row in behind for line in merged(row)
        ]
    side_by_side = sum(row.is_parted for row in rows)
    fewest = max(1, _SHARE_WIDE * side_by_side)
    borders = [
        (border.left + border.right) / 2
        for border in zone.borders
        if border.wide >= (max(fewest, _SHARE_BESIDE * side_by_side) if border.is_beside else fewest)
    ]
    borders = _between_figures(_between_cells(borders, rows), rows)
    if side_by_side < _FEWEST_ROWS or not borders:
        return []
    while behind and _hangs(behind[0], rows[-2:], borders):
        rows.append(behind.pop(0))
    rest = [line for row in behind for line in merged(row)]
    columns = _columns(rows, borders)
    if len(columns) > 2 and _are_bullets(columns[0]):  # noqa: PLR2004 - they belong to the names of the rows
        borders = borders[1:]
        columns = _columns(rows, borders)
    if len(columns) == 2 and all(_LABEL.fullmatch(line.text) for line in columns[0]):  # noqa: PLR2004 - a list
        return []
    figures = sum(is_number(line.text) for column in columns for line in column)
    has_figures = figures >= _SHARE_FIGURES * sum(map(len, columns))
    if not has_figures and all(piece.is_fixed for row in rows for piece in row.pieces):  # a program
        return []
    prose = sum(map(_is_prose, columns))
    is_by_column = _is_written_by_column(rows, borders)
    if prose > 1 or (is_by_column and not has_figures):
        last = max(piece.number for row in rows for piece in row.pieces)
        longer = [row for row in behind if row.pieces[0].number < last]  # of the first column
        columns = _columns([*rows, *longer], borders)
        rest = [line for row in behind if row not in longer for line in merged(row)]
        return [*(line for column in columns for line in column), *rest]
    table = table_of(rows, borders, frame, number)
    return [table, *rest] if table else []


def _between_figures(borders: list[float], rows: Sequence[Row]) -> list[float]:
    """Return borders with those between figures that a name over several columns closes in the head."""
    figured = [row for row in rows if sum(is_figure(word.text) for word in row.words) > 1]
    zone = _Zone()
    if len(figured) < _FEWEST_FIGURED or not borders or not all(_extend(zone, row) for row in figured):
        return borders
    found = list(borders)
    for border in zone.borders:
        x = (border.left + border.right) / 2
        is_known = any(border.left <= known <= border.right for known in borders)
        if is_known or border.wide < len(figured) or not all(_parts_figures(row, x) for row in figured):
            continue
        crossed = [row for row in rows if any(word.left < x < word.right for word in row.words)]
        if all(row.middle < figured[0].middle for row in crossed):
            found.append(x)
    return sorted(found)


def _parts_figures(row: Row, x: float) -> bool:
    """Return whether figures stand next to a border on both sides."""
    left = max((word for word in row.words if word.right <= x), key=lambda word: word.right, default=None)
    right = min((word for word in row.words if word.left >= x), key=lambda word: word.left, default=None)
    return left is not None and right is not None and is_figure(left.text) and is_figure(right.text)


def _without_text_behind(zone: _Zone) -> tuple[_Zone, list[Row]]:
    """Return a zone up to its last row of several pieces, and the rows behind, which may close its white."""
    last = max((place for place, row in enumerate(zone.rows) if row.is_parted), default=-1)
    kept = _Zone()
    for row in zone.rows[: last + 1]:
        _extend(kept, row)
    return kept, zone.rows[last + 1 :]


def _hangs(row: Row, last: Sequence[Row], borders: Sequence[float]) -> bool:
    """Return whether a row is a further line of one cell of the last rows, which is not the first cell."""
    filled = [column for column, words in enumerate(by_column(row, borders)) if words]
    if len(filled) != 1 or filled[0] == 0 or row.top - last[-1].bottom > LINE_GAP * row.size:
        return False
    over = next((words for above in reversed(last) if (words := by_column(above, borders)[filled[0]])), None)
    is_under = over is not None and abs(over[0].left - row.words[0].left) < _SAME_START * row.size
    return is_under and not is_figure(row.words[0].text)


def _are_contents(rows: Sequence[Row]) -> bool:
    """Return whether the rows end in dots and a page number, as in a table of contents."""
    led = [[word.text for word in row.words] for row in rows if any(w.text == LEADER for w in row.words)]
    named = [words for words in led if words.count(LEADER) == 1 and _PAGE.fullmatch("".join(words[-2:]))]
    pages = [int(words[-1]) for words in named if words[-1].isdecimal()]
    return len(named) > _SHARE_CONTENTS * len(rows) and pages == sorted(pages)


def _entry(row: Row) -> list[Line]:
    """Return the line of an entry of a table of contents; one of a chapter may have no dots itself."""
    lines = merged(row)
    if len(row.pieces) > 1 and LEADER not in (words := lines[0].text.split()) and words[-1].isdecimal():
        return [replace(lines[0], text=" ".join([*words[:-1], LEADER, words[-1]]))]
    return lines


def _between_cells(borders: list[float], rows: Sequence[Row]) -> list[float]:
    """Return borders without those that no row has a cell on both sides of: a head left of its figures."""
    kept: list[float] = []
    for index, border in enumerate(borders):
        left = kept[-1] if kept else float("-inf")
        right = borders[index + 1] if index + 1 < len(borders) else float("inf")
        for row in rows:
            middles = [(word.left + word.right) / 2 for word in row.words]
            if any(left < x <= border for x in middles) and any(border < x <= right for x in middles):
                kept.append(border)
                break
    return kept


def _is_written_by_column(rows: Sequence[Row], borders: Sequence[float]) -> bool:
    """Return whether the file has one column after another, rather than one row after another."""
    placed = sorted(
        (piece.number, index, bisect_left(borders, (piece.left + piece.right) / 2))
        for index, row in enumerate(rows)
        for piece in row.pieces
        if len(row.pieces) > 1
    )
    steps = [(row - last_row, column - last) for (_, last_row, last), (_, row, column) in pairwise(placed)]
    returns = sum(across < 0 for _, across in steps)  # to the first column, for the next row of a table
    return sum(down > 0 == across for down, across in steps) > max(
        sum(across > 0 == down for down, across in steps), _LINES_OF_ROW * returns
    )


def _columns(rows: Sequence[Row], borders: Sequence[float]) -> list[list[Line]]:
    """Return the lines of each column, from top to bottom."""
    columns: list[list[Line]] = [[] for _ in range(len(borders) + 1)]
    for row in rows:
        for column, words in enumerate(by_column(row, borders)):
            if words:
                columns[column].append(line_of(row, words))
    return columns


def _are_bullets(lines: Sequence[Line]) -> bool:
    """Return whether lines are one sign again and again, which some fonts have as a letter."""
    signs = {line.text for line in lines}
    return len(lines) > 1 and len(signs) == 1 and len(*signs) == 1


def _is_prose(lines: Sequence[Line]) -> bool:
    if len(lines) < _FEWEST_ROWS:
        return False
    words = median(len(line.words) for line in lines)
    return words >= _PROSE_WORDS and median(len(line.text) for line in lines) >= _PROSE_CHARACTERS
