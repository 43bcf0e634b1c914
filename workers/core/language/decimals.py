"""Recognises numbers that a sentence rounds or converts to percent from its source."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal
from typing import NamedTuple

_PLAIN = re.compile(r"[-\u2212]?\d+(?:\.(?P<places>\d+))?")
ABOUT = (  # before a number
    r"(?:\b(?:about|around|approximately|roughly|nearly|almost|some|circa|ca?\.|etwa|rund|ungefähr|fast|knapp|"
    r"environ|près de|quelque|presque|cerca de|unos|unas|casi|aproximadamente|alrededor de|quase|"
    r"quasi|ongeveer|bijna|"
    r"около|примерно|почти|близько|майже|około|prawie|yaklaşık|khoảng|gần|sekitar|hampir|ungefär|omtrent|noin)\s"
    r"|(?:حوالي|نحو|כ|लगभग|करीब|ราว|ประมาณ|大约|大約|约|約|近|およそ|ほぼ|약)[\s-]?)"
)
_ABOUT = re.compile(rf"{ABOUT}[$€£¥]?$")
_NEAR = Decimal("0.05")  # of what is called round
_LONGER_BEFORE = re.compile(r"[\d][.,']$|[\w]$")  # 7.4 within 1.7.4
_LONGER_AFTER = re.compile(r"[.,']\d|\w")
_PERCENT = re.compile(r"\s?(?:%|per ?cent\b)")
_UNIT_BEFORE = re.compile(r"[$€£¥]\s?$")
_UNIT_AFTER = re.compile(r"\s?(?:[^\W\d_]|[%‰°$€£¥])")
_MOST_DIGITS = 28  # what decimals are exact with


class Written(NamedTuple):
    """A number in a text: its value in plain digits, its spelling, and the text around it."""

    value: str
    text: str
    before: str
    after: str


def is_rounded(numeral: Written, stated: Iterable[Written]) -> bool:
    """Return whether a number is one of those stated, rounded to the places that it is written with.

    7.46 and 7.5 are 7.4615 rounded; 7 is not taken for it, for it may count something else. 45% is the share
    0.45. What is written with more places than were stated says more than its source. An integer that is
    called round ("about 1,500") is taken for a stated one near it.
    """
    places, percent = _places(numeral), _PERCENT.match(numeral.after) is not None
    known = list(stated)
    if _is_about(numeral, known):
        return True
    return places is not None and any(
        _tells(Decimal(numeral.value), places, number, percent=percent) for number in known
    )


def _is_about(numeral: Written, stated: Iterable[Written]) -> bool:
    if not _ABOUT.search(numeral.before) or not numeral.value.isdigit():
        return False
    value, zeros = Decimal(numeral.value), _zeros(numeral.value)
    near = (Decimal(number.value) for number in stated if zeros > _zeros(number.value))
    return any(abs(number - value) <= _NEAR * value for number in near)


def _zeros(value: str) -> int:
    return len(value) - len(value.rstrip("0"))


def _tells(value: Decimal, places: int, number: Written, *, percent: bool) -> bool:
    stated_places = _places(number)
    if not stated_places:
        return False
    stated = Decimal(number.value)
    if percent and _is_share(number, stated):
        # What is not all is not 100%, and what is something is not 0%.
        return 0 < value < 100 and _is(value / 100, places + 2, stated, stated_places)  # noqa: PLR2004
    same = percent == (_PERCENT.match(number.after) is not None)
    return same and places > 0 and value != 0 and _is(value, places, stated, stated_places)


def _is(value: Decimal, places: int, stated: Decimal, stated_places: int) -> bool:
    if value == stated:
        return True
    rounded = stated.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    return places < stated_places and rounded == value


def _places(number: Written) -> int | None:
    """Return how many places a plain decimal is written with; None of a number in another form."""
    match = _PLAIN.fullmatch(number.text)
    if match is None or len(number.text) > _MOST_DIGITS:
        return None
    if _LONGER_BEFORE.search(number.before) or _LONGER_AFTER.match(number.after):
        return None
    return len(match["places"] or "")


def _is_share(number: Written, stated: Decimal) -> bool:
    """Return whether a number may be a share of one, since no unit (metres, money, percent) follows."""
    return 0 < stated < 1 and not _UNIT_BEFORE.search(number.before) and not _UNIT_AFTER.match(number.after)
