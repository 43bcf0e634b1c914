"""Reads a chapter's number from digits, from Chinese, Roman or English numerals, or from its heading."""

from __future__ import annotations

import re
import unicodedata

from hopline.visible import visible
from workers.core.language.figures.words import han_value

_MOST = 100_000  # a number above it is a year or a mistake, and no chapter's
MARKS = re.compile(r"[*_`]{1,3}")  # of Markdown, within a heading
_WORDS = "chapter|kapitel|chapitre|cap[ií]tulo|capitolo|hoofdstuk|kapitola|rozdzia[lł]|глава|bölüm|κεφάλαιο"
_CJK_NUMBER = "0-9零〇一二两兩三四五六七八九十百千"
_ENGLISH = """
    one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen twenty
    """.split()  # noqa: SIM905 - a list of words reads best
_NUMERAL = rf"\d{{1,6}}|[ivxlcdm]{{1,12}}|{'|'.join(_ENGLISH)}"
NUMERAL = rf"{_NUMERAL}|[{_CJK_NUMBER}]{{1,9}}"
# After the number: nothing, or a title behind a mark. "Chapter 3 tells how" is a sentence.
_CALLED = re.compile(rf"(?:{_WORDS})\s+(?P<number>{_NUMERAL})\b\.?(?:\s*[.:：\-–—]\s*.*)?", re.IGNORECASE)
_CJK = re.compile(
    rf"[第제]\s*(?P<number>[{_CJK_NUMBER}]{{1,9}})\s*[章回장](?:[\s:、.·—-].*|\S{{0,30}}(?<!。))"
)
_ROMAN = re.compile(r"m{0,3}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})", re.IGNORECASE)
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}
_CHINESE = frozenset("零〇一二两兩三四五六七八九十百千")


def number_called(text: str) -> int | None:
    """Return the number of a heading such as "Chapter 3" or "第三章 风暴"; None of any other."""
    plain = unicodedata.normalize("NFKC", MARKS.sub("", visible(text))).strip()
    match = _CALLED.fullmatch(plain) or _CJK.fullmatch(plain)
    return numeral_value(match["number"]) if match else None


def numeral_value(numeral: str) -> int | None:
    """Return the value of a numeral; None if it is none, or no chapter's."""
    small = numeral.casefold()
    if small in _ENGLISH:
        return _ENGLISH.index(small) + 1
    if small.isdecimal():
        number = int(small)
        return number if number <= _MOST else None
    if _ROMAN.fullmatch(small):
        return roman_value(small)
    return int(han_value(small)) if set(small) <= _CHINESE else None


def roman_value(numeral: str) -> int:
    """Return the value of a Roman numeral in small letters."""
    values = [_ROMAN_VALUES[letter] for letter in numeral]
    following = [*values[1:], 0]
    return sum(-value if value < after else value for value, after in zip(values, following, strict=True))
