"""Completes incomplete dates in a text with an earlier date: "last year", "in June"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workers.core.language.figures.dates import Day
from workers.core.language.figures.figures import figures

_DAYS = "mon|tues|wednes|thurs|fri|satur|sun"
_BEFORE, _AFTER = "last|past|previous", "next|following|coming"
_SPANS = "month|week|season|spring|summer|autumn|fall|winter|night"
_LAST_YEAR = re.compile(
    rf"\b(?:(?:{_BEFORE}) year|(?:letzte|vorige|vergangene)[ns] jahre?|l['’]an(?:née)? (?:derni|pass)\w+|"
    r"año pasado|anno scorso|ano passado|vorig jaar|прошл(?:ом|ого) год[уа]|(?:العام|السنة) الماضية?)\b|"
    r"去年|昨年|작년|지난해|पिछले (?:साल|वर्ष)",
    re.IGNORECASE,
)
_NEXT_YEAR = re.compile(
    rf"\b(?:(?:{_AFTER}) year|nächste[ns] jahre?|l['’]an(?:née)? prochaine?|próximo año|año próximo|"
    r"anno prossimo|próximo ano|volgend jaar|следующ(?:ем|его) год[уа]|"
    r"(?:العام|السنة) (?:المقبل|القادم)ة?)\b|明年|来年|來年|내년|अगले (?:साल|वर्ष)",
    re.IGNORECASE,
)
_YEARS_AWAY = ((_LAST_YEAR, -1), (_NEXT_YEAR, 1))
_OPEN_DAY = re.compile(
    rf"\b(?:(?:{_DAYS})day|today|tonight|yesterday|tomorrow|this year|"
    rf"(?:this|{_BEFORE}|{_AFTER}) (?:{_SPANS}))",
    re.IGNORECASE,
)


def is_open(text: str) -> bool:
    """Return whether a text names a time that only a date outside of it completes."""
    patterns = (_OPEN_DAY, _LAST_YEAR, _NEXT_YEAR)
    return any(pattern.search(text) for pattern in patterns) or bool(_open_months(text))


def dated(text: str) -> list[tuple[str, Day]]:
    """Return the dates of a text that name their year, as written and as read."""
    found = []
    for figure in figures(text):
        if figure.day and figure.day[0]:
            found.append((figure.text, figure.day))
        elif figure._replace(unit="").is_like_year:
            found.append((figure.text, (int(figure.text), None, None)))
    return found


def completions(text: str, date: str, day: Day) -> Iterator[str]:
    """Yield what a date before a text may add to the incomplete times in it.

    A month is in the year of the date, or is the nearest month of that name on the other side: June, said in
    December 2018, is in 2018 or 2019. "Last year" and "next year" are the adjacent years. Any other
    incomplete time, such as "on Tuesday", may be the date itself.

    Args:
        text: one for which `is_open` holds.
        date: as written, with its year.
        day: the same as read.
    """
    year, known, _day = day
    named = _open_months(text)
    if named and year:
        yield str(year)
        yield from {str(year + (1 if month < known else -1)) for month in named if known and month != known}
    yield from (str((year or 0) + away) for pattern, away in _YEARS_AWAY if pattern.search(text))
    if not named and _OPEN_DAY.search(text):
        yield date


def _open_months(text: str) -> set[int]:
    return {day[1] for figure in figures(text) for day in figure.days if day[1] and not day[0]}
