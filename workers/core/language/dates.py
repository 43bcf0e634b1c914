"""Normalises dates: 3 May 1871, May 3rd, 1871 and 1871-05-03 are the same date."""

from __future__ import annotations

import re

MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_SHORT = {name[:3]: at for at, name in enumerate(MONTHS)} | {"sept": 8}
_NUMBER = {name: at for at, name in enumerate(MONTHS)} | _SHORT
_MONTH = r"(?P<month>" + "|".join((*MONTHS, "sept", *(name[:3] for name in MONTHS))) + r")\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>[12]\d{3})"
_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_DAY}(?: of)? {_MONTH}(?:(?: of|,)? {_YEAR})?",
        rf"{_MONTH} {_DAY}(?:,? {_YEAR})?",
        rf"{_MONTH}(?: of|,)? {_YEAR}",
        rf"{_YEAR}-(?P<month>\d{{2}})-(?P<day>\d{{2}})",
        rf"{_YEAR} ?年 ?(?P<month>\d{{1,2}}) ?月(?: ?(?P<day>\d{{1,2}}) ?日)?",
    )
)
_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
# A month's name alone is a date, but for the two that are also words.
_WORDS = frozenset(MONTHS) - {"may", "march"}
_PERIOD = re.compile(
    r"(?:circa |early |mid-?|late |the )*\d+(?:st|nd|rd|th|s|'s)?(?: century| bc| ad| bce| ce)*"
)


def plain_date(text: str) -> str | None:
    """Parse a date into day, month's name and year as far as given; None if the text is not a date.

    Args:
        text: case-folded text with collapsed white space. Only complete dates count; 05/03/1871 may be May or
            March and stays unchanged.
    """
    for pattern in _PATTERNS:
        match = pattern.fullmatch(text)
        if match:
            return _written(match.groupdict())
    return None


def month_of(word: str) -> str | None:
    """Return the month that a case-folded word names in full or cut, as aug or sept; None if it is none."""
    at = _NUMBER.get(word)
    return None if at is None else MONTHS[at]


def is_time(text: str) -> bool:
    """Return whether a normalised name is a date, a year, a span of years or a bare number."""
    return plain_date(text) is not None or text in _WORDS or _PERIOD.fullmatch(text) is not None


def _written(groups: dict[str, str | None]) -> str | None:
    month, day, year = groups["month"] or "", groups.get("day"), groups.get("year")
    at = int(month) - 1 if month.isdigit() else _NUMBER[month]
    if not 0 <= at < len(MONTHS) or (day and not 1 <= int(day) <= _DAYS[at]):
        return None
    return " ".join(part for part in (str(int(day)) if day else "", MONTHS[at], year) if part)
