"""Checks that the numbers and dates in a sentence appear in the text that it cites, in any language."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from hopline.visible import visible
from workers.core.answers.spellings import TEXTS_KEPT
from workers.core.language.dates import MONTHS
from workers.core.language.decimals import Written, is_rounded
from workers.core.language.figures.dates import Day
from workers.core.language.figures.figures import Figure, figures, languages_read
from workers.core.language.figures.shares import Share, shares
from workers.core.language.figures.sizes import unit_size
from workers.core.language.figures.times import Time, clocks, decades
from workers.core.language.figures.words import LETTERS
from workers.core.language.forms import is_form
from workers.core.language.numerals import counted, cut_years, months, whole_seasons
from workers.core.language.periods import is_period, is_quarter

_AROUND = 20  # characters beside a number that tell whether it is a decade, a share or called round
_BESIDE = 40  # characters beside a number in which a word says that it is a duration
_LAST_OF_CENTURY, _YEARS_OF_CENTURY = 99, 100
_SAME_SIGN = (
    {"¥", "JPY"},
    {"¥", "CNY"},
    {"GBP", "pound of weight"},
    {"GBP", "EGP"},
    {"CNY", "TWD"},
    {"SEK", "second"},
)
# Behind eleven to ninety-nine a thousand is in the accusative, as two thousand before what they are of.
_ARABIC_THOUSAND = re.compile(r"(?<=ين |ون |شر )ألفا(?!\w)")
_VERSION = re.compile(r"(?<![\d.])\d+(?:\.\d+){2,}(?![\d])")
# For languages that write 14.30 for 14:30.
_CLOCK = re.compile(
    r"\b((?<=klo )\d\d?|(?<=kl\. )\d\d?|(?<=pukul )\d\d?|(?<=alle )\d\d?"
    r"|\d\d?(?=[.h][0-5]\d (?:Uhr|uur)\b))[.h]([0-5]\d)\b"
)
# Centuries of Italian: the Ottocento is the nineteenth.
_SECOLI = {"Due": "XIII", "Tre": "XIV", "Quattro": "XV", "Cinque": "XVI", "Sei": "XVII", "Sette": "XVIII"}
_SECOLI |= {"Otto": "XIX", "Nove": "XX"}
_SECOLO = re.compile(rf"(?<=[ '’])({'|'.join(_SECOLI)})cento\b")
# Units of time in their order: only neighbours are converted, as "24 months" and "two years".
_TIMES = ("second", "minute", "hour", "day", "week", "month", "year", "decade")
_OF_DATE = re.compile(r"[日号號月年일월년](?![間间])")  # may end a date; 10日間 is a duration
_COUNTED_TIME = re.compile(r"[个個かカヶケ箇개]\s?[月년월]")  # 三个月
_LASTS = re.compile(
    r"\b(?:last(?:s|ed|ing)?|t(?:ook|akes?|aken)|for|during|within|over|dur(?:ation|ée|e[ra]?|é|ó|ait|aient|ata|"
    r"ar|ou|aron|at[oi]|ante)|dauer\w{0,5}|während|binnen|innerhalb|lang|pendant|en|duur\w{0,4}|trwa\w{0,5}|"
    r"przez|trv\w{0,5}|tog|tok|kesti|tartott)\b|дли\w{1,8}|продолжа|заня[лт]|в течение|трива|持续|持續|"
    r"历时|歷時|为期|為期|かかっ|かかる|続い|続く|要し|걸[렸리린]|동안|間|间",
    re.IGNORECASE,
)
# Beside a number that is an age, or tells when something was or is.
_NO_DURATION = re.compile(
    r"\b(?:ago|later|vor|nach|il y a|après|hace|después|fa|dopo|há|depois|geleden|temu|před|назад|через|тому|"
    r"önce|sonra|sedan|siden|sitten|ezelőtt|acum|după|πριν|μετά|trước|sau|lalu|לפני|אחרי|"
    r"old|aged?|alt(?:e[rsn]?)?|\w*jährig\w*|âgée?s?|edad|età|idade|oud|gam[lm]\w*|vanha\w*|wiek\w*|věk\w*|"
    r"éves\w*|kor[aú]\w*|vârst\w*|возраст\w*|вік\w*|віці|yaş\w*|tuổi|usia|umur|ηλικ\w+|ετών|גיל|בן|בת)\b|"
    r"[岁歲歳才前后後]|살|전에|후에|قبل|بعد|पहले|बाद|\d\s?세|سن|عمر|उम्र|आयु|อายุ",
    re.IGNORECASE,
)
_COUNTED = re.compile(rf"[ \u00a0]({LETTERS}{{3,40}})")  # the word behind a number
_PLAIN = re.compile(r"-?[\d.,' \u00a0٫٬]+")


def missing_numbers(sentence: str, stands: str) -> list[str]:
    """Return the numbers and dates of a sentence that are missing in the text, as written.

    They are compared by value (see `core.language.figures`): a number by one of its readings, with units that
    agree if both sides have one, or as the same amount in another unit; a date by all of its parts, with one
    date of the text or with several incomplete ones. A rounded decimal also matches, as does a share in
    percent, a year for its century or decade, a month for its quarter, and a year's last two digits in a
    date.
    """
    written, others = _without_times(_shaped(sentence), stands)
    said, written = shares(written)
    languages = languages_read(written, stands)
    found = figures(written, languages)
    read = " ".join(figure.text for figure in found)
    versions = [
        version for version in _VERSION.findall(written) if version not in stands and version not in read
    ]
    if not found and not said:
        return [*others, *versions]
    source = _source(stands, tuple(sorted(languages)))
    percents = {number for each in source.figures if each.unit == "percent" for number in each.readings}
    lacking: dict[str, None] = dict.fromkeys(others) | {
        f"{round(share.percent)}%": None
        for share in said
        if (source.shares or (percents and not share.is_of_period))
        and not share.is_told(source.shares, percents)
    }
    named: set[str] = set()
    for figure in found:
        if figure.day is not None:
            for part in _missing_of_date(figure, source):
                (lacking.setdefault(part) if part[0].isdigit() else named.add(part))
        elif figure.loose:
            if _is_counted_otherwise(figure, written, source):  # "sei" may mean "you are", "sei navi" is six
                lacking.setdefault(figure.text.casefold())
        elif not _is_carried(figure, written, source):
            lacking.setdefault(figure.text.casefold())
    return [*lacking, *(version for version in versions if version not in lacking), *sorted(named)]


def _without_times(written: str, stands: str) -> tuple[str, list[str]]:
    """Return a sentence without its clock times and decades, and those that the text contradicts.

    A clock time or decade is contradicted by other ones; if the text has none, its numbers are compared.
    """
    said = [(each, place) for place, find in enumerate((clocks, decades)) for each in find(written)]
    if not said:
        return written, []
    times, years = _times(stands)
    others: list[str] = []
    for time, place in said:
        known = times[place]
        told = any(time.values & each.values for each in known) or (
            place == 1 and any(year - year % 10 in time.values for year in years)
        )
        if told or not time.is_held or known or (place == 1 and years):
            if not told and time.is_held:
                spelled = written[time.start : time.end].strip()
                digits = re.match(r"\d+", spelled) if place else None
                others.append(digits.group() if digits else spelled)
            written = f"{written[: time.start]}{' ' * (time.end - time.start)}{written[time.end :]}"
    return written, others


@lru_cache(maxsize=TEXTS_KEPT)
def _times(stands: str) -> tuple[tuple[list[Time], list[Time]], list[int]]:
    """Return the clock times, decades and years of a text."""
    shaped = _shaped(stands)
    years = [int(year) for year in re.findall(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)", shaped)]
    return (clocks(shaped), decades(shaped)), years


class _Source(NamedTuple):
    text: str
    figures: list[Figure]
    days: list[Day]
    years: set[int]
    months: set[int]
    shares: list[Share]  # in words
    values: set[Decimal]  # of numbers without a unit, in words too common, and cut years


@lru_cache(maxsize=TEXTS_KEPT)
def _source(stands: str, languages: tuple[str, ...]) -> _Source:
    told, text = shares(_shaped(stands))
    found = figures(text, languages_read(text) | set(languages))
    days = [day for figure in found for day in figure.days]
    values = {Decimal(value) for value in counted(stands) | cut_years(stands)}
    numbers = {number for figure in found for number in figure.readings}
    years = {day[0] for day in days if day[0]} | {int(value) for value in values | numbers if _is_year(value)}
    named = {day[1] for day in days if day[1]} | {MONTHS.index(name) + 1 for name in months(stands)}
    return _Source(text, found, days, years, named, told, values)


def _shaped(text: str) -> str:
    shaped = _CLOCK.sub(r"\1:\2", whole_seasons(unicodedata.normalize("NFC", visible(text))))
    shaped = _ARABIC_THOUSAND.sub("ألف ", shaped)
    return _SECOLO.sub(lambda match: f"{_SECOLI[match[1]]} secolo", shaped) if "cento" in shaped else shaped


def _is_year(value: Decimal) -> bool:
    return 1000 <= value < 2100 and value == int(value)  # noqa: PLR2004


def _missing_of_date(figure: Figure, source: _Source) -> list[str]:
    """Return the parts of a date that the text lacks; all of them if each belongs to another date."""
    days = figure.days
    if any(_is_told(day, source) for day in days):
        return []
    year, month, day = days[0]
    parts = _parts(figure.text, days[0])
    lacking = [
        part
        for part, known in zip(
            parts,
            (
                year is None or any(each[0] in source.years for each in days),
                month is None or any(each[1] in source.months for each in days),
                day is None or any(_is_day(each[2], source) for each in days),
            ),
            strict=True,
        )
        if part and not known
    ]
    return lacking or [part for part in parts if part]


def _parts(text: str, day: Day) -> tuple[str, str, str]:
    """Return how year, month and day are written."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    name = next((word for word in re.findall(r"[^\W\d_]{3,}", folded) if len(word) > 2), "")  # noqa: PLR2004
    year = str(day[0]) if day[0] else ""
    month = (name or f"{day[1]}") if day[1] else ""
    return year, month if not month.isdigit() else f"{month}.", str(day[2]) if day[2] else ""


def _is_told(day: Day, source: _Source) -> bool:
    year, month, date = day
    if month is None and date is None:
        return year in source.years
    for other in source.days:
        shared = [(mine, theirs) for mine, theirs in zip(day, other, strict=True) if mine and theirs]
        if not shared or any(mine != theirs for mine, theirs in shared):
            continue
        if (
            (not year or other[0] or year in source.years)
            and (not month or other[1] or _is_month(month, source, year))
            and (not date or other[2] or _is_day(date, source, month, year))
        ):
            return True
    if year is None and date is None:
        return month in source.months
    alone = not any(other[1] == month for other in source.days)  # as august in small letters
    return (
        alone
        and (not year or year in source.years)
        and month in source.months
        and (not date or _is_day(date, source))
    )


def _is_month(month: int, source: _Source, year: int | None) -> bool:
    """Return whether the text contains a month, alone or in a date without a different year."""
    dates = [each for each in source.days if each[1] == month]
    if not dates:
        return month in source.months
    return not year or any(each[0] in (None, year) for each in dates)


def _is_day(date: int | None, source: _Source, month: int | None = None, year: int | None = None) -> bool:
    """Return whether the text contains a day, alone or in a date without a different month or year."""
    days = (
        each[2]
        for each in source.days
        if (not month or each[1] in (None, month)) and (not year or each[0] in (None, year))
    )
    return date in days or any(date in figure.readings and not figure.unit for figure in source.figures)


def _is_carried(figure: Figure, sentence: str, source: _Source) -> bool:
    if figure.unit == "century" and any(
        (year + _LAST_OF_CENTURY) // _YEARS_OF_CENTURY in figure.readings for year in source.years
    ):
        return True
    if any(number in source.values for number in figure.readings):
        return True
    if figure.unit == "percent" and any(
        share.is_rounded_to(number) for share in source.shares for number in figure.readings
    ):
        return True
    otherwise = _is_counted_otherwise(figure, sentence, source)
    agreeing = [
        each
        for each in source.figures
        if each.readings and _agree(figure.unit, each.unit) and not (otherwise and each.unit)
    ]
    if any(map(figure.has_reading_of, agreeing)) or any(
        _is_converted(figure, each) and _are_of_duration((figure, sentence), (each, source.text))
        for each in source.figures
    ):
        return True
    if (
        figure.unit in ("", "year", "day")
        and not otherwise
        and any(number == part for number in figure.readings for day in source.days for part in day if part)
    ):
        return True
    open_mark = figure.mark if len(figure.readings) > 1 else ""
    alike = [each for each in agreeing if not open_mark or each.mark in ("", open_mark)]
    stated = list(_written(alike, source.text, figure.mark))
    years = [Written(Decimal(year), 0, "", "", "") for year in source.years]
    return any(
        is_rounded(number, stated) or is_period(number, [*stated, *years]) or is_quarter(number, source.text)
        for number in _written([figure], sentence, figure.mark)
    )


def _is_counted_otherwise(figure: Figure, sentence: str, source: _Source) -> bool:
    """Return whether the text gives a different count of the same thing.

    "Three climbers" is not supported by three hours if there are two climbers.
    """
    counted = _COUNTED.match(sentence, figure.end) if figure.readings and not figure.unit else None
    if counted is None:
        return False
    others = (each for each in source.figures if each.readings and not each.unit)
    found = ((each, _COUNTED.match(source.text, each.end)) for each in others)
    alike = [each for each, noun in found if noun and is_form(counted[1].casefold(), noun[1].casefold())]
    return bool(alike) and not any(map(figure.has_reading_of, alike))


def _is_converted(figure: Figure, other: Figure) -> bool:
    """Return whether two numbers are the same amount in two units: 2.6 tonnes and 2,600 kg."""
    (kind, size), (other_kind, other_size) = unit_size(figure.unit), unit_size(other.unit)
    return (
        bool(figure.unit and other.unit)
        and kind == other_kind
        and size != other_size
        and any(
            math.isclose(float(one) * size, float(two) * other_size)
            for one, two in product(figure.readings, other.readings)
        )
    )


def _are_of_duration(*stated: tuple[Figure, str]) -> bool:
    """Return whether converted numbers, if times, can both be durations, not days of a month or ages.

    Args:
        stated: each number with its text.
    """
    units = {figure.unit for figure, _ in stated}
    if units.isdisjoint(_TIMES):
        return True
    first, second = sorted(map(_TIMES.index, units))
    beside = [text[max(0, figure.start - _BESIDE) : figure.end + _BESIDE] for figure, text in stated]
    if units == {"month", "year"} and not any(
        figure.is_ordinal or _NO_DURATION.search(around)
        for (figure, _), around in zip(stated, beside, strict=True)
    ):
        return True
    written = (text[figure.start : figure.end + 2] for figure, text in stated)
    if second - first > 1 or any(_OF_DATE.search(own) and not _COUNTED_TIME.search(own) for own in written):
        return False
    return units.isdisjoint(("year", "decade")) or all(map(_LASTS.search, beside))


def _agree(unit: str, other: str) -> bool:
    return not unit or not other or unit == other or {unit, other} in _SAME_SIGN


def _written(found: Iterable[Figure], text: str, mark: str) -> Iterator[Written]:
    """Yield numbers in the form used for comparing rounded values.

    Args:
        found: the numbers.
        text: the text with the numbers.
        mark: decimal mark of the compared number; with a decimal comma, a point separates thousands.
    """
    for figure in found:
        before = text[max(0, figure.start - _AROUND) : figure.start].casefold()
        after = text[figure.end : figure.end + _AROUND].casefold()
        is_plain = _PLAIN.fullmatch(figure.text) and not re.match(r"\w", after)
        other = mark and figure.mark and mark != figure.mark
        for number in figure.readings[:1] if other else figure.readings:
            places = max(0, -int(number.as_tuple().exponent)) if is_plain else None
            yield Written(number, places, figure.unit, before, after)
