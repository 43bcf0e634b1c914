"""Reads a chapter's number from digits, Chinese or Roman numerals, English words, or from its heading."""

from __future__ import annotations

import re
import unicodedata

from hopline.visible import visible
from workers.core.language.figures.words import han_value, number_words, roman_value

_MOST = 100_000  # a number above it is a year or a mistake, and no chapter's
MARKS = re.compile(r"[*_`]{1,3}")  # of Markdown, within a heading
_WORDS = "chapter|kapitel|chapitre|cap[ií]tulo|capitolo|hoofdstuk|kapitola|rozdzia[lł]|глава|bölüm|κεφάλαιο"
_CHINESE = "零〇一二两兩三四五六七八九十百千"
_CJK_NUMBER = f"0-9{_CHINESE}"
_ENGLISH = {
    word: value
    for word, (value, is_ordinal) in number_words("en")[0].items()
    if 0 < value < 100 and not is_ordinal  # noqa: PLR2004
}
_IN_WORDS = "|".join(sorted((word.replace(" ", "[ -]") for word in _ENGLISH), key=len, reverse=True))
_NUMERAL = rf"\d{{1,6}}|[ivxlcdm]{{1,12}}|{_IN_WORDS}"
NUMERAL = rf"{_NUMERAL}|[{_CJK_NUMBER}]{{1,9}}"
# After the number: nothing, or a title behind a mark. "Chapter 3 tells how" is a sentence.
_CALLED = re.compile(rf"(?:{_WORDS})\s+(?P<number>{_NUMERAL})\b\.?(?:\s*[.:：\-–—]\s*.*)?", re.IGNORECASE)
_CJK = re.compile(
    rf"[第제]\s*(?P<number>[{_CJK_NUMBER}]{{1,9}})\s*[章回장](?:[\s:、.·—-].*|\S{{0,30}}(?<!。))"
)


def number_called(text: str) -> int | None:
    """Return the number of a heading such as "Chapter 3" or "第三章 风暴"; None of any other."""
    plain = unicodedata.normalize("NFKC", MARKS.sub("", visible(text))).strip()
    match = _CALLED.fullmatch(plain) or _CJK.fullmatch(plain)
    return numeral_value(match["number"]) if match else None


def numeral_value(numeral: str) -> int | None:
    """Return the value of a numeral; None if it is none, or no chapter's."""
    small = numeral.casefold()
    if small.isdecimal():
        number = int(small)
        return number if number <= _MOST else None
    if set(small) <= set(_CHINESE):
        return int(han_value(small))
    return _ENGLISH.get(small.replace("-", " ")) or roman_value(small)
