"""Numbers are read in every way in which Unicode's rules spell them, in every language that they hold."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import pytest
from unicode_rbnf import RbnfEngine
from unicode_rbnf.engine import RbnfError

from workers.core.language.figures.figures import figures

_LANGUAGES = (
    "ar be bg ca cs da de el en es et fa fi fr he hi hr hu id it ja ko lt lv mk ms nl no pl pt ro ru sk sl "
    "sr sv ta th tr uk vi zh"
)
_NUMBERS = (
    *(
        *range(2, 31),
        45,
        57,
        68,
        71,
        76,
        80,
        81,
        92,
        99,
        100,
        101,
        111,
        120,
        121,
        200,
        234,
        300,
        342,
        420,
        500,
    ),
    *(
        555,
        678,
        700,
        789,
        850,
        900,
        999,
        1000,
        1001,
        1100,
        1234,
        1999,
        2000,
        2500,
        3000,
        5400,
        10_000,
        12_000,
    ),
    *(17_300, 21_300, 34_567, 80_000, 101_000, 200_000, 850_000, 999_999, 10**6, 1_200_000, 2_500_000),
    *(17_300_000, 10**9, 3_400_000_000),
)
# Rules that spell parts of numbers, years, or digits one by one, and Japanese figures of cheques.
_OTHER_RULES = (
    *("ordinal", "year", "tens", "hundreds", "fraction", "-ones", "thousand", "-large", "digits", "-x-"),
    *("spellout-prefixed", "-conjunction", "spellout-cardinal-financial"),
)
_COUNTED = {
    "ko": "명",
    "th": " คน",
    "zh": "人",
    "ja": "人",
}  # in scripts without spaces, a number counts something
_NO_NUMBERS = {  # faults of the rules, and words that are too common
    *(("sl", number) for number in (3000, 3_400_000_000)),  # two for three
    *(
        ("lt", number) for number in (200_000, 1_200_000, 2_500_000, 17_300_000)
    ),  # hundreds for hundreds of thousands
    *(("ca", number) for number in (101, 1001)),  # u, which is a letter
    *(("ja", number) for number in (100, 1000, 1100, 10**6)),  # 百人 are many
}


@pytest.mark.parametrize("language", _LANGUAGES.split())
def test_numbers_are_read_as_they_are_spelled(language: str) -> None:
    wrong = {}
    for number, spelled in _spelled(language):
        found = figures(spelled + _COUNTED.get(language, ""), (language,))
        if len(found) != 1 or Decimal(number) not in found[0].readings:
            wrong[spelled] = [str(value) for figure in found for value in figure.readings]

    assert not wrong


def _spelled(language: str) -> Iterator[tuple[int, str]]:
    engine = RbnfEngine.for_language(language)
    rules = [
        name
        for name in engine.rulesets
        if name.startswith("spellout") and not any(part in name for part in _OTHER_RULES)
    ]
    assert rules
    for number in _NUMBERS:
        if (language, number) in _NO_NUMBERS:
            continue
        for word in {_word(engine, number, rule) for rule in rules} - {"", "ERROR"}:
            if not (language == "fi" and "-" in word):  # kahdet-kymmenet, of pairs
                yield number, word


def _word(engine: RbnfEngine, number: int, rule: str) -> str:
    try:
        spelled = engine.format_number(number, ruleset_names=[rule]).text_by_ruleset[rule]
    except (RbnfError, KeyError):  # the rule does not go as far
        return ""
    return spelled.replace("\u200b", "").replace("\u00ad", "").strip()  # as `core.language.visible` does
