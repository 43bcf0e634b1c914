"""Converts a recognised page to a page of the PDF reader, which finds its order, tables and blocks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from statistics import median

from workers.ingest.reading.blocks import Box
from workers.ingest.reading.pdf.aligned import arranged
from workers.ingest.reading.pdf.frame import FileBox, Frame
from workers.ingest.reading.pdf.lines import Line, Word
from workers.ingest.reading.pdf.order import ordered
from workers.ingest.reading.pdf.page import Page
from workers.ingest.reading.scans.recognised import RecognisedLine, RecognisedPage

_ALIKE = (0.72, 1.35)  # times the usual height of lines: letters without tails, or with brackets, of one size
_MOST_COLUMNS = 6
_EDGE = 0.12  # of the width of all lines, at whose sides no white between columns is looked for
_WIDE_BLANK = 0.5  # of a line's height: white between two columns in a line that was recognised over both
_FEWEST_LINES, _PROSE_WORDS, _PROSE_CHARACTERS = 3, 4, 20  # of half of a column's lines: text that runs on


@dataclass(slots=True, frozen=True)
class _SkewedFrame(Frame):
    """A page whose lines run down a little; boxes of the upright page are those of straight lines."""

    skew: float = 0.0  # degrees clockwise

    def shown(self, box: Box) -> Box:
        """Convert a rectangle from the upright page to the page as shown; it is moved, not rotated."""
        x, y = (box.left + box.right) / 2 - self.width / 2, (box.top + box.bottom) / 2 - self.height / 2
        cosine, sine = math.cos(math.radians(self.skew)), math.sin(math.radians(self.skew))
        across, down = x * cosine - y * sine - x, x * sine + y * cosine - y
        # As high as a line that runs down over this width.
        reach = abs(sine) * (box.right - box.left) / 2
        moved = Box(box.left + across, box.top + down - reach, box.right + across, box.bottom + down + reach)
        return Frame.shown(self, moved)


def recognised_page(page: RecognisedPage, number: int) -> Page:
    """Convert a recognised page to a page of the PDF reader.

    Args:
        page: the recognised page.
        number: 1 for the first.
    """
    frame = _SkewedFrame(
        FileBox(0.0, 0.0, page.width, page.height), turns=page.turns, shown_turns=0, skew=page.skew
    )
    heights = [_height(line) for line in page.lines for _sign in line.text]
    usual = median(heights) if heights else 0.0
    lines = [_line(line, usual) for line in in_reading_order(page.lines)]
    signs = sum(not sign.isspace() for line in page.lines for sign in line.text)
    return Page(number, frame, ordered(arranged(lines, frame, number)), signs=signs)


def in_reading_order(lines: Sequence[RecognisedLine]) -> list[RecognisedLine]:
    """Return lines as a program would write them: column by column, vertical lines from the right."""
    upright = [line for line in lines if not line.is_vertical]
    tiers: list[list[RecognisedLine]] = []
    end = -math.inf
    for line in sorted((line for line in lines if line.is_vertical), key=lambda line: line.top):
        if line.top >= end:
            tiers.append([])
        tiers[-1].append(line)
        end = max(end, line.bottom)
    return _by_column(upright) + [
        line for tier in tiers for line in sorted(tier, key=lambda line: -line.right)
    ]


def _by_column(lines: Sequence[RecognisedLine], depth: int = 0) -> list[RecognisedLine]:
    """Return lines from top to bottom, but columns of prose one after another.

    Lines that cross the white between two columns, such as a title, part the page into stretches; a line that
    was recognised over both columns is parted.
    """
    rows = sorted(lines, key=lambda line: line.top + line.bottom)
    x = _gutter(rows) if depth < _MOST_COLUMNS else None
    if x is None:
        return rows
    found: list[RecognisedLine] = []
    stretch: list[tuple[RecognisedLine, list[RecognisedLine]]] = []  # lines, each with its parts
    for row in [*rows, None]:
        parts = _parted(row, x) if row else []
        if row is not None and parts:
            stretch.append((row, parts))
            continue
        pieces = [part for _line, parts in stretch for part in parts]
        left = [line for line in pieces if line.right <= x]
        right = [line for line in pieces if line.left >= x]
        if _is_prose(left) and _is_prose(right):
            found += _by_column(left, depth + 1) + _by_column(right, depth + 1)
        else:
            found += [line for line, _parts in stretch]
        found += [row] if row else []
        stretch = []
    return found


def _parted(line: RecognisedLine, x: float) -> list[RecognisedLine]:
    """Split a line at the gap at x; return it whole if x is outside it, and [] if it has no gap there."""
    if not line.left < x < line.right:
        return [line]
    before = [word for word in line.words if word[2] <= x]
    behind = [word for word in line.words if word[1] >= x]
    if not before or len(before) + len(behind) < len(line.words):
        return []
    if behind[0][1] - before[-1][2] < _WIDE_BLANK * (line.bottom - line.top):
        return []
    return [
        replace(
            line,
            text=" ".join(word[0] for word in words),
            left=words[0][1],
            right=words[-1][2],
            words=words,
        )
        for words in (before, behind)
    ]


def _gutter(lines: Sequence[RecognisedLine]) -> float | None:
    """Return the middle of the widest of the stripes that the fewest words cross; None without lines."""
    if not lines:
        return None
    first, last = min(line.left for line in lines), max(line.right for line in lines)
    crossed = [0] * (math.ceil(last - first) + 2)
    for line in lines:
        for _text, left, right in line.words or [(line.text, line.left, line.right)]:
            for x in range(int(left - first), math.ceil(right - first)):
                crossed[x] += 1
    edge = round(_EDGE * len(crossed))
    inner = crossed[edge : len(crossed) - edge]
    if not inner:
        return None
    fewest, at, widest, middle = min(inner), 0, 0, 0.0
    for count, run in groupby(inner):
        width = len(list(run))
        if count == fewest and width > widest:
            widest, middle = width, at + width / 2
        at += width
    return first + edge + middle


def _is_prose(lines: Sequence[RecognisedLine]) -> bool:
    """Return whether lines are those of a text that runs on, rather than cells."""
    if len(lines) < _FEWEST_LINES:
        return False
    words = median(len(line.words) for line in lines)
    return words >= _PROSE_WORDS and median(len(line.text) for line in lines) >= _PROSE_CHARACTERS


def _height(line: RecognisedLine) -> float:
    return line.right - line.left if line.is_vertical else line.bottom - line.top


def _line(line: RecognisedLine, usual: float) -> Line:
    height = _height(line)
    size = usual if _ALIKE[0] * usual <= height <= _ALIKE[1] * usual else height
    words = [Word(text, left, right) for text, left, right in line.words]
    first = words[0].right - words[0].left if words else size
    return Line(
        line.text,
        line.left,
        line.top,
        line.right,
        line.bottom,
        size,
        line.turn,
        line.is_vertical,
        first_word=first,
        words=words,
    )
