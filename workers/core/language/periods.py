"""Recognises a century, a decade or a quarter that a sentence names by a year or a month in its source."""

from __future__ import annotations

import re
from collections.abc import Iterable

from workers.core.language.dates import MONTHS
from workers.core.language.decimals import Written
from workers.core.language.numerals import months

_FIRST_YEAR, _LAST_YEAR = 1000, 2099
_CENTURY = re.compile(r"(?:st|nd|rd|th)?[\s-]centur(?:y|ies)\b")
_DECADE = re.compile(
    r"'?s\b|er(?:n|s)?\b|-?(?:е|х|ых|тых)\b|-?(?:luku|talet|tallet|årene|erne|an|lar|ler|lı|ih|tych)|\s?年代|년대"
)
_QUARTER = re.compile(r"(?:st|nd|rd|th)?[\s-]quarter of [12]\d{3}\b")
_QUARTERS = re.compile(r"\bquarter|\bQ[1-4]\b", re.IGNORECASE)
_NO_MONTHS = frozenset(("march", "may"))
_MONTHS_OF_QUARTER = 3
_YEARS_OF_CENTURY, _YEARS_OF_DECADE, _LAST_OF_CENTURY = 100, 10, 99


def is_period(numeral: Written, stated: Iterable[Written]) -> bool:
    """Return whether a number counts the century, or begins the decade, of a year that is stated.

    The fifteenth century is that of 1455, and the 1840s, or the 40s, are the decade of 1843.
    """
    years = {int(each.number) for each in stated if _FIRST_YEAR <= each.number <= _LAST_YEAR}
    value = int(numeral.number)
    if value != numeral.number:
        return False
    if _CENTURY.match(numeral.after):
        return any((year + _LAST_OF_CENTURY) // _YEARS_OF_CENTURY == value for year in years)
    if value % _YEARS_OF_DECADE == 0 and _DECADE.match(numeral.after):
        decades = {year - year % _YEARS_OF_DECADE for year in years}
        return any(value in (decade, decade % _YEARS_OF_CENTURY) for decade in decades)
    return False


def is_quarter(numeral: Written, stands: str) -> bool:
    """Return whether a number counts the quarter of a year by a month in the text.

    The third quarter of 2006 is that of September. A text that speaks of quarters says itself which; "may"
    and "march" may be other words than months.
    """
    if not _QUARTER.match(numeral.after) or _QUARTERS.search(stands):
        return False
    names = months(stands) - _NO_MONTHS
    return any(MONTHS.index(month) // _MONTHS_OF_QUARTER + 1 == numeral.number for month in names)
