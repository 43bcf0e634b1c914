"""Finds running heads, running feet and page numbers."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import median

from workers.ingest.reading.pdf.lines import Line
from workers.ingest.reading.pdf.page import Page

_EDGE = 0.12  # of the page's height, at its top and its bottom
_FEWEST_PAGES = 2  # with a head
_NUMBER = "(number)"
_SHARE_OF_PAGES = 0.2  # with a head, of a document with few pages
_FEW_PAGES = 15
_SAME_HEIGHT = 15.0  # points between places of a running head on its pages
_DIGITS = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(
    r"[-–—\[(]?\s*(?:p(?:age|\.)?|seite|página|第)?\s*(?:\d{1,4}|[ivxlc]{1,6})"
    r"\s*(?:(?:of|/|von|de|页|ページ)\s*\d{0,4})?\s*[-–—\])]?",
    re.IGNORECASE,
)


def mark_furniture(pages: Sequence[Page]) -> None:
    """Mark lines at the edges of pages that repeat there, but for their numbers.

    The first of them is text, in which a letterhead or the name of a report is said once. No page number is.
    On two pages alone a line may repeat by chance: it stays text, which a sentence may run around.
    """
    placed: defaultdict[tuple[str, int], list[tuple[int, float, Line]]] = defaultdict(list)
    for page in pages:
        for line in _edge_lines(page):
            is_low = line.top > page.height / 2
            at = page.height - line.bottom if is_low else line.top
            is_number = _PAGE_NUMBER.fullmatch(line.text) is not None
            words = _NUMBER if is_number else _DIGITS.sub("0", line.text.casefold())
            placed[f"{is_low} {words}", round(line.size)].append((page.number, at, line))
    share = _SHARE_OF_PAGES * len(pages) if len(pages) < _FEW_PAGES else 0
    for (words, _), repeats in placed.items():
        usual = median(at for _, at, _ in repeats)
        near = [(number, line) for number, at, line in repeats if abs(at - usual) <= _SAME_HEIGHT]
        count = len({number for number, _ in near})
        if count < max(_FEWEST_PAGES, share):
            continue
        for index, (_, line) in enumerate(near):
            is_said = count == _FEWEST_PAGES or (index == 0 and not words.endswith(_NUMBER))
            line.is_head, line.is_furniture = is_said, not is_said


def _edge_lines(page: Page) -> Iterable[Line]:
    for region in page.regions:
        for line in region:
            if not line.table and (line.bottom < _EDGE * page.height or line.top > (1 - _EDGE) * page.height):
                yield line
