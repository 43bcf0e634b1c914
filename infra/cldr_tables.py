"""Generates the tables of Unicode's words in many languages: `python -m infra.cldr_tables` writes them.

The data are Unicode's CLDR (Unicode License v3): months, units, currencies and countries as Babel (BSD) holds
them, numbers in words as unicode-rbnf (MIT) spells them. Only words that `core.language` can read are kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from babel.localedata import LocaleDataDict, load
from unicode_rbnf import RbnfEngine
from unicode_rbnf.engine import RbnfError

from workers.core.language.figures.spoken import GLUING
from workers.core.language.figures.words import LETTERS

_LANGUAGE = Path(__file__).resolve().parents[1] / "workers" / "core" / "language"
FIGURES, COUNTRIES = _LANGUAGE / "figures" / "cldr.json", _LANGUAGE / "countries.json"

_LANGUAGES = (
    "en de fr es it pt nl sv da no fi pl cs sk hu ro tr vi id ms hr sl et lv lt ca ru uk be bg sr mk ar fa "
    "ur he hi bn el th ko ja zh mr ta"
)
_OF_COUNTRIES = (
    "ar bg bn ca cs da de el en es et fa fi fr he hi hr hu id it ja ko lt lv nl no pl pt ro ru sk sl sv th "
    "tr uk vi zh"
)
# The numerals of zh and ja are read sign by sign (words.py); ur, bn and mr have no rules.
_OF_NUMBERS = (
    "en de fr es it pt nl sv da no fi pl cs sk hu ro tr vi id ms hr sl et lv lt ca ru uk be bg sr mk ar fa "
    "he hi el th ko ta"
)
_CAPITALISED = {"months": "en en_GB de de_AT tr id ms el pt", "days": "de tr id ms el"}  # that are no names
_OWN_MONTHS = "ar_LB ar_MA ar_DZ ar_SA sr_Latn ar_IQ ar_TN de_AT zh_Hant"
# Codes that stand for no country that a text is likely to name.
_NO_COUNTRIES = "AC AQ BL BQ BV CC CP CQ CX DG EA EU EZ GS HM IC IO MF NF PN QO SJ TA TF UM UN XA XB ZZ"
_CURRENCIES = (
    "EUR USD GBP JPY CNY RUB INR CHF PLN TRY KRW BRL ILS UAH SEK DKK NOK CZK HUF RON THB VND IDR MXN CAD AUD "
    "TWD HKD EGP SAR AED"
)
_UNITS = {
    "length-kilometer": "kilometre",
    "length-meter": "metre",
    "length-centimeter": "centimetre",
    "length-millimeter": "millimetre",
    "length-mile": "mile",
    "length-foot": "foot",
    "length-inch": "inch",
    "length-yard": "yard",
    "area-hectare": "hectare",
    "area-square-kilometer": "square kilometre",
    "area-square-meter": "square metre",
    "area-acre": "acre",
    "area-square-mile": "square mile",
    "area-square-foot": "square foot",
    "mass-kilogram": "kilogram",
    "mass-gram": "gram",
    "mass-milligram": "milligram",
    "mass-metric-ton": "tonne",
    "mass-tonne": "tonne",
    "mass-pound": "pound of weight",
    "mass-ounce": "ounce",
    "volume-liter": "litre",
    "volume-milliliter": "millilitre",
    "volume-cubic-meter": "cubic metre",
    "volume-hectoliter": "hectolitre",
    "concentr-percent": "percent",
    "concentr-permille": "permille",
    "duration-hour": "hour",
    "duration-minute": "minute",
    "duration-second": "second",
    "duration-day": "day",
    "duration-week": "week",
    "duration-month": "month",
    "duration-year": "year",
    "duration-century": "century",
    "duration-decade": "decade",
    "temperature-celsius": "degree Celsius",
    "temperature-fahrenheit": "degree Fahrenheit",
    "energy-kilowatt-hour": "kilowatt-hour",
    "power-kilowatt": "kilowatt",
    "power-megawatt": "megawatt",
    "power-watt": "watt",
    "speed-kilometer-per-hour": "km/h",
    "digital-gigabyte": "gigabyte",
    "digital-megabyte": "megabyte",
}
_NUMBERS = (*range(100), *range(100, 1000, 100), 1000, 10**6, 10**9)
_SCALES = (1000, 10**6, 10**9)
_TRILLION = 10**12  # in short forms, it is another number in each language
_NO_SCALES = (
    "km",
    "mia",
    "usen",
    "uhatta",
)  # but a kilometre, a word, and thousands behind one that ends in t
_JOINING = (" and", " e", " og", " и", " و", " lẻ")  # two numbers

# What is read as a month, a unit and words of a number, by dates.py, figures.py and cased.py.
_MONTH = re.compile(rf"{LETTERS}{{2,}}(?: (?:الأول|الثاني|الأولى|الثانية|الاول))?")
_UNIT = re.compile(rf"[%％٪‰€$£¥₹₩₽₺₴₫฿₪]|(?:{LETTERS}|[\"״׳/]|(?<=\w)['’.&-](?=\w))+(?: {LETTERS}+)?")
_SPELLED = re.compile(rf"(?:(?:^| ){LETTERS}+(?:'{LETTERS}+)?)+")
# Rules that spell parts of numbers, years, or digits one by one.
_PARTS = re.compile(
    "year|tens|hundreds|fraction|-ones|thousand|-large|digits|-x-|spellout-prefixed-with|-conjunction"
)
_SIGNS = {
    "\u00ad": "",
    "\u200b": "",
    "\u200e": "",
    "\u200f": "",
    "\u00a0": " ",
    "\u202f": " ",
    "ș": "ş",
    "ț": "ţ",
}
_SHAPE = str.maketrans(_SIGNS)
_UNSPACED = ("zh", "ja", "ko", "th")


def figures_table() -> str:
    """Return cldr.json: the words of months, units and numbers, a line for each month, unit and language."""
    kinds: dict[str, Mapping[str, Any]] = {"months": _months(), "units": _units(), "numbers": _numbers()}
    kinds["scales"] = _scales()
    kinds["calendar"] = _calendar()
    return _lines(f"{json.dumps(kind)}: {_rows(table)}" for kind, table in kinds.items()) + "\n"


def countries_table() -> str:
    """Return countries.json: the names of countries by language and code, a line for each language."""
    names = {language: _data(language)["territories"] for language in _OF_COUNTRIES.split()}
    codes = {code for code in names["en"] if re.fullmatch("[A-Z]{2}", code)}
    codes -= set(_NO_COUNTRIES.split())
    table = {language: {code: names[language][code] for code in sorted(codes)} for language in names}
    return _rows(table) + "\n"


def _rows(table: Mapping[str, Any]) -> str:
    """Return an object of JSON with a line for each of its members."""
    return _lines(
        f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in table.items()
    )


def _lines(members: Iterable[str]) -> str:
    return "{\n" + ",\n".join(members) + "\n}"


def _data(locale: str) -> LocaleDataDict:
    """Return the data of a language, or of a language in a country or script."""
    return LocaleDataDict(dict(load("nb" if locale == "no" else locale).items()))


def _small(text: str) -> str:
    """Return a word in small letters and with the signs that figures.py reads."""
    return " ".join(text.lower().replace("i̇", "i").translate(_SHAPE).split())


def _bare(text: str) -> str:
    """Return the same without the full stop of an abbreviation."""
    return _small(text).rstrip(".")


def _months() -> dict[str, str]:
    """Return the names of each month; one of several months with the languages in which it is this one."""
    found: dict[str, dict[int, set[str]]] = {}
    for locale in f"{_LANGUAGES} {_OWN_MONTHS}".split():
        for widths in _data(locale)["months"].values():
            for width in ("wide", "abbreviated"):
                for month, name in widths.get(width, {}).items():
                    found.setdefault(_bare(name), {}).setdefault(month, set()).add(locale[:2])
    table: dict[int, list[str]] = {month: [] for month in range(1, 13)}
    for word, numbers in sorted(found.items()):
        if _MONTH.fullmatch(word):
            for month, languages in numbers.items():
                table[month].append(f"{word}:{','.join(sorted(languages))}" if len(numbers) > 1 else word)
    return {str(month): "|".join(words) for month, words in table.items()}


def _calendar() -> dict[str, str]:
    """Return the names of the months and weekdays that a language writes with a capital."""
    table: dict[str, set[str]] = {}
    for kind, locales in _CAPITALISED.items():
        for locale in locales.split():
            for widths in _data(locale)[kind].values():
                names = {*widths.get("wide", {}).values()}
                names.update(widths.get("abbreviated", {}).values() if locale[:2] == "en" else ())
                table.setdefault(locale[:2], set()).update(map(_bare, names))
    return {language: "|".join(sorted(words)) for language, words in table.items()}


def _units() -> dict[str, str]:
    """Return the spellings of each unit and currency, except ambiguous ones."""
    found: dict[str, set[str]] = {}
    for language in _LANGUAGES.split():
        for unit, word in (*_measures(language), *_currencies(language)):
            found.setdefault(_bare(word), set()).add(unit)
    table: dict[str, list[str]] = {}
    for word, units in sorted(found.items()):
        unit, *others = units
        if not others and _is_unit(word, unit):
            table.setdefault(unit, []).append(word)
    return {unit: "|".join(words) for unit, words in sorted(table.items())}


def _is_unit(word: str, unit: str) -> bool:
    letter = len(word) == 1 and word.isascii() and word not in "%$"
    return _UNIT.fullmatch(word) is not None and not letter and ("/" not in word or unit == "km/h")


def _measures(language: str) -> Iterator[tuple[str, str]]:
    for name, unit in _UNITS.items():
        widths = _data(language)["unit_patterns"].get(name, {})
        for width in ("long", "short"):
            for pattern in widths.get(width, {}).values():
                word = pattern.replace("{0}", "") if isinstance(pattern, str) and "{0}" in pattern else ""
                if width == "long" or len(_small(word)) > 1 or _small(word) == "%":
                    yield unit, word


def _currencies(language: str) -> Iterator[tuple[str, str]]:
    data = _data(language)
    for code in _CURRENCIES.split():
        names = (*data["currency_names_plural"].get(code, {}).values(), data["currency_names"].get(code, ""))
        yield from ((code, name) for name in (*names, code))


def _numbers() -> dict[str, dict[str, str]]:
    """Return the number words of each language; a full stop after the number marks ordinals."""
    tables = {}
    for language in _OF_NUMBERS.split():
        table: dict[str, list[str]] = {}
        for word, number in _spelled(language).items():
            if _is_kept(language, word, int(number.rstrip("."))):
                table.setdefault(number, []).append(word)
        tables[language] = {number: "|".join(words) for number, words in table.items()}
    return tables


def _is_kept(language: str, word: str, number: int) -> bool:
    if not _SPELLED.fullmatch(word) or (len(word) == 1 and language != "ko"):
        return False
    if number >= _SCALES[0] and (" " in word or (number > _SCALES[0] and language in _UNSPACED)):
        return False
    if language == "pt":
        return not word.startswith("e ")
    if language == "fi":  # thirty forms of each
        return number <= 10 or number in (100, 1000)  # noqa: PLR2004 - spoken.py reads the others by their parts
    return True


def _scales() -> dict[str, dict[str, str]]:
    """Return the words for a thousand, a million and a milliard after a number, long and short."""
    tables = {}
    for language in _LANGUAGES.split():
        table: dict[int, set[str]] = {}
        for scale, word in (*_compact(language), *_spelled_scales(language)):
            if _SPELLED.fullmatch(word) and len(word) > 1 and word not in _NO_SCALES:
                table.setdefault(scale, set()).add(word)
        if language not in _UNSPACED and table:
            tables[language] = {str(scale): "|".join(sorted(words)) for scale, words in sorted(table.items())}
    return tables


def _compact(language: str) -> Iterator[tuple[int, str]]:
    """Yield the scales of numbers in short: 2 млн, 3 tis."""
    for width, forms in _data(language)["compact_decimal_formats"].items():
        for patterns in forms.values():
            for number, each in patterns.items():
                pattern = each.pattern
                zeros = pattern.count("0")
                word = _small(re.sub("[0'¤]", "", pattern)).rstrip(".")
                scale = int(number) // 10 ** (zeros - 1) if zeros else 0
                if scale and " " not in word and (width == "long" or scale < _TRILLION):
                    yield scale, word


def _spelled_scales(language: str) -> Iterator[tuple[int, str]]:
    """Yield what follows small numbers in thousands, millions and milliards of them, in all cases."""
    if language not in _OF_NUMBERS.split():
        return
    engine, rules = _rules(language)
    rules = [rule for rule in rules if "ordinal" not in rule]
    for count in (1, 2, 3, 5, 12, 21):
        begins = {_word(engine, count, rule) for rule in rules} - {""}
        for scale in (100, *_SCALES) if language in GLUING else _SCALES:
            for whole in {_word(engine, count * scale, rule) for rule in rules}:
                before = max((each for each in begins if whole.startswith(each)), key=len, default="")
                word = whole[len(before) :].strip()
                if word and " " not in word and (before or count == 1):
                    yield scale, word


def _spelled(language: str) -> dict[str, str]:
    """Return each word with its number, or the cardinal one of two."""
    engine, rules = _rules(language)
    words: dict[str, str] = {}
    for number in _NUMBERS:
        for rule in rules:
            is_ordinal = "ordinal" in rule
            word = _word(engine, number, rule)
            # Of what counts nothing in front of a thousand, the word for one is that for nought.
            if words.get(word, "0") == "0" or (words[word].endswith(".") and not is_ordinal):
                words[word] = f"{number}." if is_ordinal else str(number)
            before = "" if is_ordinal else _before_one(engine, number, rule)
            if before and before not in words:
                words[before] = str(number)
    return words


def _before_one(engine: RbnfEngine, number: int, rule: str) -> str:
    """Return the form of "hundred" before a smaller number: ciento, εκατόν."""
    one = _word(engine, 1, rule)
    more = _word(engine, number + 1, rule) if number == 100 else ""  # noqa: PLR2004
    before = more.removesuffix(one).strip() if one and more.endswith(f" {one}") else ""
    return next((before.removesuffix(word) for word in _JOINING if before.endswith(word)), before)


def _rules(language: str) -> tuple[RbnfEngine, list[str]]:
    engine = RbnfEngine.for_language(language)
    return engine, [
        name for name in engine.rulesets if name.startswith("spellout") and not _PARTS.search(name)
    ]


def _word(engine: RbnfEngine, number: int, rule: str) -> str:
    word = _small(_spell(engine, number, rule)).replace("-", " ").replace("ʼ", "'")
    return "" if word == "error" else word


def _spell(engine: RbnfEngine, number: int, rule: str) -> str:
    try:
        return engine.format_number(number, ruleset_names=[rule]).text_by_ruleset[rule]
    except (RbnfError, KeyError):  # the rule does not go as far
        return ""


if __name__ == "__main__":
    FIGURES.write_text(figures_table(), encoding="utf-8")
    COUNTRIES.write_text(countries_table(), encoding="utf-8")
