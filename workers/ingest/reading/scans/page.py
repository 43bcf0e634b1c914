"""Makes a page of what was recognised, as the reader of PDFs has it: its order, tables and blocks follow."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median

from workers.ingest.reading.blocks import Box
from workers.ingest.reading.pdf.aligned import arranged
from workers.ingest.reading.pdf.frame import FileBox, Frame
from workers.ingest.reading.pdf.lines import Line, Word
from workers.ingest.reading.pdf.order import ordered
from workers.ingest.reading.pdf.page import Page
from workers.ingest.reading.scans.recognised import RecognisedLine, RecognisedPage

_ALIKE = (0.72, 1.35)  # times the usual height of lines: letters without tails, or with brackets, of one size


@dataclass(slots=True, frozen=True)
class _SkewedFrame(Frame):
    """A page whose lines run down a little; boxes of the upright page are those of straight lines."""

    skew: float = 0.0  # degrees clockwise

    def shown(self, box: Box) -> Box:
        """Return where a rectangle of the upright page lies on the shown page, moved and not turned."""
        x, y = (box.left + box.right) / 2 - self.width / 2, (box.top + box.bottom) / 2 - self.height / 2
        cosine, sine = math.cos(math.radians(self.skew)), math.sin(math.radians(self.skew))
        across, down = x * cosine - y * sine - x, x * sine + y * cosine - y
        # As high as a line that runs down over this width.
        reach = abs(sine) * (box.right - box.left) / 2
        moved = Box(box.left + across, box.top + down - reach, box.right + across, box.bottom + down + reach)
        return Frame.shown(self, moved)


def recognised_page(page: RecognisedPage, number: int) -> Page:
    """Return a page of what was recognised.

    Args:
        page: what was recognised.
        number: 1 for the first.
    """
    frame = _SkewedFrame(
        FileBox(0.0, 0.0, page.width, page.height), turns=page.turns, shown_turns=0, skew=page.skew
    )
    heights = [_height(line) for line in page.lines for _sign in line.text]
    usual = median(heights) if heights else 0.0
    lines = [_line(line, usual) for line in _in_rows(page.lines)]
    signs = sum(not sign.isspace() for line in page.lines for sign in line.text)
    return Page(number, frame, ordered(arranged(lines, frame, number)), signs=signs)


def _in_rows(lines: list[RecognisedLine]) -> list[RecognisedLine]:
    """Return lines from top to bottom, and vertical ones behind them from right to left, tier by tier."""
    upright = [line for line in lines if not line.is_vertical]
    upright.sort(key=lambda line: line.top + line.bottom)
    tiers: list[list[RecognisedLine]] = []
    end = -math.inf
    for line in sorted((line for line in lines if line.is_vertical), key=lambda line: line.top):
        if line.top >= end:
            tiers.append([])
        tiers[-1].append(line)
        end = max(end, line.bottom)
    return upright + [line for tier in tiers for line in sorted(tier, key=lambda line: -line.right)]


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
