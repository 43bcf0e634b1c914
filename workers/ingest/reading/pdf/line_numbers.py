"""Finds the numbers that count the lines of a page, beside them: of drafts, pleadings and programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from workers.ingest.reading.blocks import RAISED
from workers.ingest.reading.pdf.lines import Line

_STEPS = (1, 2, 5, 10)  # from one number to the next
_FEWEST, _FEWEST_STEPPED, _FEWEST_OF_TEXT = 4, 3, 10  # numbers: of a program, not each line's, of a text
_PER_NUMBER = (0.5, 1.7)  # times the step: lines for each number
_MOST_DIGITS = 5
_SMALL = 0.85  # times the size of the text beside it
_ALIGNED = 1.5  # points
_BELOW_BASE, _RAISED_BY = 0.22, 0.2  # of a line's size: below its base line; a note's mark above it
_FEWEST_WORDS = 5  # of half of the lines: text, not the rows of a table
_SHARE_RUNNING = 0.1  # of the lines, which begin within a sentence
_MOST_BESIDE = 1.2  # pieces of a line
_EDGE = 0.1  # of the page's height: running heads and feet may stand beside the numbers


class _Number(NamedTuple):
    """A number that may count its line."""

    line: Line
    value: int
    left: float
    right: float
    height: float
    is_alone: bool


def without_line_numbers(lines: Sequence[Line], height: float) -> tuple[list[Line], int]:
    """Return lines without the numbers that count them, and how many numbers there were.

    Args:
        lines: lines of a page.
        height: height of the page, in points.
    """
    found: list[_Number] = []
    numbers = [number for line in lines if (number := _number(line))]
    if len(numbers) >= _FEWEST_STEPPED:
        for chain in _chains(numbers):
            if _counts_lines(chain, lines, height):
                found += chain
    alone = {id(number.line) for number in found if number.is_alone}
    for number in found:
        if not number.is_alone:
            _remove_first_word(number.line)
    return [line for line in lines if id(line) not in alone], len(found)


def _number(line: Line) -> _Number | None:
    if not line.is_plain or not line.words:
        return None
    word = line.words[0]
    if not (word.text.isascii() and word.text.isdigit() and len(word.text) <= _MOST_DIGITS):
        return None
    return _Number(line, int(word.text), word.left, word.right, word.height, len(line.words) == 1)


def _chains(numbers: Sequence[_Number]) -> Iterator[list[_Number]]:
    """Yield numbers below one another that grow by the same step."""
    free = sorted(numbers, key=lambda number: number.line.top)
    while len(free) >= _FEWEST_STEPPED:
        first = free[0]
        column = [
            number
            for number in free
            if abs(number.right - first.right) <= _ALIGNED or abs(number.left - first.left) <= _ALIGNED
        ]
        chain = column[:1]
        step = 0
        for before, number in pairwise(column):
            grows = number.value - before.value
            if grows not in _STEPS or (step and grows != step):
                break
            step = grows
            chain.append(number)
        free = [number for number in free if number not in chain]
        if len(chain) >= (_FEWEST if step == 1 else _FEWEST_STEPPED):
            yield chain


def _counts_lines(chain: Sequence[_Number], lines: Sequence[Line], height: float) -> bool:
    """Return whether numbers count lines: smaller than the text beside them, or along all of the page."""
    top, bottom = chain[0].line.top, chain[-1].line.bottom
    left, right = min(number.left for number in chain), max(number.right for number in chain)
    own = {id(number.line) for number in chain if number.is_alone}
    rest = [line for line in lines if id(line) not in own and line.is_plain]
    beside = [
        line for line in rest if line.top < bottom and line.bottom > top and len(line.text) > _MOST_DIGITS
    ]
    if not beside or 2 * sum(_is_raised(number, beside) for number in chain) > len(chain):
        return False
    step = chain[1].value - chain[0].value
    is_small = median(number.height for number in chain) <= _SMALL * median(line.size for line in beside)
    is_program = 2 * sum(line.is_fixed for line in beside) > len(beside)
    if len(chain) * step < _FEWEST_OF_TEXT and not is_program:
        return False
    least, most = (factor * step * len(chain) for factor in _PER_NUMBER)
    if is_small:
        return least <= len(beside) <= most
    if not all(number.is_alone for number in chain):
        return False
    inner = [line for line in rest if _EDGE * height < line.top and line.bottom < (1 - _EDGE) * height]
    if any(line.left < right and line.right > left for line in inner):
        return False
    words = median(len(line.words) for line in beside)
    running = sum(line.text[:1].islower() for line in beside)  # next to none in a list
    return (
        running >= _SHARE_RUNNING * len(beside)
        and words >= _FEWEST_WORDS
        and len(beside) <= _MOST_BESIDE * step * len(chain)
    )


def _is_raised(number: _Number, beside: Sequence[Line]) -> bool:
    """Return whether a number is the mark of a note."""
    if not number.is_alone:
        return number.line.text.startswith(RAISED)
    size = number.line.size
    base = number.line.bottom - _BELOW_BASE * size
    near = max(beside, key=lambda line: min(line.bottom, number.line.bottom) - max(line.top, number.line.top))
    return base < near.bottom - (_BELOW_BASE + _RAISED_BY) * near.size


def _remove_first_word(line: Line) -> None:
    line.words = line.words[1:]
    line.text = " ".join(word.text for word in line.words)
    line.left = line.words[0].left
    line.first_word = line.words[0].right - line.words[0].left
