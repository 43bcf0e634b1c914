"""The numbers of list items, clauses and headings, counted as Word counts them (ECMA-376, part 1, 17.9)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from workers.ingest.reading.docx.names import Element, below, is_on, name, number, value
from workers.ingest.reading.docx.styles import Style
from workers.ingest.reading.numerals import (
    LATIN,
    chinese,
    circled,
    hebrew,
    in_words,
    ordinal,
    repeated,
    roman,
)

_LEVELS = 9
_PATTERN_CHARACTERS = 60  # of "Article %1.%2"; a longer one is cut
_PLACE = re.compile("%([1-9])")
BULLET = "-"

_ALPHABETS = {
    "lowerLetter": LATIN,
    "upperLetter": LATIN.upper(),
    "chicago": "*†‡§",
    "russianLower": "абвгдежзиклмнопрстуфхцчшщыэюя",
    "russianUpper": "АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЫЭЮЯ",
    "hebrew2": "אבגדהוזחטיכלמנסעפצקרשת",
    "arabicAlpha": "أبتثجحخدذرزسشصضطظعغفقكلمنهوي",
    "arabicAbjad": "أبجدهوزحطيكلمنسعفصقرشتثخذضظغ",
    "ganada": "가나다라마바사아자차카타파하",
    "chosung": "ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ",
    "aiueo": "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン",
    "iroha": "イロハニホヘトチリヌルヲワカヨタレソツネナラム"
    "ウヰノオクヤマケフコエテアサキユメミシヱヒモセスン",
    "ideographTraditional": "甲乙丙丁戊己庚辛壬癸",
    "ideographZodiac": "子丑寅卯辰巳午未申酉戌亥",
}
_CHINESE = (
    "chineseCounting chineseCountingThousand taiwaneseCounting taiwaneseCountingThousand japaneseCounting "
    "ideographDigital taiwaneseDigital japaneseDigitalTenThousand"
)
_DIGITS = {"decimalFullWidth": "０１２３４５６７８９", "thaiNumbers": "๐๑๒๓๔๕๖๗๘๙"}


def _in_digits(digits: str, number: int) -> str:
    return "".join(digits[int(digit)] for digit in str(number))


# By the name of Word's format (ST_NumberFormat); what is not here is written in digits.
_NUMERALS: dict[str, Callable[[int], str]] = {
    "none": lambda _number: "",
    "decimalZero": "{:02}".format,
    "decimalEnclosedParen": "({})".format,
    "decimalEnclosedFullstop": "{}.".format,
    "decimalEnclosedCircle": circled,
    "numberInDash": "- {} -".format,
    "lowerRoman": roman,
    "upperRoman": lambda number: roman(number).upper(),
    "ordinal": ordinal,
    "cardinalText": in_words,
    "ordinalText": partial(in_words, is_ordinal=True),
    "hebrew1": hebrew,
    **{form: partial(_in_digits, digits) for form, digits in _DIGITS.items()},
    **{form: partial(repeated, alphabet) for form, alphabet in _ALPHABETS.items()},
    **dict.fromkeys(_CHINESE.split(), chinese),
}


def numeral(number: int, form: str) -> str:
    """Return a number in one of Word's formats."""
    return _NUMERALS.get(form, str)(number)


@dataclass(frozen=True, slots=True)
class Level:
    """The numbering of one level of a list."""

    form: str = "decimal"
    pattern: str = ""  # "%1.%2": the numbers of the levels at their places
    start: int = 1
    restart: int | None = None  # after a level up to this one (1 for the first); 0 never; None after any
    is_legal: bool = False  # all numbers in digits, whatever their own levels say
    style: str = ""  # id of the style of paragraphs that it numbers


@dataclass(slots=True)
class _List:
    """A list of paragraphs: its levels, and the list whose numbers it continues."""

    abstract: str
    levels: list[Level]
    starts: dict[int, int] = field(default_factory=dict)  # by level: the number that its first item has


class Numbering:
    """The lists of a document with their current counts."""

    def __init__(self, root: Element | None) -> None:
        self._lists: dict[str, _List] = {}
        self._counts: dict[str, list[int | None]] = {}
        if root is None:
            return
        abstracts = {
            element.get(name("w:abstractNumId"), ""): element
            for element in root.iterchildren(name("w:abstractNum"))
        }
        by_style = {value(below(element, "w:styleLink")): key for key, element in abstracts.items()}
        for element in root.iterchildren(name("w:num")):
            key = value(below(element, "w:abstractNumId"))
            linked = "" if key not in abstracts else value(below(abstracts[key], "w:numStyleLink"))
            key = by_style.get(linked, key) if linked else key
            if key in abstracts:
                self._lists[element.get(name("w:numId"), "")] = _list(key, abstracts[key], element)

    def place(self, properties: Element | None, style: Style) -> tuple[str, int] | None:
        """Return the list and level (0 for the first) of a paragraph; None if it is not numbered."""
        numbered = below(properties, "w:numPr")
        own = value(below(numbered, "w:numId"))
        chosen = self._lists.get(own or style.list_id)
        if chosen is None:
            return None
        level = style.list_level
        if own or level is None:
            level = next((n for n, one in enumerate(chosen.levels) if one.style == style.list_style != ""), 0)
        if numbered is not None and (stated := below(numbered, "w:ilvl")) is not None:
            level = number(value(stated))
        return own or style.list_id, max(0, min(level, _LEVELS - 1))

    def count(self, list_id: str, level: int) -> str:
        """Count a paragraph and return its number as Word shows it: "2.1", "(b)", "-" for any bullet."""
        chosen = self._lists[list_id]
        counts = self._counts.setdefault(chosen.abstract, [None] * _LEVELS)
        before = counts[level]
        if level in chosen.starts:
            before = None
        start = chosen.starts.pop(level, chosen.levels[level].start)
        counts[level] = start if before is None else before + 1
        for upper in range(level):
            if counts[upper] is None:
                counts[upper] = chosen.levels[upper].start
        for lower in range(level + 1, _LEVELS):
            restart = chosen.levels[lower].restart
            if restart is None or level < restart:
                counts[lower] = None
        return _shown(chosen.levels, level, counts)


def _list(key: str, abstract: Element, element: Element) -> _List:
    levels = [Level()] * _LEVELS
    for one in abstract.iterchildren(name("w:lvl")):
        levels[_index(one)] = _level(one)
    made = _List(key, levels)
    for override in element.iterchildren(name("w:lvlOverride")):
        index = _index(override)
        if (own := below(override, "w:lvl")) is not None:
            levels[index] = _level(own)
        if (start := below(override, "w:startOverride")) is not None:
            made.starts[index] = number(value(start))
    return made


def _index(element: Element) -> int:
    return max(0, min(number(element.get(name("w:ilvl"))), _LEVELS - 1))


def _level(element: Element) -> Level:
    restart = below(element, "w:lvlRestart")
    start = below(element, "w:start")
    return Level(
        form=value(below(element, "w:numFmt")) or "decimal",
        pattern=value(below(element, "w:lvlText"))[:_PATTERN_CHARACTERS],
        start=0 if start is None else number(value(start)),
        restart=None if restart is None else number(value(restart)),
        is_legal=is_on(below(element, "w:isLgl")),
        style=value(below(element, "w:pStyle")),
    )


def _shown(levels: list[Level], level: int, counts: list[int | None]) -> str:
    shown = levels[level]
    if shown.form == "bullet":
        return BULLET

    def numeral_of(match: re.Match[str]) -> str:
        index = int(match[1]) - 1
        count = counts[index]
        form = "decimal" if shown.is_legal and levels[index].form != "none" else levels[index].form
        return numeral(levels[index].start if count is None else count, form)

    return " ".join(_PLACE.sub(numeral_of, shown.pattern).split())
