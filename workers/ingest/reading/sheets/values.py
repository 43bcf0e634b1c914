"""Values of cells as text, with the unit that a number's format shows beside it."""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from decimal import Decimal
from functools import cache
from typing import NamedTuple

Value = int | float | str | bool | dt.time | dt.date | dt.datetime | dt.timedelta

_DIGITS = 15  # that a spreadsheet keeps; what a float has behind them is not the number's
_LONGEST = 21  # digits of a number that is written out: a larger one keeps its power of ten
_PERCENT = {"9": "0%", "10": "0.00%"}  # formats that a file uses without stating them (ECMA-376, 18.8.30)
_PLACEHOLDERS = frozenset("0#?.,")
_ELSE = frozenset("dmyhsDMYHSbBgGeE@/")  # signs of formats of dates, times, powers, texts and fractions
# Quoted text, an escaped sign, a blank as wide as a sign, a filler, brackets, else one sign.
_PART = re.compile(r'"[^"]{0,255}"|\\.|_.|\*.|\[[^\]]{0,255}\]|General|[Ee][+-]|.', re.DOTALL)


class NumberFormat(NamedTuple):
    """The text that a format shows around a number."""

    before: str = ""  # "$"
    after: str = ""  # " kg"
    is_percent: bool = False


def shown(value: Value, form: NumberFormat | None = None) -> str:
    """Return a value as text: dates and times as ISO 8601 writes them, numbers as they are.

    A percentage has both, the number and its percent: "0.05 (5%)".
    """
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float):
        return _number(value, form)
    if isinstance(value, dt.datetime):
        return (
            f"{value.date().isoformat()} {_time(value.time())}" if value.time() != dt.time() else _day(value)
        )
    if isinstance(value, dt.timedelta):
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    return _time(value) if isinstance(value, dt.time) else value.isoformat()


def _day(value: dt.datetime) -> str:
    return value.date().isoformat()


def _time(value: dt.time) -> str:
    return value.isoformat("seconds" if value.second else "minutes")


def _number(value: float, form: NumberFormat | None) -> str:
    plain = _digits(value)
    if form is None:
        return plain
    if form.is_percent:
        return f"{plain} ({_digits(value * 100)}%)"
    sign = "-" if plain.startswith("-") else ""
    return f"{sign}{form.before}{plain.removeprefix('-')}{form.after}"


def _digits(value: float) -> str:
    rounded = Decimal(f"{value:.{_DIGITS}g}") if isinstance(value, float) else Decimal(value)
    if not rounded.is_finite() or abs(rounded.adjusted()) > _LONGEST:
        return f"{rounded}"
    text = f"{rounded:f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


@cache
def number_format(code: str) -> NumberFormat | None:
    """Return what a format shows around numbers; None where it shows them alone, or changes them.

    Args:
        code: as the file states it, or the number of one that is known without it.
    """
    section = _PERCENT.get(code, code)
    parts = {"before": "", "after": ""}
    is_percent = has_number = False
    last = ""
    for part in _PART.findall(section):
        if part == ";":
            break
        if part in _PLACEHOLDERS or part == "General":
            if part not in (".", ",") and parts["after"].strip():
                return None  # parts of a number, such as those of a telephone's
            has_number, last = True, part
            continue
        if part == "%":
            is_percent = True
        literal = _literal(part)
        if literal is None:
            return None
        parts["after" if has_number else "before"] += literal
    if not has_number or last == ",":  # which shows thousands
        return None
    before, after = _unit(parts["before"]), _unit(parts["after"])
    return NumberFormat(before, after, is_percent) if before or after or is_percent else None


def _literal(part: str) -> str | None:
    """Return what a part of a format shows; None for a part that makes it one of something else."""
    if part.startswith("[$"):
        return part[2:-1].partition("-")[0]
    if part[0] == "[":
        return None if part[1:2].lower() in "<>=hms" else ""
    if len(part) > 1 and part[0] in '"\\':
        return part[1:].removesuffix('"')
    if part[0] in _ELSE:
        return None
    return "" if part == "%" or (len(part) > 1 and part[0] in "_*") else part


def _unit(literal: str) -> str:
    """Return a literal that names a unit; "" for signs alone, such as brackets."""
    kept = literal.strip("()-+")
    if not any(sign.isalpha() or unicodedata.category(sign) in ("Sc", "So") for sign in kept):
        return ""
    return kept
