"""Where the chapters of a text begin, by its headings, and what they are called."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from workers.core.visible import visible

Chapter = int | str | None

MOST_CHAPTERS = 10_000  # a text with more holds no chapters but a list that looks like headings
_LONGEST = 120  # characters of a heading line
_LONGEST_NAME = 100
_MOST = 100_000  # a number above it is a year or a mistake, and no chapter's
_FENCE = re.compile(r" {0,3}(?:```|~~~)")
_MARKDOWN = re.compile(r" {0,3}(#{1,6})[ \t]+(\S.*)")
_MARKS = re.compile(r"[*_`]{1,3}")
_WORDS = "chapter|kapitel|chapitre|cap[ií]tulo|capitolo|hoofdstuk|kapitola|rozdzia[lł]|глава|bölüm|κεφάλαιο"
_CJK_NUMBER = "0-9零〇一二两兩三四五六七八九十百千"
_ENGLISH = """
    one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen twenty
    """.split()  # noqa: SIM905 - a list of words reads best
_NUMERAL = rf"\d{{1,6}}|[ivxlcdm]{{1,12}}|{'|'.join(_ENGLISH)}"
# After the number: nothing, or a title behind a mark. "Chapter 3 tells how" is a sentence.
_CALLED = re.compile(rf"(?:{_WORDS})\s+(?P<number>{_NUMERAL})\b\.?(?:\s*[.:：\-–—]\s*.*)?", re.IGNORECASE)
_CJK = re.compile(
    rf"[第제]\s*(?P<number>[{_CJK_NUMBER}]{{1,9}})\s*[章回장](?:[\s:、.·—-].*|\S{{0,30}}(?<!。))"
)
_NUMBERED = re.compile(r"(?P<number>\d{1,6}|[IVXL]{1,7})(?:[.:)](?:\s+.*)?)?")  # MIX is a word
_ROMAN = re.compile(r"m{0,3}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})", re.IGNORECASE)
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}
_DIGITS = {sign: value for value, sign in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
_UNITS = {"十": 10, "百": 100, "千": 1000}


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
    begins = _begins(list(_headings(text, markdown=kind not in {"txt", "pdf"})))
    starts = [(one.start, chapter_of(one.text)) for one in begins[:MOST_CHAPTERS]]
    beyond = begins[MOST_CHAPTERS:]
    if beyond:
        starts.append((beyond[0].start, None))  # it is not the last chapter's either
    if not starts or starts[0][0] > 0:
        starts.insert(0, (0, None))
    ends = [start for start, _ in starts[1:]] + [len(text)]
    parts = [Part(start, end, chapter) for (start, chapter), end in zip(starts, ends, strict=True)]
    return Chapters(parts, len(beyond))


def _begins(headings: list[_Heading]) -> list[_Heading]:
    if any(one.called for one in headings):
        # An epilogue between them is no part of the chapter before it.
        levels = {one.level for one in headings if one.called and one.level}
        return [one for one in headings if one.called or one.level in levels]
    level = _level([one.level for one in headings])
    return [one for one in headings if one.level == level]


def chapter_of(heading: str | int | None) -> Chapter:
    """Return a chapter as the graph holds it: a number where the heading has one, else its text."""
    if heading is None or isinstance(heading, int):
        return heading
    text = " ".join(_MARKS.sub("", visible(heading)).split())
    number = _number_of_called(text)
    if number is None and (numbered := _NUMBERED.fullmatch(unicodedata.normalize("NFKC", text))):
        number = _value(numbered["number"])
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
            yield _Heading(place, len(marked[1]), heading, _number_of_called(heading) is not None)
        elif not fenced and after_gap and len(bare) <= _LONGEST and _number_of_called(bare) is not None:
            yield _Heading(place, 0, bare, called=True)
        after_gap = not bare
        place += len(line)


def _level(levels: list[int]) -> int:
    """Return the highest level that occurs more than once; of those that never do, the first."""
    repeated = [level for level, count in Counter(levels).items() if count > 1]
    return min(repeated or levels[:1], default=0)


def _number_of_called(text: str) -> int | None:
    plain = unicodedata.normalize("NFKC", _MARKS.sub("", visible(text))).strip()
    found = _CALLED.fullmatch(plain) or _CJK.fullmatch(plain)
    return _value(found["number"]) if found else None


def _value(numeral: str) -> int | None:
    small = numeral.casefold()
    if small in _ENGLISH:
        return _ENGLISH.index(small) + 1
    if small.isdecimal():
        number = int(small)
        return number if number <= _MOST else None
    if _ROMAN.fullmatch(small):
        return _roman(small)
    return _chinese(small) if set(small) <= _DIGITS.keys() | _UNITS.keys() else None


def _roman(numeral: str) -> int:
    values = [_ROMAN_VALUES[letter] for letter in numeral]
    following = [*values[1:], 0]
    return sum(-one if one < after else one for one, after in zip(values, following, strict=True))


def _chinese(numeral: str) -> int:
    if not set(numeral) & _UNITS.keys():
        return int("".join(str(_DIGITS[sign]) for sign in numeral))
    total = digit = 0
    for sign in numeral:
        if sign in _UNITS:
            total += (digit or 1) * _UNITS[sign]
            digit = 0
        else:
            digit = _DIGITS[sign]
    return total + digit
