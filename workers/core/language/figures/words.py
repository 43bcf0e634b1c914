"""The words of figures in many languages: months, units, numbers in words, Chinese and Roman numerals.

cldr.json holds Unicode's (CLDR; `infra.cldr_tables` generates it), words.json what it lacks. Languages are
loaded when they are read.
"""

from __future__ import annotations

import json
import re
import unicodedata
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from workers.core.language.languages import is_function_word


@cache
def _table(file: str, kind: str) -> dict[str, Any]:
    tables: dict[str, dict[str, Any]] = json.loads(
        Path(__file__).with_name(f"{file}.json").read_text(encoding="utf-8")
    )
    return tables[kind]


def words_of(file: str, kind: str) -> dict[str, list[str]]:
    """Return the words of a kind (months, units, numbers by language) of a file, by what they mean."""
    return {meaning: words.split("|") for meaning, words in _table(file, kind).items()}


@cache
def _spelled() -> dict[str, dict[str, str]]:
    return _table("cldr", "numbers")


_HAN_DIGITS = {sign: value for value, sign in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
_HAN_DIGITS |= {sign: value for value, sign in enumerate("壹贰叁肆伍陆柒捌玖", 1)}
_HAN_DIGITS |= {"貳": 2, "參": 3, "陸": 6, "弐": 2, "壱": 1}
_HAN_TENS = {"十": 10, "百": 100, "千": 1000, "拾": 10, "佰": 100, "仟": 1000}
HAN_TIMES = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8, "兆": 10**12}
HAN = "〇零一二两兩三四五六七八九十百千万萬亿億兆廿卅卌壹壱贰弐貳叁參肆伍陆陸柒捌玖拾佰仟"
# A letter, or else a mark upon one: never both, or a run of letters could be read in 2^n ways.
_MARKS = (
    "\u0591-\u05f4\u064b-\u0652\u0900-\u0903\u093a-\u094f\u0981-\u0983\u09bc-\u09cd\u0a01-\u0a03\u0a3c-\u0a4d\u0a81-\u0a83"
    "\u0abc-\u0acd\u0bbe-\u0bcd\u0c00-\u0c04\u0c3c-\u0c56\u0c80-\u0c83\u0cbc-\u0cd6\u0d00-\u0d03\u0d3b-\u0d4d\u0e31-\u0e4e॰"
)
LETTERS = f"(?:[^\\W\\d_]|(?![^\\W\\d_])[{_MARKS}])"
TIMES = {word: Decimal(times) for times, words in words_of("words", "times").items() for word in words}


@cache
def scales(languages: tuple[str, ...]) -> dict[str, Decimal]:
    """Return the words that multiply a number in some languages, long and short: tisíc, mil, тыс.

    A word counts as in the other languages before it does as in English: a German billion is a trillion.
    """
    found = dict(TIMES)
    for language in sorted(languages, key="en".__ne__):
        found |= own_scales(language)
    return found


def own_scales(language: str) -> dict[str, Decimal]:
    """Return the words that multiply a number in one language, as Unicode has them."""
    table: dict[str, str] = _table("cldr", "scales").get(language, {})
    return {word: Decimal(times) for times, words in table.items() for word in words.split("|")}


POINT = "⎖"  # stands for a sign that only separates decimals
HARD_SPACE = "\u00a0"
_SIGNS = {
    "ʼ": "'",
    "٫": POINT,
    "٬": "'",
    "’": "'",
    "＇": "'",
    "İ": "i",
    "，": "，",
    "−": "-",
    "\u2009": HARD_SPACE,
}
_SIGNS |= {"ș": "ş", "Ș": "ş", "ț": "ţ", "Ț": "ţ"}
_SIGNS |= {"\u202f": HARD_SPACE, HARD_SPACE: HARD_SPACE}


class _Shape(dict[int, str]):
    """Small letters, digits and signs in one form; each character stays one, so that places do."""

    def __missing__(self, code: int) -> str:
        sign = chr(code)
        digit = unicodedata.decimal(sign, None)
        if digit is not None:
            shaped = str(digit)
        elif sign in _SIGNS:
            shaped = _SIGNS[sign]
        else:
            plain = unicodedata.normalize("NFKC", sign)
            shaped = (plain if len(plain) == 1 else sign).lower()
            shaped = shaped if len(shaped) == 1 else sign
        self[code] = shaped
        return shaped


SHAPE = _Shape()


@cache
def months() -> dict[str, tuple[tuple[int, tuple[str, ...]], ...]]:
    """Return the numbers of months by their names; of one in several languages with the languages of each."""
    found: dict[str, tuple[tuple[int, tuple[str, ...]], ...]] = {}
    for number, words in words_of("cldr", "months").items():
        for each in words:
            word, _, languages = each.partition(":")
            found[word] = (*found.get(word, ()), (int(number), tuple(filter(None, languages.split(",")))))
    found["sept"] = ((9, ()),)
    thai = "ม.ค ก.พ มี.ค เม.ย พ.ค มิ.ย ก.ค ส.ค ก.ย ต.ค พ.ย ธ.ค"
    found |= {word: ((number, ()),) for number, word in enumerate(thai.split(), 1)}
    found |= dict.fromkeys(("maju", "мае", "maju", "máji", "травні"), ((5, ()),))
    return found


@cache
def calendar() -> dict[str, frozenset[str]]:
    """Return the names of months and weekdays of the languages that write them with a capital."""
    return {language: frozenset(words) for language, words in words_of("cldr", "calendar").items()}


@cache
def units() -> dict[str, str]:
    """Return the units by their spellings in all languages."""
    found: dict[str, str] = {}
    for file in ("cldr", "words"):
        for unit, words in words_of(file, "units").items():
            found |= {word: unit for word in words if not is_function_word(word)}
    return found


@cache
def unit_stems() -> dict[str, str]:
    """Return the beginnings of units' names in languages that inflect them."""
    stems = words_of("words", "unit_stems")
    return {stem: unit for unit, words in stems.items() for stem in words}


_VARIANTS = {  # spellings that the tables lack
    "ar": {
        f"{word}{hundred}": (value, False)
        for value, word in enumerate("ثلاث أربع خمس ست سبع ثمان تسع".split(), 3)  # noqa: SIM905
        for value in (value * 100,)
        for hundred in ("مئة", "مائة")
    }
    | dict.fromkeys(("اثنا عشر", "اثني عشر", "اثنتا عشرة", "اثنتي عشرة"), (12, False))
    | {"مئة": (100, False), "مئتان": (200, False), "مئتين": (200, False), "مائتين": (200, False)}
    | {"مئتي": (200, False), "مائتي": (200, False), "مئتا": (200, False), "مائتا": (200, False)}
    | {"ألفان": (2000, False), "ألفين": (2000, False)}
    | {"ألفا": (2000, False), "ألفي": (2000, False)}
    | {f"مليون{dual}": (2 * 10**6, False) for dual in ("ان", "ين", "ا", "ي")}
    | {f"مليار{dual}": (2 * 10**9, False) for dual in ("ان", "ين", "ا", "ي")}
    | {
        word: (value, False)
        for value, word in enumerate("ثلاث أربع خمس ست سبع ثماني تسع".split(), 3)  # noqa: SIM905
    },
    "el": {  # the accusative and genitive of hundreds
        f"{stem}κόσι{ending}": (value * 100, False)
        for value, stems in enumerate(
            ("δια τρια τετρα πεντα εξα επτα|εφτα οκτα|οχτα εννια").split(),  # noqa: SIM905
            2,
        )
        for stem in stems.split("|")
        for ending in ("α", "οι", "ες", "ους")
    }
    | dict.fromkeys(("χίλια", "χίλιοι", "χίλιες", "χίλιους", "χιλίων"), (1000, False)),
    "ro": {"o mie": (1000, False), "un milion": (10**6, False), "un miliard": (10**9, False)},
    "sl": {"dve": (2, False)},
    "he": {"אלפיים": (2000, False), "שנים עשר": (12, False), "שנים": (2, False)},
    "vi": {"không trăm": (0, False)},
    "hi": {"पांच": (5, False), "छः": (6, False)},
    "sv": {"et": (1, False)},
    "tr": {  # with a possessive ending: six of them
        word: (value, False)
        for value, word in enumerate("ikisi üçü dördü beşi altısı yedisi sekizi dokuzu".split(), 2)  # noqa: SIM905
    },
    "ru": {"тремястами": (300, False), "четырьмястами": (400, False)},
}


_LITHUANIAN = ("keturi", "penki", "šeši", "septyni", "aštuoni", "devyni")


@cache
def number_words(language: str) -> tuple[dict[str, tuple[int, bool]], int]:
    """Return the words of numbers of a language, each with its value and whether it is ordinal."""
    values: dict[str, tuple[int, bool]] = dict(_VARIANTS.get(language, {}))
    for key, words in _spelled().get(language, {}).items():
        for word in words.split("|"):
            value = (int(key.rstrip(".")), key.endswith("."))
            if word not in values or (word not in _VARIANTS.get(language, {}) and not value[1]):
                values[word] = value
            if language == "lt" and word.endswith(_LITHUANIAN):
                values[f"{word}s"] = value  # the accusative
    return values, max((word.count(" ") + 1 for word in values), default=0)


def fraction_patterns() -> dict[str, str]:
    """Return patterns of the words for shares, by numerator and denominator."""
    return _table("words", "fractions")


def han_value(numeral: str) -> Decimal:
    """Return the value of a Chinese or Japanese numeral, ordinary or formal."""
    whole, _, part = re.sub("[点點]", ".", numeral).partition(".")
    whole = whole.replace("廿", "二十").replace("卅", "三十").replace("卌", "四十")
    if not set(whole) & (_HAN_TENS.keys() | HAN_TIMES.keys()):
        digits = "".join(str(_HAN_DIGITS[sign]) for sign in whole)
        return Decimal(
            f"{digits or 0}.{''.join(str(_HAN_DIGITS[sign]) for sign in part)}" if part else digits
        )
    total = section = digit = 0
    for sign in whole:
        if sign in HAN_TIMES:
            times = HAN_TIMES[sign]
            section = (section + digit) or (1 if not total else 0)
            total = (total + section) * times if total and total < times else total + section * times
            section = digit = 0
        elif sign in _HAN_TENS:
            section += (digit or 1) * _HAN_TENS[sign]
            digit = 0
        else:
            digit = _HAN_DIGITS[sign]
    number = Decimal(total + section + digit)
    return number + Decimal(f"0.{''.join(str(_HAN_DIGITS[sign]) for sign in part)}") if part else number


_ROMAN = re.compile("m{0,3}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})")
_ROMAN_LETTERS = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}


def roman_value(numeral: str) -> int | None:
    """Return the value of a Roman numeral in capitals or small letters, 1 to 3999; None if it is none."""
    small = numeral.lower()
    if not small or _ROMAN.fullmatch(small) is None:
        return None
    values = [_ROMAN_LETTERS[letter] for letter in small]
    following = [*values[1:], 0]
    return sum(-value if value < after else value for value, after in zip(values, following, strict=True))


def whole_number(numeral: str) -> int:
    """Return the value of a whole number in digits or in a Chinese or Japanese numeral."""
    return int(numeral) if numeral.isdecimal() else int(han_value(numeral))


@cache
def also_other_words(language: str) -> frozenset[str]:
    """Return words of numbers that are other words as well: they are not held against a sentence."""
    return frozenset(words_of("words", "also_other_words").get(language, ()))
