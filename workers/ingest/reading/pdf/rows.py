"""Rows of text pieces side by side, and the white between their words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from workers.ingest.reading.pdf.direction import is_right_to_left
from workers.ingest.reading.pdf.lines import LEADER, Line, Word

SAME_ROW = 0.5  # of the smaller one's height that two pieces of a row share
NARROWEST = 0.4  # of a letter's height: white between columns in every row
_PARTED = 1.0  # of a letter's height: white that no blank in a row has
BETWEEN_FIGURES = 0.15  # of a letter's height: white between two figures, one of them as wide as its column
_THOUSANDS = re.compile(r"\d{3}(?:[.,]\d+)?")  # that a blank parts from the figures before them
_DASHES = frozenset("-–—−")
_EQUATION_NUMBER = re.compile(r"\(\d{1,3}(?:\.\d{1,3}){0,2}[a-z]?\)")
_FORMULA = re.compile(r"[=≤≥≈≠<>∑∏∫√≡∈∝→]")
_FIGURE = re.compile(r"[^\w]*\d[\d.,:/%\s'-]*\W*\w{0,3}")


@dataclass(slots=True)
class Row:
    """Pieces of text side by side."""

    pieces: list[Line]
    top: float
    bottom: float
    size: float
    is_above: bool = False  # the file has it behind the row below it

    @property
    def middle(self) -> float:
        """Half way between top and bottom."""
        return (self.top + self.bottom) / 2

    @property
    def reads_right_to_left(self) -> bool:
        """Whether it has words of a script that is written so."""
        return any(is_right_to_left(piece.text) for piece in self.pieces)

    @property
    def words(self) -> list[Word]:
        """Its words in the order of reading."""
        pieces = reversed(self.pieces) if self.reads_right_to_left else self.pieces
        return [word for piece in pieces for word in piece.words]

    @property
    def is_parted(self) -> bool:
        """Whether there is more white between two of its words than a blank takes."""
        if len(self.pieces) > 1:
            return True
        return any(gap.right - gap.left >= _PARTED * self.size for gap in gaps_of(self)[1:-1])

    @property
    def is_equation(self) -> bool:
        """Whether it has a formula and, at its end, the formula's number."""
        *formula, number = (word.text for word in self.words) if self.words else ("",)
        return _EQUATION_NUMBER.fullmatch(number) is not None and any(map(_FORMULA.search, formula))

    def takes(self, line: Line) -> bool:
        """Return whether a line stands on this row, beside what is there."""
        shared = min(self.bottom, line.bottom) - max(self.top, line.top)
        if shared <= SAME_ROW * min(self.size, line.size):
            return False
        return all(line.left >= piece.right - 1 or line.right <= piece.left + 1 for piece in self.pieces)


class Gap(NamedTuple):
    """White from one x to another."""

    left: float
    right: float


def gaps_of(row: Row) -> list[Gap]:
    """Return the white of a row: before its first word, between words, and behind the last."""
    gaps: list[Gap] = []
    end, before = float("-inf"), ""
    words = [word for word in row.words if word.text != LEADER]
    for word in sorted(words, key=lambda word: word.left):
        are_figures = is_figure(before) and is_figure(word.text) and not _THOUSANDS.fullmatch(word.text)
        if word.left - end >= (BETWEEN_FIGURES if are_figures else NARROWEST) * row.size:
            gaps.append(Gap(end, word.left))
        end, before = max(end, word.right), word.text
    return [*gaps, Gap(end, float("inf"))]


def is_number(text: str) -> bool:
    """Return whether a text is a number, with its signs."""
    return _FIGURE.fullmatch(text) is not None


def is_figure(text: str) -> bool:
    """Return whether a word is a number, with its signs, or a dash in its place."""
    return is_number(text) or text in _DASHES


def by_column(row: Row, borders: Sequence[float]) -> list[list[Word]]:
    """Return the words of a row in each of its columns."""
    parts: list[list[Word]] = [[] for _ in range(len(borders) + 1)]
    for word in row.words:
        parts[sum((word.left + word.right) / 2 > border for border in borders)].append(word)
    return parts


def line_of(row: Row, words: Sequence[Word]) -> Line:
    """Return some words of a row as a line of their own."""
    left, right = min(word.left for word in words), max(word.right for word in words)
    first = next((piece for piece in row.pieces if piece.right >= left), row.pieces[-1])
    return replace(
        first,
        text=" ".join(word.text for word in words),
        left=left,
        right=right,
        first_word=words[0].right - words[0].left,
        words=list(words),
    )


def merged(row: Row) -> list[Line]:
    """Return the pieces of a row as one line."""
    if len(row.pieces) == 1:
        return row.pieces
    line = whole_of(row)
    line.is_bold = all(piece.is_bold for piece in row.pieces)
    return [line]


def whole_of(row: Row) -> Line:
    """Return a row of a table as the line that it would be outside of one."""
    line = line_of(row, row.words)
    line.top, line.bottom = row.top, row.bottom
    return line
