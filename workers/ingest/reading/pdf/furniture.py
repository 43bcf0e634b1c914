"""Finds running heads, running feet and page numbers."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import median
from typing import NamedTuple

from workers.core.language.figures.words import roman_value
from workers.ingest.reading.pdf.lines import Line
from workers.ingest.reading.pdf.page import Page

_EDGE = 0.12  # of the page's height, at its top and its bottom
_EDGE_OF_NUMBERS = 0.2  # likewise, of page numbers alone, which TeX sets high on A4
_FEWEST_PAGES = 2  # with a head
_SHARE_OF_PAGES = 0.2  # with a head, from its first to its last: a chapter's may be on few of a book
_SHARE_REPEATED = 0.5  # of lines with the same words: others have values in them that differ by page
_NUMBER = "(number)"
_SAME_HEIGHT = 15.0  # points between places of a running head on its pages
_DIGITS = re.compile(r"\d+")
_MOST_NUMBERS, _MOST_DIGITS = 8, 6  # in a line, in a number: more do not count pages
_PAGE_NUMBER = re.compile(
    r"[-–—\[(]?\s{0,9}(?:p(?:age|\.)?|seite|página|第)?\s{0,9}(?:\d{1,4}|([ivxlc]{1,6}))"
    r"\s{0,9}(?:(?:of|/|von|de|页|ページ)\s{0,9}\d{0,4})?\s{0,9}[-–—\])]?",
    re.IGNORECASE,
)


class _EdgeLine(NamedTuple):
    """A line at the upper or lower edge of a page."""

    line: Line
    page: int  # 1 for the first
    at: float  # points from the edge


_Kind = tuple[str, bool, int]  # words without their figures, whether at the foot, size


class _Pattern(NamedTuple):
    """The numbers of a line, which are the same wherever it repeats."""

    numbers: tuple[str | int, ...]  # one that counts pages is how far it is from the page's own number
    step: int = 0  # by which a number grows from page to page; 0 if none does


_OWN_NUMBER = _Pattern((0,), 1)


def mark_furniture(pages: Sequence[Page]) -> None:
    """Mark lines that repeat at page edges, ignoring page numbers when comparing them.

    The first of them is text, in which a letterhead or the name of a report is said once. No page number is.
    On two pages alone a line may repeat by chance, unless it is the pages' own numbers, and a line whose
    numbers differ otherwise has values in it: they stay text, which a sentence may run around.
    """
    placed: defaultdict[_Kind, list[_EdgeLine]] = defaultdict(list)
    for page in pages:
        for line in _edge_lines(page):
            kind, placed_line = _placed(line, page)
            placed[kind].append(placed_line)
    for (words, _, _), lines in placed.items():
        usual = median(line.at for line in lines)
        near = [line for line in lines if abs(line.at - usual) <= _SAME_HEIGHT]
        _mark_repeated(near, is_number=words == _NUMBER)

    for page in pages:
        for region in page.regions:
            region[:] = [part for line in region for part in _without_heads(line, page, placed)]


def _placed(line: Line, page: Page) -> tuple[_Kind, _EdgeLine]:
    is_low = line.top > page.height / 2
    at = page.height - line.bottom if is_low else line.top
    is_number = _PAGE_NUMBER.fullmatch(line.text) is not None
    words = _NUMBER if is_number else _DIGITS.sub("0", line.text.casefold())
    return (words, is_low, round(line.size)), _EdgeLine(line, page.number, at)


def _without_heads(line: Line, page: Page, placed: Mapping[_Kind, Sequence[_EdgeLine]]) -> Iterator[Line]:
    """Yield a line; of a table, a running head or foot that is as near as a row of it apart."""
    for edge, is_first in zip(line.edges, (True, False), strict=False):
        cells = line.table.cells if line.table else []
        rows = [cell.row for cell in cells]
        gone = (min if is_first else max)(rows, default=0)
        is_row = " ".join(cell.text for cell in cells if cell.row == gone) == edge.text
        if line.table and is_row and _is_known(edge, page, placed):
            kept = [cell for cell in cells if cell.row != gone]
            line.table.cells = [replace(cell, row=cell.row - is_first) for cell in kept]
            edge.is_furniture = True
            yield edge
    yield line


def _is_known(line: Line, page: Page, placed: Mapping[_Kind, Sequence[_EdgeLine]]) -> bool:
    """Return whether a row of a table is a running head or foot of other pages, at its place there."""
    kind, mine = _placed(line, page)
    known = [other for other in placed.get(kind, ()) if other.line.is_furniture or other.line.is_head]
    patterns = {pattern for other in known for pattern in _patterns(other, is_number=False)}
    return (
        len({other.page for other in known}) >= _FEWEST_PAGES
        and abs(median(other.at for other in known) - mine.at) <= _SAME_HEIGHT
        and not patterns.isdisjoint(_patterns(mine, is_number=False))
    )


def _edge_lines(page: Page) -> Iterable[Line]:
    for region in page.regions:
        for line in region:
            edge = (_EDGE_OF_NUMBERS if _PAGE_NUMBER.fullmatch(line.text) else _EDGE) * page.height
            if not line.table and (line.bottom < edge or line.top > page.height - edge):
                yield line


def _mark_repeated(lines: Sequence[_EdgeLine], *, is_number: bool) -> None:
    """Mark those of lines with the same words, or of page numbers, whose numbers follow a pattern."""
    pages_of: defaultdict[_Pattern, set[int]] = defaultdict(set)
    patterns = [list(_patterns(line, is_number=is_number)) for line in lines]
    for line, possible in zip(lines, patterns, strict=True):
        for pattern in possible:
            pages_of[pattern].add(line.page)

    def weight(pattern: _Pattern) -> tuple[bool, int]:
        count = len(pages_of[pattern])
        return is_number and pattern.step > 0 and count >= _FEWEST_PAGES, count

    if not _is_on_enough({line.page for line in lines}):
        return
    for line in lines:
        line.line.is_head = True
    likely = [(line, max(possible, key=weight)) for line, possible in zip(lines, patterns, strict=True)]
    repeated = [(line, pattern) for line, pattern in likely if len(pages_of[pattern]) >= _FEWEST_PAGES]
    on = {line.page for line, _ in repeated}
    is_counted = is_number and all(pattern == _OWN_NUMBER for _, pattern in repeated)
    is_by_chance = (len(on) <= _FEWEST_PAGES and not is_counted) or len(on) < _SHARE_REPEATED * len(
        {line.page for line in lines}
    )
    if is_by_chance or not _is_on_enough(on):
        return
    said: set[_Pattern] = set()
    for (marked, _, _), pattern in repeated:
        marked.is_head = pattern not in said and not (is_number and pattern.step)
        marked.is_furniture = not marked.is_head
        said.add(pattern)


def _is_on_enough(pages: set[int]) -> bool:
    if len(pages) < _FEWEST_PAGES:
        return False
    return len(pages) >= _SHARE_OF_PAGES * (max(pages) - min(pages) + 1)


def _patterns(line: _EdgeLine, *, is_number: bool) -> Iterator[_Pattern]:
    """Yield the patterns that a line may follow; a page number may count the pages of a book two by two."""
    numbers = _DIGITS.findall(line.line.text)
    roman = _PAGE_NUMBER.fullmatch(line.line.text) if is_number else None
    value = roman_value(roman[1]) if roman and roman[1] else None
    if value:
        numbers.insert(0, str(value))
    yield _Pattern(tuple(numbers))
    if len(numbers) > _MOST_NUMBERS:
        return
    for index, number in enumerate(numbers):
        if len(number) <= _MOST_DIGITS:
            for step in (1, 2) if is_number else (1,):
                beyond = int(number) - step * line.page
                yield _Pattern((*numbers[:index], beyond, *numbers[index + 1 :]), step)
