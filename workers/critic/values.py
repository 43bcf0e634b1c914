"""Compares the values in statements: numbers with units, and dates, in any language."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Literal, NamedTuple

from hopline.visible import visible
from workers.core.language.decimals import ABOUT
from workers.core.language.figures.dates import Day
from workers.core.language.figures.figures import UNSPACED, Figure, figures, span_with_unit
from workers.core.language.figures.shares import MORE_OR_LESS
from workers.core.language.figures.sizes import unit_size
from workers.core.language.figures.times import clocks
from workers.core.language.languages import language_of

MARK = "¤"  # stands for a value in the text around it
Likeness = Literal["same", "other", "unlike"]  # of two values; unlike ones cannot be compared

# Of two such statements the weaker follows from the stronger.
_OPEN = (
    r"\b(?:at least|at most|up to|mindestens|höchstens|bis zu|au moins|au plus|jusqu'à|al menos|como máximo|"
    r"hasta|almeno|al massimo|fino a|pelo menos|no máximo|até|minstens|hoogstens|минимум|максимум|"
    r"не менее|не более|co najmniej|en az|en fazla)\s"
    r"|逾|至少|至多|最多|少なくとも|किमान\s|कम से कम\s|अधिकतम\s|على الأقل\s"
)
_BOUND = re.compile(
    rf"(?P<about>{ABOUT})有?\s?$|(?<![^\W\d_{UNSPACED}])(?P<open>{MORE_OR_LESS}|{_OPEN})\s?有?$",
    re.IGNORECASE,
)
# A number behind one of these, or behind a name, tells which one is meant: Section 5, Route 66.
_NUMBERED = re.compile(
    r"(?:\b(?:section|article|clause|chapter|part|no\.|number|room|version|channel|routes?|page|item|lot|phase|floor|level|"
    r"class|type|unit|gate|line|platform|appendix|annex|paragraph|volume|edition|artikel|absatz|kapitel|nr\.|zimmer|seite|"
    r"chapitre|numéro|salle|capítulo|artículo|número|sala|capitolo|articolo|numero|статья|глава|номер|пункт|комната)"
    r"|[第제§№]|المادة|رقم|धारा|अनुच्छेद|संख्या)\s*$",
    re.IGNORECASE,
)
_IN_NAME = re.compile(rf"(?<=\d)(?:(?![{UNSPACED}])[^\W\d_]|:\d|[号室期路届次栋楼线])")  # 3rd, 4:51, 3号楼
_BEFORE_NAME = re.compile(r"(?<=\d) [A-Z]")  # 1912 Games
_BEHIND_NAME = re.compile(r"\b[A-ZА-Я][\w-]{0,40}[ -]$")
_PART = re.compile(r"\d[.,:-]$")  # before a number that goes on with another
_AROUND = 40  # characters beside a number that are looked at
_DATED = re.compile(
    r"\b(?:(?:in|of|by|since|until|after|circa|from|year|im|vo[nm]|zwischen|seit|bis|ab|en|entre|depuis|dès|desde|hasta|"
    r"nel|dal|em|w|od|do|van|tot|tussen|sinds|в|с|до|от|år|tahun|năm|من|منذ|حتى)|jahre?|l'année|el año|"
    r"عام|سنة|(?:वर्ष|सन्?)) $",
    re.IGNORECASE,
)
_TO_YEAR = re.compile(r"\s(?:à|al?|e|y|bis|tot|до|по|إلى|से) [12]\d{3}(?!\d)")
_YEAR_WORD = re.compile(
    r"\b(?:jahre?|year|año|année|anno|ano|år|tahun|năm|rok|roku|عام|سنة|वर्ष|सन्?) $", re.IGNORECASE
)
_YEAR_BEHIND = re.compile(r"\s?(?:год(?:[ауе]|ом)?|г\.|року|рік|р\.|r\.|yılında)(?!\w)")
_CLOSE = 0.05  # share by which a rounded number may differ
_ABOUT = 0.1
_CONVERTED = 0.02  # share that a month of 30 days, or a foot of 30 centimetres, may be off
_PRECISE = 3  # digits of a number that another can be the rounded form of


class Value(NamedTuple):
    """A number with its unit, or a date, in a statement."""

    text: str
    start: int
    end: int
    figure: Figure
    days: tuple[Day, ...] = ()  # that a date may mean; none of a number
    unit: str = ""  # what is measured: time, length, EUR; "" of a plain count
    size: float = 1  # of the unit
    bound: str = ""  # at least
    is_about: bool = False

    @property
    def day(self) -> Day | None:
        """The first day that a date can mean; None for a number."""
        return self.days[0] if self.days else None


def shaped(text: str) -> str:
    """Return a statement in the normalised form from which values are read."""
    return " ".join(unicodedata.normalize("NFKC", visible(text)).split())


def values(text: str) -> list[Value]:
    """Return the values in a shaped statement in text order, without numbers that are part of a name."""
    times = clocks(text)
    return [
        value
        for figure in figures(text)
        if not any(time.start < figure.end and figure.start < time.end for time in times)
        and (value := _value(text, figure))
    ]


def dates(text: str) -> list[Value]:
    """Return the dates in a shaped statement in text order; bare years mostly do not count."""
    return [
        value for value in values(text) if value.days and (value.figure.days or _is_dated(text, value.figure))
    ]


def masked(text: str, text_values: Sequence[Value]) -> str:
    """Return a statement with each of its values replaced by a mark."""
    parts, end = [], 0
    for value in text_values:
        parts += [text[end : value.start], MARK]
        end = value.end
    return "".join((*parts, text[end:]))


def likeness(value: Value, other: Value) -> Likeness:
    """Return whether two values are the same, different, or not comparable.

    A date and a part of it are the same, as are equal amounts in two units, and a number and its rounded
    form.
    """
    if value.days or other.days:
        likes = {_likeness_of_days(*days) for days in product(value.days, other.days)}
        return "same" if "same" in likes else "other" if "other" in likes else "unlike"
    if value.unit != other.unit or value.bound != other.bound:
        return "unlike"
    if _has_same_amount(value, other):
        return "same"
    if value.bound and not value.is_about:
        return "unlike"
    return "same" if any(_is_near(value, other, *pair) for pair in _readings(value, other)) else "other"


def is_equal(value: Value, other: Value) -> bool:
    """Return whether two values are exactly the same: no part of a date, nothing rounded."""
    if value.days or other.days:
        return not {*value.days}.isdisjoint(other.days)
    return (value.unit, value.bound) == (other.unit, other.bound) and _has_same_amount(value, other)


def _value(text: str, figure: Figure) -> Value | None:
    start, end = span_with_unit(text, figure)
    before = text[max(0, start - _AROUND) : start]
    if figure.loose or figure.is_ordinal or _IN_NAME.match(text, end) or _NUMBERED.search(before):
        return None
    language = language_of(text)
    if language != "de" and _BEFORE_NAME.match(text, end):
        return None
    is_year = not figure.days and _is_year(text, figure)
    if figure.text[0].isdigit() and not figure.days:
        counts = figure.unit if language != "en" and not is_year else is_year and _is_dated(text, figure)
        if _PART.search(before) or (not counts and _BEHIND_NAME.search(before)):
            return None
    if figure.days or is_year:
        days = figure.days or ((int(figure.readings[0]), None, None),)
        word, behind = _YEAR_WORD.search(before), _YEAR_BEHIND.match(text, figure.end)
        start = start - len(word.group()) if word else start
        end = behind.end() if behind else figure.end
        return Value(figure.text, start, end, figure, days)
    bound = _BOUND.search(before)
    start = start - len(bound.group()) if bound else start
    unit, size = unit_size(figure.unit)
    name = bound.group().strip().casefold() if bound else ""
    return Value(text[start:end], start, end, figure, (), unit, size, name, bool(bound and bound["about"]))


def _is_year(text: str, figure: Figure) -> bool:
    if figure.unit == "year" and _YEAR_BEHIND.match(text, figure.end):
        figure = figure._replace(unit="")  # 1874 года
    return figure.is_like_year


def _is_dated(text: str, figure: Figure) -> bool:
    """Return whether a bare number is certainly a year: after a word such as "since", or at the end."""
    before, behind = text[max(0, figure.start - _AROUND) : figure.start], text[figure.end :]
    is_last = not re.search(r"\w", behind) and not re.search(r"[\w.,$€£¥]$", before)
    return (
        is_last
        or _DATED.search(before) is not None
        or any(pattern.match(behind) for pattern in (_YEAR_BEHIND, _TO_YEAR))
    )


def _has_same_amount(value: Value, other: Value) -> bool:
    if value.size == other.size:
        return value.figure.has_reading_of(other.figure)
    return any(math.isclose(*pair) for pair in _readings(value, other))


def _readings(value: Value, other: Value) -> Iterator[tuple[float, float]]:
    """Yield what two numbers may mean, in the base of their unit, by their separators."""
    marks = {value.figure.mark, other.figure.mark} - {""}
    read = [
        [round(float(number) * each.size, 6) for number in each.figure.readings[: 1 if len(marks) > 1 else 2]]
        for each in (value, other)
    ]
    yield from product(*read)


def _is_near(value: Value, other: Value, amount: float, other_amount: float) -> bool:
    least, most = sorted((abs(amount), abs(other_amount)))
    apart = 1 - least / most if most else 0
    if value.is_about and apart <= _ABOUT:
        return True
    if value.size != other.size and apart <= _CONVERTED:
        return True
    return apart <= _CLOSE and _is_rounded((amount, value.size), (other_amount, other.size))


def _likeness_of_days(day: Day, other: Day) -> Likeness:
    shared = [(mine, theirs) for mine, theirs in zip(day, other, strict=True) if mine and theirs]
    if not shared:
        return "unlike"
    return "same" if all(mine == theirs for mine, theirs in shared) else "other"


def _is_rounded(amount: tuple[float, float], other: tuple[float, float]) -> bool:
    """Return whether one of two amounts, each with the size of its unit, is the other in fewer digits."""
    (short, size), (long, long_size) = sorted((amount, other), key=lambda each: len(_digits(*each)))
    digits, most = len(_digits(short, size)), len(_digits(long, long_size))
    if most < _PRECISE or most == digits:
        return False
    return float(f"{long / size:.{digits - 1}e}") == short / size


def _digits(amount: float, size: float) -> str:
    return f"{amount / size:.10g}".replace(".", "").strip("0") or "0"
