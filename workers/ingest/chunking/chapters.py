"""Finds where a text's chapters begin, and their names, from its headings."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from hopline.models.formats import DOCUMENT_FORMATS
from hopline.visible import visible
from workers.core.language.chapter_numbers import MARKS, number_called, numeral_value

Chapter = int | str | None

MOST_CHAPTERS = 10_000  # a text with more holds no chapters but a list that looks like headings
_LONGEST = 120  # characters of a heading line
_LONGEST_NAME = 100
_FENCE = re.compile(r" {0,3}(?:```|~~~)")
_MARKDOWN = re.compile(r" {0,3}(#{1,6})[ \t]+(\S.*)")
_NUMBERED = re.compile(r"(?P<number>\d{1,6}|[IVXL]{1,7})(?:[.:)](?:\s+.*)?)?")  # MIX is a word


class Part(NamedTuple):
    """A half-open range of a text that lies in one chapter."""

    start: int
    end: int
    chapter: Chapter


class Chapters(NamedTuple):
    """The parts of a text in order, which together are the whole text."""

    parts: list[Part]
    beyond: int = 0  # headings that begin no chapter, there being MOST_CHAPTERS before them


class _Heading(NamedTuple):
    start: int
    level: int  # of Markdown; 0 for a plain line
    text: str
    called: bool  # such as "Chapter 3"


def chapters_of(text: str, kind: str = "txt") -> Chapters:
    """Return the parts of a text, at most one before the first chapter, MOST_CHAPTERS, and one after them.

    Lines such as "Chapter 3", "CHAPTER III. The Storm", "第三章 风暴" begin a chapter; where there are none,
    Markdown headings of the highest level that occurs more than once do, or the only one there is.

    Args:
        text: the document's.
        kind: its format; a plain text has no Markdown.
    """
    begins = _begins(list(_headings(text, markdown=DOCUMENT_FORMATS[kind].has_headings)))
    starts = [(heading.start, chapter_of(heading.text)) for heading in begins[:MOST_CHAPTERS]]
    beyond = begins[MOST_CHAPTERS:]
    if beyond:
        starts.append((beyond[0].start, None))  # it is not the last chapter's either
    if not starts or starts[0][0] > 0:
        starts.insert(0, (0, None))
    ends = [start for start, _ in starts[1:]] + [len(text)]
    parts = [Part(start, end, chapter) for (start, chapter), end in zip(starts, ends, strict=True)]
    return Chapters(parts, len(beyond))


def _begins(headings: list[_Heading]) -> list[_Heading]:
    if any(heading.called for heading in headings):
        # An epilogue between them is no part of the chapter before it.
        levels = {heading.level for heading in headings if heading.called and heading.level}
        return [heading for heading in headings if heading.called or heading.level in levels]
    level = _level([heading.level for heading in headings])
    return [heading for heading in headings if heading.level == level]


def chapter_of(heading: str | int | None) -> Chapter:
    """Return a chapter as the graph holds it: a number where the heading has one, else its text."""
    if heading is None or isinstance(heading, int):
        return heading
    text = " ".join(MARKS.sub("", visible(heading)).split())
    number = number_called(text)
    if number is None and (numbered := _NUMBERED.fullmatch(unicodedata.normalize("NFKC", text))):
        number = numeral_value(numbered["number"])
    return number if number is not None else text[:_LONGEST_NAME].rstrip() or None


def _headings(text: str, *, markdown: bool) -> Iterator[_Heading]:
    place = 0
    fenced = False
    after_gap = True  # a plain heading stands alone: wrapped lines of prose may begin like one
    for line in text.splitlines(keepends=True):
        bare = line.strip()
        marked = _MARKDOWN.match(line) if markdown and not fenced else None
        if markdown and _FENCE.match(line):
            fenced = not fenced
        elif marked and len(bare) <= _LONGEST:
            heading = marked[2].rstrip("# \t\r\n")
            yield _Heading(place, len(marked[1]), heading, number_called(heading) is not None)
        elif not fenced and after_gap and len(bare) <= _LONGEST and number_called(bare) is not None:
            yield _Heading(place, 0, bare, called=True)
        after_gap = not bare
        place += len(line)


def _level(levels: list[int]) -> int:
    """Return the highest level that occurs more than once; of those that never do, the first."""
    repeated = [level for level, count in Counter(levels).items() if count > 1]
    return min(repeated or levels[:1], default=0)
