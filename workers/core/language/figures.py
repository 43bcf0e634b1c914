"""Finds the figures of a text: numbers with their units, and dates, each with its place and meaning."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from workers.core.language.dates import MONTHS
from workers.core.language.numerals import each_number, is_spelled

Day = tuple[int | None, int | None, int | None]  # year, month, day as far as they are written

_MONTH = "|".join(MONTHS)
_DATE = re.compile(
    rf"\b(?:(?P<day>\d{{1,2}}) (?P<month>{_MONTH})(?:,? (?P<year>\d{{4}}))?"
    rf"|(?P<month_first>{_MONTH}) (?P<day_second>\d{{1,2}})(?!\d)(?:,? (?P<year_third>\d{{4}}))?"
    rf"|(?P<month_alone>{_MONTH}) (?P<year_second>\d{{4}})"
    r"|(?P<year_iso>\d{4})-(?P<month_iso>\d\d)-(?P<day_iso>\d\d))\b",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d{1,3}(?:[,.]\d{3})+(?:[,.]\d+)?(?!\d)|\d+(?:[.,]\d+)?")
_GROUPED = re.compile(r"\d{1,3}(?:([,.])\d{3})(?:\1\d{3})*(?:(?!\1)[,.]\d+)?")
_TIMES = re.compile(r"[ \u00a0](thousand|million|billion)\b", re.IGNORECASE)
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9}
_WORDS = re.compile(r"[A-Za-z]+(?:-[A-Za-z]+)?(?: (?:hundred|thousand|million|billion))?")
_UNIT = re.compile(r"[ \u00a0-]?(?:([%‰€$£¥])|([^\W\d_]+))")
_UNITS = {
    word: unit
    for unit, words in {
        "EUR": "€ euro euros eur",
        "USD": "$ dollar dollars usd",
        "GBP": "£ pound pounds gbp",
        "CNY": "元 yuan cny",
        "percent": "% percent prozent",
        "metre": "metre metres meter meters m",
        "kilometre": "kilometre kilometres kilometer kilometers km",
        "tonne": "tonne tonnes",
        "second": "second seconds",
        "minute": "minute minutes",
        "hour": "hour hours",
        "day": "day days",
        "week": "week weeks",
        "month": "month months",
        "year": "year years",
    }.items()
    for word in words.split()
}


class Figure(NamedTuple):
    """A number or a date, as it stands in a text."""

    text: str
    start: int
    end: int
    readings: tuple[Decimal, ...]  # two where a separator can be read in two ways; none of a date
    day: Day | None
    unit: str  # "" where there is none; else one name for all spellings
    places: int  # decimals that are written
    days: tuple[Day, ...] = ()  # of a date that can be read in several ways: all of them


def figures(text: str) -> list[Figure]:
    """Return the figures of a text in their order."""
    dates = [_date(match) for match in _DATE.finditer(text)]
    rest = text
    for date in dates:
        rest = f"{rest[: date.start]}{' ' * len(date.text)}{rest[date.end :]}"
    return sorted((*dates, *_in_digits(rest), *_in_words(rest)), key=lambda figure: figure.start)


def _date(match: re.Match[str]) -> Figure:
    year = match["year"] or match["year_second"] or match["year_third"] or match["year_iso"]
    named = match["month"] or match["month_first"] or match["month_alone"]
    month = MONTHS.index(named.casefold()) + 1 if named else int(match["month_iso"])
    day = match["day"] or match["day_second"] or match["day_iso"]
    written = (int(year) if year else None, month, int(day) if day else None)
    return Figure(match.group(), *match.span(), (), written, "", 0)


def _in_digits(text: str) -> Iterator[Figure]:
    for match in _DIGITS.finditer(text):
        times = _TIMES.match(text, match.end())
        scale = _SCALES[times[1].casefold()] if times else 1
        end = times.end() if times else match.end()
        readings = tuple(number * scale for number in _readings(match.group()))
        places = (
            len(re.split("[.,]", match.group())[-1]) if len(readings) == 1 and not _is_whole(match) else 0
        )
        unit = _unit(text, match.start(), end)
        yield Figure(text[match.start() : end], match.start(), end, readings, None, unit, places)


def _is_whole(match: re.Match[str]) -> bool:
    return _readings(match.group())[0].as_tuple().exponent == 0


def _readings(digits: str) -> list[Decimal]:
    """Return what digits with separators may mean: 1,250 is also 1.25 in some languages."""
    grouped = _GROUPED.fullmatch(digits)
    thousands = digits.replace(grouped[1], "").replace(",", ".") if grouped else ""
    point = digits.replace(",", ".")
    texts = [thousands] if thousands else []
    return [Decimal(each) for each in [*texts, *([point] if point.count(".") <= 1 else [])]]


def _in_words(text: str) -> Iterator[Figure]:
    for match in _WORDS.finditer(text):
        number = next(each_number(match.group()), None) if is_spelled(match.group()) else None
        if number is not None:
            unit = _unit(text, *match.span())
            yield Figure(match.group(), *match.span(), (Decimal(number.value),), None, unit, 0)


def _unit(text: str, start: int, end: int) -> str:
    """Return the unit behind a number, or the sign of a currency before it."""
    behind = _UNIT.match(text, end)
    word = (behind[1] or behind[2]).casefold() if behind else ""
    return (
        _UNITS.get(word)
        or _UNITS.get(word[:1] if not word.isascii() else "", "")
        or _UNITS.get(text[start - 1 : start], "")
    )
