"""Completes a date that a text leaves open by a date that stands before it: "last year", "in June"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workers.core.language.dates import MONTHS
from workers.core.language.numerals import months

YEAR = re.compile(r"(?<![\d.,])(?:1\d{3}|20\d{2})(?!\d|,\d|\.\d)")
_MONTH = "|".join((*MONTHS, *(f"{name[:3]}\\.?" for name in MONTHS), "sept\\.?"))
DATE = re.compile(
    rf"(?:(?:\d{{1,2}}(?:st|nd|rd|th)? )?\b(?:{_MONTH}),? (?:\d{{1,2}}(?:st|nd|rd|th)?,? )?)?{YEAR.pattern}"
    r"(?:-\d{2}(?:-\d{2})?)?",
    re.IGNORECASE,
)
_DAYS = "mon|tues|wednes|thurs|fri|satur|sun"
_BEFORE, _AFTER = "last|past|previous", "next|following|coming"
_SPANS = "month|week|season|spring|summer|autumn|fall|winter|night"
_YEARS_AWAY = (
    (re.compile(rf"\b(?:{_BEFORE}) year\b", re.IGNORECASE), -1),
    (re.compile(rf"\b(?:{_AFTER}) year\b", re.IGNORECASE), 1),
)
_OPEN_MONTH = re.compile(rf"\b(?:{_MONTH})(?: \d{{1,2}}(?:st|nd|rd|th)?)?(?!,? ?\d{{4}})\b", re.IGNORECASE)
_OPEN_DAY = re.compile(
    rf"\b(?:(?:{_DAYS})day|today|tonight|yesterday|tomorrow|this year|"
    rf"(?:this|{_BEFORE}|{_AFTER}) (?:{_SPANS}))",
    re.IGNORECASE,
)
_OPEN = (_OPEN_MONTH, _OPEN_DAY, *(pattern for pattern, _years in _YEARS_AWAY))


def is_open(text: str) -> bool:
    """Return whether a text names a time that only a date outside of it completes."""
    return any(pattern.search(text) for pattern in _OPEN)


def completions(text: str, date: str) -> Iterator[str]:
    """Yield what a date that stands before a text may add to the open times in it.

    A month has the year of the date, or that of the nearest month of its name on the other side: June, said
    in December 2018, is in 2018 or 2019. "Last year" and "next year" are the years beside it. Of any other
    open time, as "on Tuesday", the date may be the whole.

    Args:
        text: one for which `is_open` holds.
        date: what `DATE` matches.
    """
    year = int(YEAR.findall(date)[0])
    named = months(text)
    if named:
        yield str(year)
        yield from (str(year + away) for away in _nearest(named, months(date)))
    yield from (str(year + away) for pattern, away in _YEARS_AWAY if pattern.search(text))
    if not named and _OPEN_DAY.search(text):
        yield date


def _nearest(named: set[str], of_date: set[str]) -> set[int]:
    """Return by how many years the nearest months of a name on the other side of the year's end are away."""
    pairs = [(MONTHS.index(month), MONTHS.index(known)) for month in named for known in of_date]
    return {1 if month < known else -1 for month, known in pairs if month != known}
