"""Reads the numbers with their units and the dates of a statement, and compares them."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator
from typing import Literal, NamedTuple

from workers.core.language.chapter_numbers import numeral_value
from workers.core.language.dates import MONTHS, month_of
from workers.core.language.numerals import numbers
from workers.core.language.visible import visible

MARK = "¤"  # stands for a value in the text around it
Likeness = Literal["same", "other", "unlike"]  # of two values; unlike ones cannot be compared

_TIME = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800}
_YEARS = {"month": 30.4375 * 86400, "quarter": 91.3125 * 86400, "year": 365.25 * 86400}
_UNITS: dict[str, tuple[str, float]] = {
    **{name: ("time", size) for name, size in (_TIME | _YEARS).items()},
    **dict.fromkeys(("秒", "秒钟"), ("time", 1.0)),
    **dict.fromkeys(("分钟", "分"), ("time", 60.0)),
    **dict.fromkeys(("小时", "个小时"), ("time", 3600.0)),
    **dict.fromkeys(("天", "日", "个日历日"), ("time", 86400.0)),
    **dict.fromkeys(("周", "星期", "个星期"), ("time", 604800.0)),
    **dict.fromkeys(("个月", "月"), ("time", _YEARS["month"])),
    "年": ("time", _YEARS["year"]),
    **dict.fromkeys(("mm", "millimetre", "millimeter", "毫米"), ("length", 0.001)),
    **dict.fromkeys(("cm", "centimetre", "centimeter", "厘米"), ("length", 0.01)),
    **dict.fromkeys(("m", "metre", "meter", "米"), ("length", 1.0)),
    **dict.fromkeys(("km", "kilometre", "kilometer", "公里", "千米"), ("length", 1000.0)),
    **dict.fromkeys(("mile", "英里"), ("length", 1609.344)),
    **dict.fromkeys(("foot", "feet", "ft", "英尺"), ("length", 0.3048)),
    **dict.fromkeys(("g", "gram", "克"), ("mass", 0.001)),
    **dict.fromkeys(("kg", "kilogram", "公斤", "千克"), ("mass", 1.0)),
    **dict.fromkeys(("tonne", "ton", "吨"), ("mass", 1000.0)),
    **dict.fromkeys(("lb", "pound of weight"), ("mass", 0.4536)),
    **dict.fromkeys(("%", "percent", "per cent"), ("share", 1.0)),
    **dict.fromkeys(("€", "eur", "euro", "欧元"), ("euros", 1.0)),
    **dict.fromkeys(("$", "usd", "dollar", "美元"), ("dollars", 1.0)),
    **dict.fromkeys(("£", "gbp", "pound"), ("pounds", 1.0)),
    **dict.fromkeys(("¥", "cny", "rmb", "yuan", "元", "人民币"), ("yuan", 1.0)),
}
_SCALES = {
    "hundred": 1e2,
    "thousand": 1e3,
    "million": 1e6,
    "billion": 1e9,
    "trillion": 1e12,
    "千": 1e3,
    "万": 1e4,
    "百万": 1e6,
    "千万": 1e7,
    "亿": 1e8,
}
_NEAR = "about around approximately roughly nearly almost circa some 大约 约 近 将近".split()  # noqa: SIM905
# Of two such statements the weaker follows from the stronger.
_OPEN = ("more than", "less than", "over", "under", "above", "below", "at least", "at most", "up to")
_OPEN_HAN = ("超过", "不到", "逾", "至少", "至多", "最多")
_BOUNDS = sorted((*_NEAR, *_OPEN, *_OPEN_HAN), key=len, reverse=True)


def _any(names: object) -> str:
    return "|".join(map(re.escape, sorted(map(str, names), key=len, reverse=True)))  # type: ignore[call-overload]


_LATIN = [name for name in _UNITS if name.isascii() and name.isalpha()]
_OTHER = [name for name in _UNITS if name not in _LATIN and name not in "$€£¥"]
_UNIT = rf"(?:[ -]?(?P<latin>{_any(_LATIN)})s?\b|[ ]?(?P<other>{_any(_OTHER)}))"
_SCALE = (
    rf"(?:[ -]?(?P<times>{_any(name for name in _SCALES if name.isascii())})\b|(?P<wan>百万|千万|万|亿|千))"
)
_ONES = "two|three|four|five|six|seven|eight|nine"
_TEENS = "ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen"
_SPELLED = rf"(?:(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:-(?:{_ONES}))?|{_TEENS}|{_ONES})"
_HAN = "零〇一二两三四五六七八九十百千"
_NUMBER = re.compile(
    rf"(?:(?P<bound>{_any(_BOUNDS)})\s*有?)?(?P<sign>[$€£¥])?"
    rf"(?:(?<![\w.,:第-])(?P<digits>\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?)"
    rf"|(?<=[\u3400-\u9fff])(?<!第)(?P<after_han>\d+(?:\.\d+)?)"
    rf"|\b(?P<word>{_SPELLED})(?=[ -])|(?<!第)(?P<han>[{_HAN}]{{1,12}})"
    rf"(?=(?:百万|千万|万|亿)?(?:{_any(_OTHER)})))"
    rf"{_SCALE}?{_UNIT}?",
    re.IGNORECASE,
)
_MONTH = "|".join((*MONTHS, *(f"{name[:3]}\\.?" for name in MONTHS), "sept\\.?"))
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_YEAR = r"(?:1\d{3}|20\d{2})"
_DATE = re.compile(
    rf"(?<![\w-])(?P<iso>{_YEAR}-\d\d(?:-\d\d)?)(?![\w-])"
    rf"|\b(?:(?P<d1>{_DAY}) (?:of )?)?(?P<m1>{_MONTH}),? (?P<y1>{_YEAR})\b"
    rf"|\b(?P<m2>{_MONTH}) (?P<d2>{_DAY})(?:,? (?P<y2>{_YEAR}))?\b"
    rf"|\b(?P<d3>{_DAY}) (?:of )?(?P<m3>{_MONTH})\b"
    rf"|(?P<y4>{_YEAR})年(?:(?P<m4>\d{{1,2}})月(?:(?P<d4>\d{{1,2}})[日号])?)?"
    rf"|(?P<m5>\d{{1,2}})月(?P<d5>\d{{1,2}})[日号]"
    rf"|\b(?<=\b(?:in|of|by) )(?P<y6>{_YEAR})\b(?![.,]\d|[ -](?:{_any(_LATIN)})s?\b)"
    rf"|\b(?<=\b(?:since|until|after|circa) )(?P<y7>{_YEAR})\b"
    rf"|\b(?<=\b(?:from|year) )(?P<y8>{_YEAR})\b"
    rf"|(?<![\w.,$€£¥])(?P<y9>{_YEAR})(?=\W*$)",
    re.IGNORECASE,
)
# A number behind one of these, or behind a name, tells which one is meant: Section 5, Route 66.
_NUMBERED = re.compile(
    r"(?:\b(?:section|article|clause|chapter|part|no\.|number|room|version|channel|routes?|page|item|lot|phase|floor|level|"
    r"class|type|unit|gate|line|platform|appendix|annex|paragraph|volume|edition)|第)\s*$",
    re.IGNORECASE,
)
_IN_NAME = re.compile(r"(?<=\d)(?:[A-Za-z]|:\d| [A-Z]|[号室期路届次栋楼线])")  # 3rd, 4:51, 1912 Games, 3号楼
_BEHIND_NAME = re.compile(r"\b[A-Z][\w-]{0,40}[ -]$")
_BEFORE = 40  # characters before a number that are looked at
_FIRST_YEAR, _LAST_YEAR = 1000, 2099  # a number between them without a unit is taken for a year
_MOST_DIGITS = 15
_CLOSE = 0.05  # share by which a rounded number may differ
_ABOUT = 0.1
_CONVERTED = 0.02  # share that a month of 30 days, or a foot of 30 centimetres, may be off
_PRECISE = 3  # digits of a number that another can be the rounded form of


class Value(NamedTuple):
    """A number with its unit, or a date, in a statement."""

    text: str
    start: int
    end: int
    day: tuple[int | None, int | None, int | None] | None = None  # year, month, day; None of a number
    amount: float = 0  # in the base of its unit
    unit: str = ""  # what is measured: time, length, euros; "" of a plain count
    size: float = 1  # of the unit
    bound: str = ""  # about, at least


def shaped(text: str) -> str:
    """Return a statement as values are read in it."""
    return " ".join(unicodedata.normalize("NFKC", visible(text)).split())


def values(text: str) -> list[Value]:
    """Return the values of a shaped statement in the order of the text; not those that number a name."""
    named = dates(text)
    masked = list(text)
    for date in named:
        masked[date.start : date.end] = " " * (date.end - date.start)
    return sorted([*named, *_amounts("".join(masked))], key=lambda value: value.start)


def dates(text: str) -> list[Value]:
    """Return the dates of a shaped statement in the order of the text; few bare years are."""
    matches = (match for match in _DATE.finditer(text) if not _IN_NAME.match(text, match.end()))
    return [value for match in matches if (value := _date(match))]


def masked(text: str, text_values: list[Value]) -> str:
    """Return a statement with a mark for each of its values."""
    parts, end = [], 0
    for value in text_values:
        parts += [text[end : value.start], MARK]
        end = value.end
    return "".join((*parts, text[end:]))


def likeness(value: Value, other: Value) -> Likeness:
    """Return whether two values say the same, another, or what cannot be compared.

    The same are a date and a part of it, equal amounts in two units, and a number and its rounded form.
    """
    if value.day is not None or other.day is not None:
        return _likeness_of_days(value, other)
    if value.unit != other.unit or value.bound != other.bound:
        return "unlike"
    if value.amount == other.amount:
        return "same"
    if value.bound and value.bound not in _NEAR:
        return "unlike"
    least, most = sorted((abs(value.amount), abs(other.amount)))
    apart = 1 - least / most
    near = apart <= _ABOUT if value.bound in _NEAR else _is_rounded(value, other) and apart <= _CLOSE
    converted = value.size != other.size and apart <= _CONVERTED
    return "same" if near or converted else "other"


def is_equal(value: Value, other: Value) -> bool:
    """Return whether two values are the same in full: no part of a date, nothing rounded."""
    same = (value.day, value.unit, value.bound) == (other.day, other.unit, other.bound)
    return same and math.isclose(value.amount, other.amount)


def _likeness_of_days(value: Value, other: Value) -> Likeness:
    if value.day is None or other.day is None:
        return "unlike"
    shared = [(mine, theirs) for mine, theirs in zip(value.day, other.day, strict=True) if mine and theirs]
    if not shared:
        return "unlike"
    return "same" if all(mine == theirs for mine, theirs in shared) else "other"


def _is_rounded(amount: Value, other: Value) -> bool:
    """Return whether one of two amounts is the other in fewer digits."""
    short, long = sorted((amount, other), key=lambda value: len(_digits(value)))
    digits = len(_digits(short))
    if len(_digits(long)) < _PRECISE or len(_digits(long)) == digits:
        return False
    return float(f"{long.amount / short.size:.{digits - 1}e}") == short.amount / short.size


def _digits(value: Value) -> str:
    return f"{value.amount / value.size:.10g}".replace(".", "").strip("0") or "0"


def _date(match: re.Match[str]) -> Value | None:
    part = match.groupdict()
    if part["iso"]:
        year, month, day = (*part["iso"].split("-"), None)[:3]
    else:
        year, month, day = (
            next((part[f"{kind}{n}"] for n in range(1, 10) if part.get(f"{kind}{n}")), None) for kind in "ymd"
        )
    number = _month_number(month)
    if month and not number:
        return None
    stated = int(re.sub(r"\D", "", day)) if day else None
    return Value(match.group(), match.start(), match.end(), (int(year) if year else None, number, stated))


def _month_number(month: str | None) -> int | None:
    if not month:
        return None
    if month.isdigit():
        return int(month) if 1 <= int(month) <= len(MONTHS) else None
    name = month_of(month.casefold().rstrip("."))
    return MONTHS.index(name) + 1 if name else None


def _amounts(text: str) -> Iterator[Value]:
    for match in _NUMBER.finditer(text):
        number = _number(match)
        before = text[max(0, match.start() - _BEFORE) : match.start()]
        if number is None or _NUMBERED.search(before):
            continue
        if _IN_NAME.match(text, match.end()) or (match["digits"] and _BEHIND_NAME.search(before)):
            continue
        name = (match["latin"] or match["other"] or match["sign"] or "").casefold()
        scale = (match["times"] or match["wan"] or "").casefold()
        if not name and not scale and _is_year(match["digits"] or match["after_han"]):
            yield Value(match.group(), match.start(), match.end(), (int(number), None, None))
            continue
        kind, size = _UNITS.get(name, ("", 1.0))
        amount = round(number * _SCALES.get(scale, 1.0) * size, 6)
        bound = (match["bound"] or "").casefold()
        yield Value(match.group(), match.start(), match.end(), None, amount, kind, size, bound)


def _is_year(digits: str | None) -> bool:
    return digits is not None and digits.isdigit() and _FIRST_YEAR <= int(digits) <= _LAST_YEAR


def _number(match: re.Match[str]) -> float | None:
    if digits := match["digits"] or match["after_han"]:
        return float(digits.replace(",", "")) if len(digits) <= _MOST_DIGITS else None
    if match["han"]:
        return numeral_value(match["han"])
    return float(next(iter(numbers(match["word"])))) if match["word"] else None
