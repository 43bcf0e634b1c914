"""Finds the dates of a text in any language: in words, in digits, in Chinese numerals and by eras."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from workers.core.language.figures.words import HAN, LETTERS, months, whole_number

Day = tuple[int | None, int | None, int | None]  # year, month, day as far as they are written
_ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925, "大正": 1911, "明治": 1867, "民國": 1911, "民国": 1911}
_CJK_NUMERAL = r"(?:\d{1,4}|[〇零一二三四五六七八九十廿卅]{1,4}|元)"
_CJK_DATE = re.compile(
    rf"(?P<era>令和|平成|昭和|大正|明治|中華民國|民國|民国)\s?(?P<era_year>{_CJK_NUMERAL})\s?年"
    rf"(?:\s?(?P<m0>{_CJK_NUMERAL})\s?月(?:\s?(?P<d0>{_CJK_NUMERAL})\s?[日号號])?)?"
    rf"|(?P<y1>\d{{4}}|[〇零一二三四五六七八九]{{4}})\s?[年년](?:도)?(?!間|间|代|대)"
    rf"(?:\s?(?P<m1>{_CJK_NUMERAL})\s?[月월](?:\s?(?P<d1>{_CJK_NUMERAL})\s?[日号號일])?)?"
    rf"|(?<![\d{HAN}])(?P<m2>{_CJK_NUMERAL})\s?[月월](?!間|间|份?之|球|亮|光|薪|刊)(?:\s?(?P<d2>{_CJK_NUMERAL})\s?[日号號일](?!間|间))?"
)
_VIETNAMESE = re.compile(
    r"(?:ngày\s(?P<day>\d{1,2})\s?)?tháng\s"
    r"(?P<month>\d{1,2}|(?:mười (?:một|hai)|mười|một|giêng|hai|ba|tư|bốn|năm(?!\s\d)|sáu|bảy|tám|chín|chạp)"
    r"(?!\w| lần))(?:[,/]?\s?(?:năm\s)?(?P<year>\d{4}))?"
)
_VIETNAMESE_MONTHS = {
    word: number
    for number, words in enumerate(
        "một|giêng hai ba tư|bốn năm sáu bảy tám chín mười mười_một mười_hai|chạp".split(),  # noqa: SIM905
        1,
    )
    for word in words.replace("_", " ").split("|")
}
_ISO = re.compile(
    r"(?<![\d.,/])(?<![\da-z]-)(?:(?P<year>[12]\d{3})-(?P<month>[01]\d)(?:-(?P<day>[0-3]\d))?"
    r"|(?P<first>\d{1,2})(?P<mark>[./-])\s?(?P<second>\d{1,2})(?P=mark)\s?(?P<last>\d{4}|\d\d)"
    r"|(?P<big>[12]\d{3})(?P<sign>[./])\s?(?P<middle>\d{1,2})(?P=sign)\s?(?P<small>\d{1,2})\.?)(?!\d|[./-]\d)"
)
_MONTH = (
    rf"(?P<month>[\u0e01-\u0e4e]{{1,3}}\.[\u0e01-\u0e2e]\.?|{LETTERS}{{2,}}"
    r"(?:\s(?:الأول|الثاني|الأولى|الثانية|الاول))?)"
)
_OF = (
    r"(?:(?:de|del|of|di|do|dels?|den|da|ngày|van|року|года|рік|عام|سنة|לשנת)\s"
    r"|(?:พ\.?ศ\.?|ค\.?ศ\.?|ปี)\s?|d'|de l'any )?"
)
_YEAR = r"(?P<year>[12]\d{3})(?![\d]|[.,]\d)"
_NAMED_DATES = (
    re.compile(
        rf"(?<![\d.,:])(?P<day>[0-3]?\d)(?:st|nd|rd|th|er|[.ºª°oa]|:?nde|-?го|-?е|-?a|-?ви)?[\s-]{_OF}{_MONTH}"
        rf"\.?(?:,?[\s-],?{_OF}{_YEAR}|[\s-]?'(?P<cut>\d\d)(?!\d)|,?-(?P<cut2>\d\d)(?![\d:])|'\w+)?"
    ),
    re.compile(
        rf"(?:(?P<year>[12]\d{{3}})\.?,?\s(?:m\.\s|йил\s)?)?(?<!{LETTERS}){_MONTH}\.?\s(?P<day>[0-3]?\d)(?:st|nd|rd|th|\.|-[aáeé]n?)?"
        rf"(?![\d:%]|[.,]\d|\s?{LETTERS}*%)(?:,?\s(?P<year2>[12]\d{{3}})(?![\d]|[.,]\d))?"
    ),
    re.compile(rf"(?<!{LETTERS}){_MONTH}\.?,?[\s-]{_OF}(?:'(?P<cut>\d\d)(?!\d)|{_YEAR})"),
    re.compile(rf"(?<![\d.,])(?P<year>[12]\d{{3}})(?:\.?|\.?\s?m\.|\sйил)\s{_MONTH}"),
)
_WORD = re.compile(f"{LETTERS}+")
_ALONE_BEFORE = re.compile(
    r"(?:^|[\s(])(?:in|since|until|of|by|from|last|next|during|early|late|im|seit|bis|anfang|ende|mitte|en|de|d|du|au|à|dès|depuis|"
    r"nel|a|di|em|w|we|od|do|v|ve|в|у|во|с|до|к|i|til|till|fra|från|siden|sedan|før|innan|op|fin|mediados|mes|mese|mois|mês|bulan|tháng|שנת|في|شهر)[\s']$"
)
# Months' names that are other words as well, and no months where no figure is beside them.
_WORDS_TOO = frozenset(
    [
        "may",
        "march",
        "mars",
        "mart",
        "set",
        "ago",
        "mar",
        "dec",
        "jan",
        "jun",
        "sat",
        "out",
        "mai",
        "maj",
        "май",
        "мая",
        "listopad",
        "lis",
        "sen",
        "do",
        "juni",
    ]
)
_INFLECTING = frozenset("pl cs sk ru uk be bg fi et lt lv hu hr sr sl el".split())  # noqa: SIM905
_NOT_ENGLISH = frozenset("set out ago sat sen do lis mars mart".split())  # noqa: SIM905 - words of English


def each_date(text: str, shaped: str, languages: tuple[str, ...]) -> Iterator[tuple[list[Day], int, int]]:
    """Yield the possible meanings of each date in a text, with its position; of overlapping dates, the first.

    Args:
        text: as written.
        shaped: the same in small letters and plain digits, without what was read.
        languages: languages of the text; they decide between months with the same name.
    """
    if _HAS_CJK.search(shaped):
        for match in _CJK_DATE.finditer(shaped):
            yield _cjk_days(match), *match.span()
    if "tháng" in shaped:
        for match in _VIETNAMESE.finditer(shaped):
            month = match["month"]
            number = int(month) if month.isdecimal() else _VIETNAMESE_MONTHS[month]
            yield _days(match["year"], number, match["day"]), *match.span()
    for match in _THAI_YEAR.finditer(shaped):
        yield _days(match["year"] or match["common"], None, None), *match.span()
    for match in _ISO.finditer(shaped):
        yield _days_in_digits(match), *match.span()
    yield from _named_dates(shaped, languages)
    for match in _WORD.finditer(shaped):
        word = match.group()
        if _may_be_month(word, languages):
            found = _alone(text, shaped, match, languages)
            if found:
                yield [(None, month, None) for month in found], *match.span()


def _named_dates(shaped: str, languages: tuple[str, ...]) -> Iterator[tuple[list[Day], int, int]]:
    for pattern in _NAMED_DATES:
        for match in pattern.finditer(shaped):
            groups = match.groupdict()
            months, end_of_month = _month_numbers(match["month"], languages)
            if not months:
                continue
            cut = groups.get("cut") or groups.get("cut2")
            year = groups.get("year") or groups.get("year2") or (_whole_year(cut) if cut else None)
            end = (
                match.end()
                if year or match.end("month") <= match.end("day" if groups.get("day") else 0)
                else match.end("month")
            )
            if end_of_month and not year and end == match.end("month"):
                end = match.start("month") + end_of_month
            if groups.get("day"):
                for span in _RANGE.finditer(shaped, max(0, match.start() - 12), match.start()):
                    yield (
                        [day for month in months for day in _days(year, month, span["day"])],
                        *span.span("day"),
                    )
            days = [day for month in months for day in _days(year, month, groups.get("day"))]
            yield days, match.start(), end


# The first day of two: 10 to 12 December, vom 3. bis 5. Mai.
_RANGE = re.compile(
    r"(?<![\d.,:])(?P<day>[0-3]?\d)(?:st|nd|rd|th|\.|er|º)?\s?(?:[-–—/~]|and|to|bis|und|et|au|y|al|e|a|и|по|do|i|tot|en)\s?$"
)
_THAI_YEAR = re.compile(r"(?:พ\.?ศ\.?|ปี)\s?(?P<year>2[45]\d\d)(?!\d)|ค\.?ศ\.?\s?(?P<common>[12]\d{3})(?!\d)")
_HAS_CJK = re.compile("[年月년월]")


def _may_be_month(word: str, languages: tuple[str, ...]) -> bool:
    if word in months():
        return len(word) > 3 or word > "\u0590" or word in {"mai", "mei", "may"}  # noqa: PLR2004
    return not _INFLECTING.isdisjoint(languages) and len(word) > 4 and _stem_length(word) > 0  # noqa: PLR2004


def _alone(text: str, shaped: str, match: re.Match[str], languages: tuple[str, ...]) -> list[int]:
    word, written = match.group(), text[match.start() : match.end()]
    small = written.islower() and written != written.upper()
    before = _ALONE_BEFORE.search(shaped[max(0, match.start() - 12) : match.start()])
    if (word in _WORDS_TOO or small or len(word) < 3 or word not in months()) and not before:  # noqa: PLR2004
        return []
    if word == "august" and small:
        return []
    return _month_numbers(word, languages)[0]


def _month_numbers(word: str, languages: tuple[str, ...]) -> tuple[list[int], int]:
    """Return the months that a word may name, and how much of it does."""
    known = months()
    first = word.split(maxsplit=1)[0]
    if first in _NOT_ENGLISH and set(languages) == {"en"}:
        return [], 0
    for form in (
        word,
        first,
        first[1:] if first[0] in "בהלמוو" else first,
        first.removesuffix("'"),
        first.rstrip("."),
    ):
        if form in known:
            found = known[form]
            if len(found) > 1:
                language = next((each for each in languages if each != "en"), "")
                found = tuple(each for each in found if language in each[1]) or found
            return [number for number, _ in found], len(word if form == word else first)
    if len(first) <= 4 or _INFLECTING.isdisjoint(languages):  # noqa: PLR2004
        return [], 0
    stem = _stems().get(first[: _stem_length(first)])
    return ([stem], len(first)) if stem else ([], 0)


def _stem_length(word: str) -> int:
    for length in range(len(word), 3, -1):
        if word[:length] in _stems() and len(word) - length <= 4:  # noqa: PLR2004
            return length
    return 0


@cache
def _stems() -> dict[str, int]:
    """Return the beginnings of months' names, for languages that inflect them."""
    stems: dict[str, set[int]] = {}
    for word, found in months().items():
        if len(found) > 1 or len(word) < 5 or " " in word:  # noqa: PLR2004
            continue
        for stem in {word, word[:-1]} if word[-1] in "aeiouyьяйuаiůeęėnц" else {word}:
            stems.setdefault(stem, set()).add(found[0][0])
    return {stem: next(iter(numbers)) for stem, numbers in stems.items() if len(numbers) == 1}


def _whole_year(cut: str) -> str:
    return f"{19 if int(cut) > 68 else 20}{cut}"  # noqa: PLR2004 - as POSIX reads %y


def _days(year: str | int | None, month: int | None, day: str | int | None) -> list[Day]:
    """Return a date if it is possible; a Buddhist year in both ways."""
    date = int(day) if day else None
    whole = int(year) if year else None
    if (month is not None and not 1 <= month <= 12) or (date is not None and not 1 <= date <= 31):  # noqa: PLR2004
        return []
    days: list[Day] = [(whole, month, date)]
    if whole is not None and 2400 < whole < 2700:  # noqa: PLR2004
        days = [(whole - 543, month, date), (whole, month, date)]
    return days


def _days_in_digits(match: re.Match[str]) -> list[Day]:
    if match["year"]:
        return _days(match["year"], int(match["month"]), match["day"])
    if match["big"]:
        return _days(match["big"], int(match["middle"]), match["small"])
    year = match["last"] if len(match["last"]) == 4 else _whole_year(match["last"])  # noqa: PLR2004
    first, second = match["first"], match["second"]
    return list(dict.fromkeys([*_days(year, int(second), first), *_days(year, int(first), second)]))


def _cjk_days(match: re.Match[str]) -> list[Day]:
    if match["era"]:
        year = _ERAS[match["era"].removeprefix("中華")] + (_cjk_value(match["era_year"]) or 0)
        return _days(year, _cjk_value(match["m0"]), _cjk_value(match["d0"]))
    if match["y1"]:
        return _days(_cjk_value(match["y1"]), _cjk_value(match["m1"]), _cjk_value(match["d1"]))
    return _days(None, _cjk_value(match["m2"]), _cjk_value(match["d2"]))


def _cjk_value(numeral: str | None) -> int | None:
    if not numeral:
        return None
    return 1 if numeral == "元" else whole_number(numeral)
