"""Names the numbers and months of a text: 1,000 equals one thousand, and 1843-07 names July."""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal

from hopline.visible import visible
from workers.core.language.dates import MONTHS
from workers.core.language.figures.figures import figures
from workers.core.language.figures.words import number_words, roman_value

_COUNTED = {"one": "1", "first": "1", "once": "1", "second": "2", "twice": "2", "dozen": "12"}
_SMALL_ROMAN = re.compile(r"\b[IVX]{1,7}\b")  # 1 to 39
# As 15 Feb 19, or May '68; where a clock or a comma follows it is no year.
_CUT_YEAR = re.compile(
    rf"\b(?:\d{{1,2}}(?:st|nd|rd|th)?[ -](?:{'|'.join(name[:3] for name in MONTHS)}|sept)\.?[ -]'?"
    rf"|(?:{'|'.join(MONTHS)}) ')(?P<year>\d\d)(?![\d:.,]*\d)"
)
_LAST_OF_2000 = (
    68  # years of two digits up to this are of the 21st century, as POSIX reads them (strptime, %y)
)
# Two years, the second of them cut, as 2018 and 19 with a dash. With a hyphen 2010-11 may be a month.
_SEASON = re.compile(
    r"(?<!\d)(?P<first>1\d|20)(?P<year>\d\d)(?:\s?[–—/]\s?|-(?!0|1[012]))(?P<last>\d\d)(?![\d.,/–-]*\d)"
)


def numbers(text: str) -> dict[str, str]:
    """Return the numbers of a text, each by its value in plain digits, as written there.

    Digits within a word that begins with a letter (B-52, H2O) are part of a name, not a number.
    """
    spellings: dict[str, str] = {}
    for figure in figures(whole_seasons(visible(text))):
        values = figure.readings[:1] or [part for day in figure.days for part in day if part]
        for value in () if figure.loose else values:
            spellings.setdefault(f"{Decimal(value).normalize():f}", figure.text)
    return spellings


def counted(text: str) -> set[str]:
    """Return the numbers of a text in words too common to be checked, or in Roman numerals.

    So a sentence may say "2nd place" if its source says "second", and "part 4" for part IV.
    """
    shaped = unicodedata.normalize("NFKC", visible(text))
    values = {value for word, value in _COUNTED.items() if re.search(rf"\b{word}\b", shaped, re.IGNORECASE)}
    romans = map(roman_value, _SMALL_ROMAN.findall(shaped))
    return values.union(str(value) for value in romans if value)


def cut_years(text: str) -> set[str]:
    """Return the years in a text that dates give with two digits, in four digits."""
    return {
        f"{19 if int(match['year']) > _LAST_OF_2000 else 20}{match['year']}"
        for match in _CUT_YEAR.finditer(_folded(text))
    }


def whole_seasons(text: str) -> str:
    """Write the second of two years in full if it is shortened, as in 2018/19."""
    return _SEASON.sub(_both_years, text)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", visible(text)).casefold().replace("’", "'")


def _both_years(match: re.Match[str]) -> str:
    century, year, last = int(match["first"]), match["year"], match["last"]
    return f"{century}{year} {century + (last < year)}{last}"


def is_spelled(word: str) -> bool:
    """Return whether a word is a number's English name; first and second are other words as well."""
    value, is_ordinal = number_words("en")[0].get(word.casefold().replace("-", " "), (0, True))
    return value > 2 or not is_ordinal  # noqa: PLR2004


def months(text: str) -> set[str]:
    """Return the months that a text names in English, or in a date in any language."""
    named = {MONTHS[day[1] - 1] for figure in figures(visible(text)) for day in figure.days if day[1]}
    return named.union(re.findall(rf"\b(?:{'|'.join(MONTHS)})\b", _folded(text)))


def is_month(word: str) -> bool:
    """Return whether a word is a month's English name."""
    return word.casefold() in MONTHS
