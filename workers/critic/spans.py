"""Quantities in calculations, and date arithmetic: the time between two dates, and a date after a time."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from functools import cache
from typing import NamedTuple

from workers.core.language.figures.dates import Day
from workers.core.language.figures.figures import figures

SPANS = ("day", "week", "month", "year")
_DAYS_OF_WEEK = 7
_LONGEST_SPAN = 100_000  # units of time that are added to a date
_NO_LEAP = 2001  # the year of two dates that name none


class Unfounded(Exception):
    """A calculation that does not support its sentence; the message says why."""


class Quantity(NamedTuple):
    """A number with its unit, or a date."""

    number: Decimal
    unit: str = ""
    day: Day | None = None


@cache
def time_units() -> Mapping[str, str]:
    """Return the units of time as `figures` names them, each with its English word."""
    words = ("second", "minute", "hour", *SPANS)
    found = {word: figures(f"2 {word}s") for word in words}
    return {each[0].unit or word: word for word, each in found.items() if each}


@cache
def _unit_named(word: str) -> str:
    return next((unit for unit, name in time_units().items() if name == word), word)


def span(unit: str, parts: Sequence[Quantity], *, signed: bool = False) -> Quantity:
    """Return the time between two dates; years and months are whole ones, as in ages."""
    if len(parts) != 2:  # noqa: PLR2004
        raise Unfounded(f"its calculation of {unit}s needs two dates")
    days = [part.day or _year(part, unit) for part in parts]
    first, last = days if signed else sorted(days, key=lambda day: [each or 0 for each in day])
    if unit in {"day", "week"}:
        between = Decimal((_date(last, first, unit) - _date(first, last, unit)).days)
        number = between / _DAYS_OF_WEEK if unit == "week" else between
        return Quantity(number, _unit_named(unit))
    years = _known(last[0], unit) - _known(first[0], unit)
    if unit == "year":
        is_early = all((*first[1:2], *last[1:2])) and _tail(last, first) < _tail(first, last)
        return Quantity(Decimal(years - is_early), _unit_named(unit))
    months = 12 * years + _known(last[1], unit) - _known(first[1], unit)
    is_early = bool(first[2] and last[2] and last[2] < first[2])
    return Quantity(Decimal(months - is_early), _unit_named(unit))


def moved(sign: str, left: Quantity, right: Quantity) -> Quantity | None:
    """Return the date a given time after or before another; None if there is no date or no time span.

    Adding months and years keeps the day of the month, or takes the last day of a shorter month.
    """
    if sign == "+" and right.day and not left.day:
        left, right = right, left
    unit = time_units().get(right.unit)
    if left.day is None or right.day is not None or unit not in SPANS:
        return None
    by = int(right.number)
    if by != right.number or abs(by) > _LONGEST_SPAN:
        raise Unfounded(
            f"its calculation moves a date by a number of {unit}s that is not whole or is too large"
        )
    by = by if sign == "+" else -by
    year, month, day = left.day
    try:
        if unit in {"day", "week"}:
            days = timedelta(by * (_DAYS_OF_WEEK if unit == "week" else 1))
            return Quantity(Decimal(), "", _day_of(_date(left.day, left.day, unit) + days, left.day))
        if unit == "year" and month is None:
            return Quantity(Decimal(), "", (_known(year, unit) + by, None, None))
        months = 12 * _known(year, unit) + _known(month, unit) - 1 + by * (12 if unit == "year" else 1)
        year, month = months // 12, months % 12 + 1
        last = monthrange(year, month)[1]
    except (ValueError, OverflowError) as error:
        raise Unfounded("its calculation leads to a date that does not exist") from error
    return Quantity(Decimal(), "", (year, month, day and min(day, last)))


def _day_of(moved: date, before: Day) -> Day:
    return (moved.year if before[0] else None, moved.month, moved.day)


def _year(part: Quantity, unit: str) -> Day:
    if part.unit or part.number != int(part.number) or not 0 < part.number <= 9999:  # noqa: PLR2004
        raise Unfounded(f"its calculation of {unit}s uses a number as a date")
    return (int(part.number), None, None)


def _tail(day: Day, other: Day) -> list[int]:
    """Return month and day, as far as both dates have them."""
    return [mine for mine, theirs in zip(day[1:], other[1:], strict=True) if mine and theirs]


def _date(day: Day, other: Day, unit: str) -> date:
    year = _NO_LEAP if day[0] is None and other[0] is None else _known(day[0], unit)
    try:
        return date(year, _known(day[1], unit), _known(day[2], unit))
    except ValueError as error:
        raise Unfounded(f"its calculation uses a date that does not exist: {day}") from error


def _known(part: int | None, unit: str) -> int:
    if part is None:
        raise Unfounded(f"its calculation of {unit}s needs a more exact date")
    return part
