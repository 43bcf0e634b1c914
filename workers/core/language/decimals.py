"""Recognises numbers that a sentence rounds or converts to percent from its source."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal
from typing import NamedTuple

_ABOUT_WORDS = """
    about around approximately roughly nearly almost some circa ca ca. c. etwa rund ungefähr fast knapp
    environ près_de quelque presque cerca_de unos unas casi aproximadamente alrededor_de quase quasi
    gairebé uns unes ongeveer bijna zowat около примерно почти приблизительно близько майже приблизно oko
    skoro gotovo približno približne skoraj око скоро około prawie takmer asi zhruba téměř přibližně
    körülbelül majdnem aproximativ aproape περίπου σχεδόν yaklaşık neredeyse khoảng gần sekitar hampir
    kira-kira ungefär nästan omtrent omkring næsten nesten cirka noin lähes melkein apie beveik apmēram
    gandrīz aptuveni umbes ligi peaaegu
"""
_ANY_ABOUT = "|".join(re.escape(word.replace("_", " ")) for word in _ABOUT_WORDS.split())
ABOUT = (  # before a number
    rf"(?:\b(?:{_ANY_ABOUT})\s"
    r"|(?:حوالي|نحو|قرابة|زهاء|حدود|تقریبا|כ|כמעט|लगभग|करीब|ราว|ประมาณ|เกือบ|大约|大約|约|約|近|およそ|ほぼ|약|거의|~|≈)"
    r"[\s-]?)"
)
_ABOUT = re.compile(rf"{ABOUT}[$€£¥]?$")
# What stands before or behind a round number that is less than the exact one.
_MORE = re.compile(
    r"(?:\b(?:more than|over|above|upwards of|mehr als|über|plus d(?:e |['’])|más de|più di|oltre|mais de|"
    r"més de|meer dan|ruim|over de|mer än|över|mere end|mer enn|yli|enemmän kuin|ponad|więcej niż|přes|"
    r"více než|viac ako|vyše|több mint|peste|mai mult de|более|больше|свыше|понад|більше|повече от|над|"
    r"πάνω από|περισσότερ\w{2,3} από|lebih dari|hơn|trên)\s?|"
    r"(?:أكثر من|ما يزيد على|יותר מ|למעלה מ|超过|超過|逾)[\s-]?)[$€£¥]?$",
    re.IGNORECASE,
)
_MORE_BEHIND = re.compile(r"\W{0,2}\w{0,6}?\s?(?:[dt][ae]n fazla|以上|余り|多|이상|넘는|से अधिक|से ज़्यादा)")
_MOST_OVER = Decimal("0.2")  # of the exact number, by which a round one may be less
NEAR = Decimal("0.05")  # of what is called round
_NAMED = re.compile(r"\s?[^\W\d_]|\s?°")  # what an amount is of


class Written(NamedTuple):
    """A number by one of its readings, and the text around it."""

    number: Decimal
    places: int | None  # decimals; None where it is written in words, or with a multiplier
    unit: str
    before: str
    after: str


def is_rounded(numeral: Written, stated: Iterable[Written]) -> bool:
    """Return whether a number is one of those stated, rounded to the places that it is written with.

    7.46 and 7.5 are 7.4615 rounded; 7 is not accepted, because it may count something else. 45% is the share
    0.45. A number with more decimals than its source claims too much. An integer called round ("about 1,500")
    matches a stated one near it.
    """
    known = list(stated)
    return _is_about(numeral, known) or (
        numeral.places is not None and any(_tells(numeral, number) for number in known)
    )


def _is_about(numeral: Written, stated: Iterable[Written]) -> bool:
    value = numeral.number
    if value < 0 or value != int(value):
        return False
    if _MORE.search(numeral.before) or _MORE_BEHIND.match(numeral.after):
        return any(_is_over(each.number, value) for each in stated)
    if not _ABOUT.search(numeral.before):
        return False
    return any(is_about(value, each.number) for each in stated if _zeros(value) > _zeros(each.number))


def _is_over(number: Decimal, said: Decimal) -> bool:
    """Return whether a round number is what another one is more than: 4,200 is more than 4,000."""
    over = number - said
    return 0 < over < Decimal(10) ** _zeros(said) and over <= _MOST_OVER * number and _zeros(said) > 0


def is_about(said: Decimal, number: Decimal, step: Decimal = Decimal(1)) -> bool:
    """Return whether a number called round approximates another, within less than its last digit.

    "About 4,000" may be 3,850, and "about 3,500" not 3,650.

    Args:
        said: the numbers called round.
        number: value of the number.
        step: of the last digit that is written: 0.1 of 4.3. Zeros at the end of a whole number only fill up.
    """
    apart = abs(number - said)
    whole = Decimal(10) ** _zeros(said) if said == int(said) else step
    return apart <= NEAR * abs(number) and apart < max(step, whole)


def _zeros(number: Decimal) -> int:
    digits = f"{number.normalize():f}"
    return len(digits) - len(digits.rstrip("0"))


def _tells(numeral: Written, stated: Written) -> bool:
    value, places = numeral.number, numeral.places or 0
    if not stated.places:
        return False
    if numeral.unit == "percent" and not stated.unit and _is_share(stated):
        # What is not all is not 100%, and what is something is not 0%.
        return 0 < value < 100 and _is(value / 100, places + 2, stated.number, stated.places)  # noqa: PLR2004
    same = (numeral.unit == "percent") == (stated.unit == "percent")
    return same and places > 0 and value != 0 and _is(value, places, stated.number, stated.places)


def _is(value: Decimal, places: int, stated: Decimal, stated_places: int) -> bool:
    if value == stated:
        return True
    rounded = stated.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    return places < stated_places and rounded == value


def _is_share(stated: Written) -> bool:
    """Return whether a number may be a share of one, since no unit follows, known or not."""
    return 0 < stated.number < 1 and not _NAMED.match(stated.after)
