"""Finds the figures of a text in any language: numbers with their units, and dates, each with its values.

Names of months, units and numbers are Unicode's (CLDR), stored in cldr.json beside this module; number words
are loaded only for the requested languages. Two languages may read the same text differently: 12,500 is 12500
or 12.5.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Collection, Iterator, Sequence
from decimal import Decimal
from functools import cache, lru_cache
from typing import NamedTuple

from workers.core.language.figures.dates import Day, each_date
from workers.core.language.figures.spoken import spoken
from workers.core.language.figures.words import (
    HAN,
    HAN_TIMES,
    HARD_SPACE,
    LETTERS,
    POINT,
    SHAPE,
    also_other_words,
    han_value,
    number_words,
    roman_value,
    scales,
    unit_stems,
    units,
    words_of,
)
from workers.core.language.languages import language_of

_NO_POINTS = f" '{HARD_SPACE}"  # separate thousands only
_MOST_DIGITS = 28  # what decimals are exact with
_FIRST_YEAR, _LAST_YEAR = 1000, 2099
_KEPT = 256  # texts whose figures are remembered
_TIMES_SIGNS = HAN_TIMES | {"百": 100, "千": 1000, "仟": 1000, "만": 10**4, "억": 10**8, "조": 10**12}
_TIMES_SIGNS |= {"천": 1000, "백": 100, "ร้อย": 100, "พัน": 10**3, "หมื่น": 10**4, "แสน": 10**5, "ล้าน": 10**6}
_LARGE = frozenset((*HAN_TIMES, "만", "억", "조", "ล้าน"))  # that multiply all what stands before them
_SHORT_TIMES = {"k": 10**3, "m": 10**6, "mn": 10**6, "b": 10**9, "bn": 10**9, "tn": 10**12}
UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3"
_AGGLUTINATING = re.compile("[\u0590-\u06ff\u0900-\u097f]")  # prefixes are written with the number's hyphen
_CURRENCY_BEFORE = re.compile(
    r"(?:(?<![^\W\d_])(?:rp|rs|eur|usd|gbp|chf|cny|rmb|jpy|inr|krw|pln|try|tl|us|r|nt|hk|ntd|a|c|kr|zł|idr|vnd|thb|sek|nok|"
    r"dkk|huf|czk|ron|brl|mxn|руб|грн)\.?[$]?|[€$£¥₹₩₽₺₴₫฿₪])[ \u00a0]?$"
)
_NUMBER = re.compile(
    rf"(?<![\d{POINT}])(?P<sign>(?:(?<!\S)|(?<=\())(?:minus |-))?"
    rf"(?P<digits>[1-9]\d{{0,2}}(?P<gap>[ \u00a0'])\d{{3}}(?:(?P=gap)\d{{3}})*(?!\d)"
    rf"(?:[.,{POINT}]\d+)?(?!\d)"
    rf"|\d+(?:[.,{POINT}]\d+)*)"
)
_GROUPS = re.compile(r"\d{1,3}(?:\D\d{3})+|\d{1,2}(?:,\d\d)+,\d{3}")  # thousands, or lakhs
_HAN_NUMBER = re.compile(rf"[{HAN}]+(?:[点點][〇零一二三四五六七八九]+)?")
_HAN_PERCENT = re.compile(r"百分之$")
_COUNTED_HAN = re.compile(
    r"\s?(?:[个個名位人次年月日天号號件所家座本册冊条條张張台辆輛間间层層棟栋户戶只隻头頭套岁歲元円圆亩畝吨噸トンkｋ米公千厘分時时小秒"
    r"星周週倍项項届屆期級级章節节回度番目枚匹冊つ杯種种成割％%キメヘリ艘架株棵朵]|世[纪紀])"
)
_NO_HAN = ("十分", "万一", "萬一", "千万不", "一一", "三三", "一些", "一般", "统一")
_ROMAN = re.compile(
    r"(?<![^\W\d_])(?:(?P<before>siglos?|secolul|secolo|século|stoljeće|thế kỷ|century|yüzyıl)\s"
    r"(?P<late>[ivxl]+)"
    r"|(?P<early>[ivxl]{1,6})(?:\.|e|ème|er|ᵉ|-?й|-?го|-?м)?\s?-?(?P<after>siècles?|век\w*|в\.|wiek\w*|century|centuries|secolo|století|"
    r"század\w*|yüzyıl\w*|eeuw|stol\w*|ст\.|століття))(?![^\W\d_])"
)
_CENTURY = re.compile(
    r"(?:st|nd|rd|th|e|er|ème|\.|º|-?й|-?го|-?м)?[\s-]?(?:centur|jahrhundert|siècle|siglo|secol|século|век|世紀|世纪|세기|wiek|stolet|"
    r"yüzyıl|eeuw|århundr|αιών|століт|század|sajand|قرن)"
)


class Figure(NamedTuple):
    """A number or a date in a text."""

    text: str
    start: int
    end: int
    readings: tuple[Decimal, ...]  # two where a separator can be read in two ways; none of a date
    unit: str = ""  # "" where there is none; else one name for all spellings
    places: int = 0  # decimals that are written
    mark: str = ""  # what separates the decimals, or the thousands where that is open
    loose: bool = False  # is a word that is too common to be held against a sentence
    days: tuple[Day, ...] = ()  # that a date may mean: 3/5/2019 is in March or in May
    is_ordinal: bool = False  # a word such as third

    @property
    def is_like_year(self) -> bool:
        """Whether it is four digits of a year that was or is near, without a unit."""
        return not self.unit and self.text.isdecimal() and _FIRST_YEAR <= int(self.text) <= _LAST_YEAR

    def has_reading_of(self, other: Figure) -> bool:
        """Return whether two numbers have a reading in common.

        A point that may separate thousands separates no decimals beside a decimal comma: 1.250 is not 1,25.
        """
        shared = set(self.readings) & set(other.readings)
        if not shared or not self.mark or not other.mark or self.mark == other.mark:
            return bool(shared)
        few, many = sorted((self.readings, other.readings), key=len)
        return len(few) == len(many) or many[0] in few

    @property
    def day(self) -> Day | None:
        """The first day that a date means; None of a number."""
        return self.days[0] if self.days else None


def figures(text: str, languages: Collection[str] | None = None) -> list[Figure]:
    """Return the figures of a text in order.

    Args:
        text: any.
        languages: whose number words are read; by default those of the text and of English.
    """
    return list(_figures(text, tuple(sorted(set(languages_read(text) if languages is None else languages)))))


@lru_cache(maxsize=_KEPT)
def _figures(text: str, known: tuple[str, ...]) -> tuple[Figure, ...]:
    shaped = text.translate(SHAPE)
    found: list[Figure] = []
    rest = shaped
    for read in (_dates, _centuries, _numbers, _han, _words):
        new = list(read(text, rest, known))
        found += new
        for figure in new:
            rest = rest[: figure.start] + "\x00" * (figure.end - figure.start) + rest[figure.end :]
    ordered = sorted(found, key=lambda figure: figure.start)
    for whole, part in itertools.pairwise(ordered):
        if whole.unit.isupper() and _CENTS_BEHIND.fullmatch(shaped, whole.end, part.start):
            cents = part.readings[0] if part.readings and not part.unit else Decimal(0)
            if 1 < cents < 100 and cents == int(cents) and _ENDS.match(shaped, part.end):  # noqa: PLR2004
                readings = tuple(number + cents / 100 for number in whole.readings)
                joined = whole._replace(text=text[whole.start : part.end], end=part.end, readings=readings)
                ordered = [joined if each is whole else each for each in ordered if each is not part]
    return tuple(ordered)


def languages_read(text: str, beside: str = "") -> set[str]:
    """Return the languages whose number words may occur in a text, or in a short one beside another."""
    if _ENGLISH.search(text):
        return {"en"}
    if beside:
        return languages_read(text) | languages_read(beside)
    language = "uk" if _UKRAINIAN.search(text) else language_of(text)
    return {"en", language, *next((kin for kin in _KINDRED if language in kin), ())}


_KINDRED = (  # a short sentence may be of either
    *(("da", "no", "sv"), ("cs", "sk"), ("id", "ms"), ("hr", "sr", "sl")),
    *(("ru", "be", "bg", "mk", "kk"), ("es", "pt", "ca")),
)
_UKRAINIAN = re.compile("[іїє]")
_ENGLISH = re.compile(r"\b(?:the|The|with|from|his|her|has|been|which|and)\b")


def _dates(text: str, shaped: str, languages: tuple[str, ...]) -> Iterator[Figure]:
    taken: list[tuple[int, int]] = []

    def free(start: int, end: int) -> bool:
        if any(start < last and first < end for first, last in taken):
            return False
        taken.append((start, end))
        return True

    for days, start, end in each_date(text, shaped, languages):
        if days and free(start, end):
            yield Figure(text[start:end], start, end, (), days=tuple(days))


def _centuries(text: str, shaped: str, _languages: tuple[str, ...]) -> Iterator[Figure]:
    for match in _ROMAN.finditer(shaped):
        group = "late" if match["late"] else "early"
        start, end = match.span(group)
        value = roman_value(match[group])
        if value and text[start:end].isupper():
            yield Figure(text[start:end], start, end, (Decimal(value),), "century")


def _numbers(text: str, shaped: str, languages: tuple[str, ...]) -> Iterator[Figure]:
    end = 0
    for match in _NUMBER.finditer(shaped):
        if match.start() < end or not _stands_free(shaped, match.start("digits")):
            continue
        readings, places, mark = _readings(match["digits"])
        if not readings:
            continue
        start, end = match.start(), match.end()
        whole = readings[0]
        tenths = _TENTHS.match(shaped, end)
        if tenths:
            readings = tuple(number * 10 + int(tenths[1] or 0) for number in readings)
            yield Figure(text[start : tenths.end()], start, tenths.end(), readings, "percent")
            continue
        readings, end, scaled = _scaled(readings, shaped, (start, end), languages)
        times = readings[0] / whole if whole else Decimal(1)
        readings, end = _with_half(readings, shaped, end, times, languages)
        if match["sign"]:
            readings = tuple(-number for number in readings)
        unit = _unit(shaped, start, end + (scaled and shaped[end : end + 1] == "."))
        yield Figure(text[start:end], start, end, readings, unit, 0 if scaled else places, mark)


def _stands_free(shaped: str, start: int) -> bool:
    """Return whether digits are a number and not part of a name as in B-52 or H2O."""
    before = shaped[start - 1 : start] if start else ""
    if before == "-" and start > 1:
        letter = shaped[start - 2]
        return not letter.isalpha() or bool(_AGGLUTINATING.match(letter) or re.match(f"[{UNSPACED}]", letter))
    if not before.isalpha():
        return True
    if re.match(f"[{UNSPACED}]", before) or _AGGLUTINATING.match(before):
        return True
    return _CURRENCY_BEFORE.search(shaped[max(0, start - 6) : start]) is not None


def _readings(digits: str) -> tuple[tuple[Decimal, ...], int, str]:
    """Return the possible values of digits with separators, their decimals, and the decimal mark."""
    marks = re.sub(r"\d", "", digits)
    plain = re.sub(r"\D", "", digits)
    if len(plain) > _MOST_DIGITS:
        return (), 0, ""
    if not marks:
        return (Decimal(digits),), 0, ""
    last = marks[-1]
    whole, _, part = digits.rpartition(last)
    grouped = _GROUPS.fullmatch(digits) is not None and not digits.startswith("0") and len(set(marks)) == 1
    single = marks.count(last) == 1 and (len(marks) == 1 or _GROUPS.fullmatch(whole))
    decimals = single and last not in _NO_POINTS
    if grouped and (not decimals or last == POINT):
        return (Decimal(plain),), 0, ""
    if not decimals:
        return (), 0, ""
    left = re.sub(r"\D", "", whole)
    decimal = Decimal(f"{left}.{part}")
    return ((Decimal(plain), decimal), 0, last) if grouped else ((decimal,), len(part), last)


def _scaled(
    readings: tuple[Decimal, ...], shaped: str, span: tuple[int, int], languages: tuple[str, ...]
) -> tuple[tuple[Decimal, ...], int, bool]:
    """Apply the multipliers after a number: 1.08亿, 3万2千, 2,6 Millionen, £6.5m."""
    start, end = span
    signs, after = _times_signs(shaped, end)
    if signs:
        parts: list[Decimal | str] = [*signs]
        while more := _MORE.match(shaped, after):
            number = Decimal(more[1].replace(",", ""))
            others, further = _times_signs(shaped, more.end())
            if not _goes_on_with(number, others, signs[-1]) or (not others and more.group().startswith(" ")):
                break
            parts += [number, *others]
            signs, after = others, further
            if not others:
                break
        return tuple(_by_signs([number, *parts]) for number in readings), after, True
    word = _WORD_BEHIND.match(shaped, end)
    known = scales(languages)
    if word and len(word[1]) <= 2 and word[1] in _SHORT_TIMES and (len(word[1]) == 1 or word[1] not in known):  # noqa: PLR2004
        money = _CURRENCY_BEFORE.search(shaped[max(0, start - 4) : start])
        behind = _NEXT_WORD.match(shaped, word.end())
        if money or word[1] in ("mn", "bn", "tn") or (behind and units().get(behind[1], "").isupper()):
            return tuple(number * _SHORT_TIMES[word[1]] for number in readings), word.end(), True
        return readings, end, False
    short = _SHORT_MONEY.match(shaped, end)
    if short:  # 48 Mkr, 3 MSEK: the currency is left
        times = Decimal(1000 if short[1] in "tk" else 10**6 if short[1] == "m" else 10**9)
        return tuple(number * times for number in readings), short.end(1), True
    scaled = False
    while word and word[1] in known and len(word[1]) > 1:
        readings, end, scaled = tuple(number * known[word[1]] for number in readings), word.end(), True
        word = _FURTHER_WORD.match(shaped, end)
    return readings, end, scaled


def _with_half(
    readings: tuple[Decimal, ...], shaped: str, end: int, times: Decimal, languages: tuple[str, ...]
) -> tuple[tuple[Decimal, ...], int]:
    """Add the half or the quarters that follow a number: five and a half million, tres y cuarto."""
    part = _AND_HALF.match(shaped, end)
    if part is None:
        return readings, end
    quarters = 1 if part["quarter"] else 3 if part["three"] else 2
    readings, end = tuple(number + times * quarters / 4 for number in readings), part.end()
    if times == 1:
        readings, end, _scaled_too = _scaled(readings, shaped, (end, end), languages)
    return readings, end


def _times_signs(shaped: str, end: int) -> tuple[list[str], int]:
    """Return the multipliers at a place of a text without spaces, and where they end."""
    match = _SIGNS_OF_TIMES.match(shaped, end)
    return (_SIGN_OF_TIMES.findall(match.group()), match.end()) if match else ([], end)


def _goes_on_with(number: Decimal, signs: Sequence[str], last: str) -> bool:
    """Return whether a smaller number after a multiplier continues a number: 3万 | 2千, 1천 | 2백만."""
    times = _TIMES_SIGNS[last]
    if signs and last not in _LARGE:
        return _TIMES_SIGNS[signs[0]] < times
    return number * math.prod(_TIMES_SIGNS[sign] for sign in signs) < times


def _by_signs(parts: Sequence[Decimal | str]) -> Decimal:
    """Return the value of numbers and multipliers that follow one another: 1천2백만, 천이백, หนึ่งพันสองร้อย."""
    total = section = Decimal(0)
    number: Decimal | None = None
    for part in parts:
        if isinstance(part, Decimal):
            number = (number or 0) + part
        elif part not in _LARGE:
            section += (1 if number is None else number) * _TIMES_SIGNS[part]
            number = None
        else:
            times = _TIMES_SIGNS[part]
            counted = section + (number or 0) if section or number is not None else None
            if total and total < times:  # 1万亿
                total = (total + (counted or 0)) * times
            else:
                total += (1 if counted is None else counted) * times
            section, number = Decimal(0), None
    return total + section + (number or 0)


_MORE = re.compile(r" ?(\d[\d,]*(?:\.\d+)?)")
_WORD_BEHIND = re.compile(rf"[ \u00a0-]?(?:de (?=mi[il]))?({LETTERS}+)")  # 20 de mii
_NEXT_WORD = re.compile(rf" ({LETTERS}+)")
_FURTHER_WORD = re.compile(rf"\.?[ \u00a0-]({LETTERS}+)")
_SIGN_OF_TIMES = re.compile("|".join(sorted(_TIMES_SIGNS, key=len, reverse=True)))
_SIGNS_OF_TIMES = re.compile(rf"[ \u00a0]?(?:{_SIGN_OF_TIMES.pattern})+(?![克米瓦])")


def span_with_unit(text: str, figure: Figure) -> tuple[int, int]:
    """Return the position of a figure together with its unit."""
    _, start, end = _unit_at(text.translate(SHAPE), figure.start, figure.end)
    return (start, end) if figure.unit else (figure.start, figure.end)


def _unit(shaped: str, start: int, end: int) -> str:
    """Return the unit after a number, or the currency before it."""
    return _unit_at(shaped, start, end)[0]


def _unit_at(shaped: str, start: int, end: int) -> tuple[str, int, int]:
    """Return the unit beside a number, and the position of both."""
    if _CENTURY.match(shaped, end):
        return "century", start, end
    before = shaped[max(0, start - 6) : start]
    money = _CURRENCY_BEFORE.search(before)
    if money:
        return units().get(money.group().strip().rstrip("."), ""), start - len(money.group()), end
    match = _UNIT_BEHIND.match(shaped, end)
    named, length = _unit_named(match["unit"]) if match else ("", 0)
    if match and named:
        return named, start, match.start("unit") + length
    sign = next((sign for sign in ("百分之", "yüzde ") if before.endswith(sign)), "")
    if not sign and match is None and before.endswith("%"):
        sign = "%"
    return "percent" if sign else "", start - len(sign), end


@lru_cache(maxsize=4096)
def _unit_named(behind: str) -> tuple[str, int]:
    """Return the unit at the beginning of the words or signs after a number, and the length of its name."""
    known = units()
    if re.match(f"[{UNSPACED}]", behind):
        beginnings = [behind[:length] for length in range(min(12, len(behind)), 0, -1)]
        forms = [form for form in beginnings if form in known and not _goes_on(behind, form)]
        return (known[forms[0]], len(forms[0])) if forms else ("", 0)
    first = behind.split(maxsplit=1)[0]
    stems = [first[:length] for length in range(min(12, len(first)), 2, -1)]
    if behind in known:
        return known[behind], len(behind)
    named = (known[form] for form in (first, first.rstrip("."), first.removesuffix("ا")) if form in known)
    unit = next(named, "") or next((unit_stems()[stem] for stem in stems if stem in unit_stems()), "")
    return unit, len(first)


def _goes_on(behind: str, form: str) -> bool:
    """Return whether a Thai abbreviation is only the beginning of a word."""
    return (
        len(form) < 3  # noqa: PLR2004
        and re.match("[\u0e01-\u0e4e]+$", behind[: len(form) + 1]) is not None
        and behind != form
    )


_UNIT_BEHIND = re.compile(
    r"[ \u00a0-]?(?:d[ei] |d'|din )?"
    rf"(?P<unit>[%％٪‰€$£¥₹₩₽₺₴₫฿₪]|(?:{LETTERS}|[\"״׳/])+[²³23]?(?: (?:{LETTERS})+)?)"
)


def _han(text: str, shaped: str, _languages: tuple[str, ...]) -> Iterator[Figure]:
    for match in _HAN_NUMBER.finditer(shaped):
        numeral, (start, end) = match.group(), match.span()
        if shaped.startswith(_NO_HAN, start) or not set(numeral) - set("万萬亿億兆千百"):
            continue
        value = han_value(numeral)
        unit = _unit(shaped, start, end)
        tenths = _HAN_TENTHS.match(shaped, end) if len(numeral) == 1 else None
        if tenths:
            value, unit = value * 10 + (han_value(tenths[1]) if tenths[1] else 0), "percent"
            end = tenths.end() if tenths[1] else end
        percent = _HAN_PERCENT.search(shaped[max(0, start - 3) : start])
        counted = _COUNTED_HAN.match(shaped, end) is not None
        loose = numeral in ("一", "二") or not (percent or counted or len(numeral) > 2)  # noqa: PLR2004
        unit = "percent" if percent else unit
        yield Figure(text[start:end], start, end, (value,), unit, loose=loose)


def _words(text: str, shaped: str, languages: tuple[str, ...]) -> Iterator[Figure]:
    found: list[Figure] = []
    for match in _HALF.finditer(shaped):
        times = scales(languages).get(match["times"])
        if times:
            start, end = match.span()
            found.append(Figure(text[start:end], start, end, (times / 2,), _unit(shaped, start, end)))
    if any(half in shaped for half in _HALVES):
        found += _halves_within(text, shaped, languages)
    for language in languages:
        if language in ("ko", "th"):
            found += _unspaced_words(text, shaped, language)
        elif language not in ("zh", "ja"):
            found += _spaced_words(text, shaped, language)
    end = 0
    for figure in sorted(found, key=lambda each: (each.start, -each.end, each.loose)):
        if figure.start >= end:
            yield figure
            end = figure.end


@cache
def _unspaced_pattern(language: str) -> re.Pattern[str]:
    words, _ = number_words(language)
    each = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    counters = "|".join(words_of("words", "counters")[language])
    free = "(?<![가-힣])" if language == "ko" else ""
    run = rf"(?:{each}|{_SIGN_OF_TIMES.pattern})+"
    return re.compile(rf"{free}{run}(?:(?<=[만억조]) {run})*(?=\s?(?:{counters}))")


@cache
def _unspaced_word(language: str) -> re.Pattern[str]:
    words = (*number_words(language)[0], *_TIMES_SIGNS)
    return re.compile("|".join(map(re.escape, sorted(words, key=len, reverse=True))))


def _unspaced_words(text: str, shaped: str, language: str) -> Iterator[Figure]:
    words, _ = number_words(language)
    for match in _unspaced_pattern(language).finditer(shaped):
        parts = _unspaced_word(language).findall(match.group())
        if not any(part in words for part in parts) and parts != ["만"]:
            continue
        values = [part if part in _TIMES_SIGNS else Decimal(words[part][0]) for part in parts]
        start = match.start()
        readings, end, _scaled_too = _scaled((_by_signs(values),), shaped, match.span(), (language,))
        common = language == "ko" and len(match.group()) == 1 and match.group() not in "두세네열"
        loose = readings[0] <= 1 or common
        yield Figure(text[start:end], start, end, readings, _unit(shaped, start, end), loose=loose)


def _spaced_words(text: str, shaped: str, language: str) -> Iterator[Figure]:
    words, _ = number_words(language)
    if not words:
        return
    matches = list(_WORD_OF_NUMBER.finditer(shaped))
    place = 0
    while place < len(matches):
        value, after, ordinal = spoken(shaped, matches, place, language)
        if value is None:
            place += 1
            continue
        start, end = matches[place].start(), matches[after - 1].end()
        if value == 100 and _PER_HUNDRED.search(shaped[max(0, start - 6) : start]):  # noqa: PLR2004
            place = after
            continue
        last = matches[after - 1].group()
        times = scales((language,)).get(last) or _scale_within(words.get(last, (0, False))[0])
        readings, end = _with_half((value,), shaped, end, times, (language,))
        while after < len(matches) and matches[after].start() < end:
            after += 1
        written = shaped[start:end]
        counts_noun = language == "de" and _BEFORE_NOUN.match(text, end)  # acht Gäste, not "außer Acht"
        is_other = written in also_other_words(language) and not counts_noun
        common = value <= 1 or (ordinal and value <= 2) or is_other  # noqa: PLR2004
        unit, loose = _unit(shaped, start, end), common and readings == (value,)
        yield Figure(text[start:end], start, end, readings, unit, loose=loose, is_ordinal=ordinal)
        place = after


def _scale_within(value: int) -> Decimal:
    """Return the thousand or million of an Arabic dual, two of which are one word."""
    return Decimal(next((times for times in (10**9, 10**6, 1000) if value and value % times == 0), 1))


_BEFORE_NOUN = re.compile(r" [A-ZÄÖÜ][a-zäöüß]")
_CENTS_BEHIND = re.compile(r" (?:euros?|dollars?|pounds|francs|franken) ")  # vier Euro fünfzig is 4.50
_ENDS = re.compile(r"\s?(?:[.,;:!?)]|$)")

_HALF = re.compile(
    r"(?<![^\W\d_])(?:half an? |eine[rn]? halben? |un demi[- ]|medio |mezzo |meio |en halv |ett halvt |"
    r"een half |"
    rf"pół |пол|yarım |puoli |fél)(?P<times>{LETTERS}+)"
)
_AND_HALF = re.compile(
    r"(?: and a half| et demie?| y medi[oa]| e mezz[oa]| e mei[oa]"
    r"| ونصف(?: ال\w+| مليون| مليار| ألف)?| וחצי| rưỡi| ?ครึ่ง| buçuk"
    r"| [сз] половин[оі][йю]ю?| і пів| i pół| a půl| o[cg]h? en halv| o[cg]h? et?t halvt| en een halve?"
    r"| setengah(?= juta| ribu| miliar| tahun| persen| kilo)"
    r"|(?P<quarter> and a quarter| et (?:un )?quart| y (?:un )?cuarto| e un quarto)"
    r"|(?P<three> and three[ -]quarters| et trois quarts| y tres cuartos| e tre quarti))(?![^\W\d_])"
)
_WITH_HALF = {
    "anderthalb|anderthalbe|anderthalben|anderhalf|anderhalve|halvannan|halvanden|halvandet|halvannen": 1,
    "halvannet|полтора|полторы|полутора|півтора|півтори|półtora|půldruhého|másfél|puolitoista|डेढ़": 1,
    "puolentoista|puoltatoista": 1,
    "ढाई": 2,
}
_AND_HALF_WITHIN = re.compile(
    rf"(?<!{LETTERS})(?:(?P<once>{'|'.join(_WITH_HALF)})|(?P<whole>{LETTERS}{{3,9}}?)(?:und)?"
    rf"(?:einhalb|eneenhalf|enhalve?)|साढ़े (?P<hindi>{LETTERS}+))(?!{LETTERS})"
)
_HALVES = (
    *("thalb", "inhalb", "enhal", "rhal", "halvan", "полтор", "полутор", "івтор", "półtor", "půldruh"),
    *("másfél", "toista", "डेढ़", "ढाई", "साढ़े"),
)


def _halves_within(text: str, shaped: str, languages: tuple[str, ...]) -> Iterator[Figure]:
    for match in _AND_HALF_WITHIN.finditer(shaped):
        once = match["once"]
        whole = next((each for words, each in _WITH_HALF.items() if once in words.split("|")), 0)
        whole = whole or _whole_before_half(match["whole"] or match["hindi"], languages)
        if whole:
            start, end = match.span()
            readings, end, _scaled_too = _scaled(
                (Decimal(whole) + Decimal("0.5"),), shaped, (start, end), languages
            )
            yield Figure(text[start:end], start, end, readings, _unit(shaped, start, end))


def _whole_before_half(word: str | None, languages: tuple[str, ...]) -> int:
    """Return the number that is written as one word with the half that follows it: fünfeinhalb."""
    known = (number_words(language)[0].get(word or "", (0, False)) for language in languages)
    return next((value for value, _ordinal in known if value), 0)


_HAN_TENTHS = re.compile("[成割](?:([一二三四五六七八九])分)?")
_TENTHS = re.compile(r" ?[割成](?![立长長果员員本功为分])(?:([1-9])分)?")
_SHORT_MONEY = re.compile(r"[ \u00a0]?(md|m|t|k)(?=(?:kr|sek|nok|dkk|eur|usd|gbp|€|\$|£)(?![^\W\d_]))")
_PER_HUNDRED = re.compile(r"\b(?:pour|per|por|pro|τοις|от|på|la)[ \u00a0]$")
_WORD_OF_NUMBER = re.compile(rf"{LETTERS}+(?:'{LETTERS}+)?")
