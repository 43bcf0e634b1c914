"""Normalises numbers and months in a text: 1,000 equals one thousand, and 1843-07 names July."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from workers.core.language.chapter_numbers import roman_value
from workers.core.language.dates import MONTHS, month_of
from workers.core.language.figures.figures import figures
from workers.core.language.visible import visible

_SMALL = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"),
    *("twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_ORDINALS = (
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
)
_WORDS = (
    {word: value for value, word in enumerate(_SMALL)}
    | {word: 20 + 10 * nth for nth, word in enumerate(_TENS)}
    | {word: 3 + nth for nth, word in enumerate(_ORDINALS)}
    | {word + "th": 13 + nth for nth, word in enumerate(_SMALL[13:])}
    | {word[:-1] + "ieth": 20 + 10 * nth for nth, word in enumerate(_TENS)}
)
_TIMES = {"hundred": 10**2, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_SHORT_TIMES = {"k": "thousand", "m": "million", "mn": "million", "b": "billion", "bn": "billion"}
# "one" and "first" are too common as plain words to be held against a sentence.
_COMMON = frozenset({"1"})
_COUNTED = {"one": "1", "first": "1", "once": "1", "second": "2", "twice": "2", "dozen": "12"}
_ROMAN = re.compile(r"\bX{0,3}(?:I[XV]|V?I{0,3})\b")
_AROUND = 20  # characters: a sign of percent or of money is seen, "approximately", "rd quarter of 2006"
# As 15 Feb 19, or May '68; where a clock or a comma follows it is no year.
_CUT_YEAR = re.compile(
    rf"\b(?:\d{{1,2}}(?:st|nd|rd|th)?[ -](?:{'|'.join(name[:3] for name in MONTHS)}|sept)\.?[ -]'?"
    rf"|(?:{'|'.join(MONTHS)}) ')(?P<year>\d\d)(?![\d:.,]*\d)"
)
_LAST_OF_2000 = (
    68  # years of two digits up to this are of the 21st century, as POSIX reads them (strptime, %y)
)
_OTHER_SCRIPT = re.compile("[\u0400-\u1fff\u2e80-\ud7ff\uf900-\ufaff]")  # whose numbers `figures` reads
_HARD_SPACE = re.compile("(?<=\\d)[\u00a0\u2009\u202f](?=\\d{3}(?!\\d))")
_DATE = re.compile(r"(?<!\d)(?:(\d{4})-(\d{2})(?:-(\d{2}))?|(\d{1,2})[./](\d{1,2})[./](\d{4}|\d{2}))(?!\d)")
# Two years of which the second is cut, as 2018 and 19 with a dash. With a hyphen 2010-11 may be a month.
_SEASON = re.compile(
    r"(?<!\d)(?P<first>1\d|20)(?P<year>\d\d)(?:\s?[–—/]\s?|-(?!0|1[012]))(?P<last>\d\d)(?![\d.,/–-]*\d)"
)
_AMOUNT = re.compile(r"(?P<digits>(?<=[$€£¥])\s?\d[\d.,]*|\d(?=\s?[mb]n\b))\s?(?P<times>[kmb]|[mb]n)\b")
_SHORT_MONTH = re.compile(r"\d(?:st|nd|rd|th)?\s(?P<after>[a-z]{3,4})\b|\b(?P<before>[a-z]{3,4})\.?,?\s\d")
_DIGITS = re.compile(
    r"(?<![^\W\d_])(?<![^\W\d_]-)(?<!\d)(?P<sign>(?:(?<!\S)|(?<=\())(?:minus |[-\u2212]))?"
    r"(?P<whole>\d{1,3}(?:[,']\d{3})+(?!\d)|\d+)(?P<part>[.,]\d+)?"
    r"(?:[ -](?P<times>hundred|thousand|million|billion|trillion)s?\b)?"
)
_SPELLED = re.compile(
    rf"\b(?P<tens>{'|'.join(_TENS)})?-?(?:(?P<word>{'|'.join(sorted(_WORDS, key=len, reverse=True))})\b)?"
    r"(?:[ -](?P<times>hundred|thousand|million|billion|trillion)\b)?"
)


class Written(NamedTuple):
    """A number in a text: its value in plain digits, its spelling, and the text around it."""

    value: str
    text: str
    before: str
    after: str


def numbers(text: str) -> dict[str, str]:
    """Return the numbers of a text, each by its value in plain digits, as it is written there.

    Digits within a word that begins with a letter (B-52, H2O) are part of a name, not a number.
    """
    spellings: dict[str, str] = {}
    if _OTHER_SCRIPT.search(text):
        for figure in figures(visible(text)):
            values = figure.readings[:1] or [part for part in figure.day or () if part]
            for value in () if figure.loose else values:
                spellings.setdefault(_plain(f"{value:f}" if figure.readings else str(value)), figure.text)
        return spellings
    for number in each_number(text):
        spellings.setdefault(number.value, number.text)
    return spellings


def counted(text: str) -> set[str]:
    """Return the numbers that a text says in words too common to be held against it, or in Roman numerals.

    So a sentence may say "2nd place" where its source says "second", and "part 4" for part IV.
    """
    shaped = unicodedata.normalize("NFKC", visible(text))
    values = {value for word, value in _COUNTED.items() if re.search(rf"\b{word}\b", shaped, re.IGNORECASE)}
    values.update(str(roman_value(numeral.casefold())) for numeral in _ROMAN.findall(shaped) if numeral)
    return values


def cut_years(text: str) -> set[str]:
    """Return the years that stand in a text as the last two digits of a date, in four."""
    return {
        f"{19 if int(match['year']) > _LAST_OF_2000 else 20}{match['year']}"
        for match in _CUT_YEAR.finditer(_folded(text))
    }


def whole_seasons(text: str) -> str:
    """Write the second of two years in full where it is cut, as in 2018/19."""
    return _SEASON.sub(_both_years, text)


def each_number(text: str) -> Iterator[Written]:
    """Yield all numbers of a text: in dates, in digits, in words."""
    folded = _unabbreviated(_folded(_HARD_SPACE.sub("", text)))
    for date in _DATE.finditer(folded):
        yield from (Written(_plain(part), part, "", "") for part in date.groups() if part)
    rest = _DATE.sub(" ", folded)
    for match in _DIGITS.finditer(rest):
        yield _written(_digits_value(match), match)
    for match in _SPELLED.finditer(rest):
        value = _spelled_value(match)
        if value and value not in _COMMON:
            yield _written(value, match)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", visible(text)).casefold().replace("’", "'")


def _unabbreviated(folded: str) -> str:
    """Write out years and amounts that are cut, as £6.5m."""
    whole = _SEASON.sub(_both_years, folded)
    return _AMOUNT.sub(lambda match: f"{match['digits']} {_SHORT_TIMES[match['times']]}", whole)


def _both_years(match: re.Match[str]) -> str:
    century, year, last = int(match["first"]), match["year"], match["last"]
    return f"{century}{year} {century + (last < year)}{last}"


def is_spelled(word: str) -> bool:
    """Return whether a word is a number's English name."""
    match = _SPELLED.fullmatch(word.casefold())
    return match is not None and bool(_spelled_value(match))


def months(text: str) -> set[str]:
    """Return the months that a text names, by name or within a date in digits."""
    folded = _folded(text)
    names = {month for month in MONTHS if re.search(rf"\b{month}\b", folded)}
    near_digits = (match["after"] or match["before"] for match in _SHORT_MONTH.finditer(folded))
    names.update(month for word in near_digits if (month := month_of(word)))
    for date in _DATE.finditer(folded):
        candidates = [date[2]] if date[1] else [date[4], date[5]]  # day and month in either order
        names.update(MONTHS[int(part) - 1] for part in candidates if 1 <= int(part) <= len(MONTHS))
    return names


def is_month(word: str) -> bool:
    """Return whether a word is a month's English name."""
    return word.casefold() in MONTHS


def _written(value: str, match: re.Match[str]) -> Written:
    start, end, text = match.start(), match.end(), match.string
    return Written(value, match.group(), text[max(0, start - _AROUND) : start], text[end : end + _AROUND])


def _digits_value(match: re.Match[str]) -> str:
    whole = match["whole"].replace(",", "").replace("'", "")
    part = (match["part"] or "").replace(",", ".")
    return _signed(match["sign"], _scaled(whole + part, match["times"]))


def _spelled_value(match: re.Match[str]) -> str:
    if not match["tens"] and not match["word"]:
        return ""
    value = _WORDS.get(match["tens"] or "", 0) + _WORDS.get(match["word"] or "", 0)
    return _scaled(str(value), match["times"])


def _scaled(number: str, times: str | None) -> str:
    if not times:
        return _plain(number)
    whole, _, part = number.partition(".")
    scale = _TIMES[times]
    value = int(whole) * scale + (int(part) * scale // 10 ** len(part) if part else 0)
    return str(value)


def _plain(number: str) -> str:
    whole, _, part = number.partition(".")
    part = part.rstrip("0")
    return (whole.lstrip("0") or "0") + (f".{part}" if part else "")


def _signed(sign: str | None, number: str) -> str:
    return f"-{number}" if sign else number
