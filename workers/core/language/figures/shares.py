"""Finds the shares that a text says in words: half, two thirds, четверть, 三分之一, ثلثهم."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from functools import cache
from typing import NamedTuple

from workers.core.language.figures.words import LETTERS, SHAPE, fraction_patterns, months, whole_number

_ABOUT, _FAR = Decimal("2.5"), 17  # percent that a share in words, and one after "more than", may differ by
MORE_OR_LESS = (
    r"(?:more than|less than|fewer than|over|under|above|below|als|über|unter|plus de|moins de|más de"
    r"|menos de|più di|meno di|mais de|än|end|enn"
    r"|niż|než|больше|более|менее|меньше|чем|ніж|dari|hơn|超过|不到|超過"
    r"|أكثر من|أقل من|יותר מ|פחות מ)[ \u00a0-]?"
)
_MORE_OR_LESS = re.compile(rf"{MORE_OR_LESS}$")
_MONTH_BEHIND = re.compile(rf" (?:(?:d[eio]|du|of|lunii|d['’]) ?)?(?P<month>{LETTERS}++)")
_OF_PERIOD = re.compile(
    r"(?:first|second|other|erste[nr]?|zweite[nr]?|première|seconde|deuxième|primera|segunda|prima|seconda"
    r"|primeira|eerste|tweede|första|andra|første|anden|andre|pierwsz\w+|drug\w+|prvn\w+|druh\w+|перв\w+"
    r"|втор\w+|перш\w+|друг\w+) $"
)
# Of one number with the share behind it: three and a quarter.
_MIXED = re.compile(
    r"(?:\d|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|deux|trois|quatre|cinq|sept|huit"
    r"|neuf|dix|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|due|tre|quattro|cinque|sei|sette|otto|nove"
    r"|dieci) (?:and|et|y|e) $"
)
_DIGITS_OF_KOREAN = {word: str(value) for value, word in enumerate("일이삼사오육칠팔구", 1)}
_HAN_SHARE = re.compile(
    r"(?<![百千万萬\d])(?P<whole>\d{1,2}|[二两三四五六七八九十])\s?分[之の]\s?(?P<part>\d{1,2}|[一二两三四五六七八九])"
    r"|(?P<whole2>\d{1,2}|[이삼사오육칠팔구])\s?분의\s?(?P<part2>\d{1,2}|[일이삼사오육칠팔구])"
    r"|(?P<half>一半|半数|半分|半數|절반|ครึ่งหนึ่ง|ครึ่ง(?=ของ))|(?P<thai3>หนึ่งในสาม)|(?P<thai4>หนึ่งในสี่)|(?P<thai5>หนึ่งในห้า)"
    r"|(?P<thai23>สองในสาม)|(?P<thai34>สามในสี่)"
)
_THAI = {
    "thai3": (1, 3),
    "thai4": (1, 4),
    "thai5": (1, 5),
    "thai23": (2, 3),
    "thai34": (3, 4),
    "half": (1, 2),
}
_HAS_HAN_SHARE = re.compile("[分半분반ครใ]")


class Share(NamedTuple):
    """A share in words."""

    percent: Decimal
    text: str  # as written
    is_bound: bool = False  # more than a half, less than a third
    is_of_period: bool = False  # as the first half of a year

    def is_told(self, shares: Iterable[Share], percents: Iterable[Decimal]) -> bool:
        """Return whether another share is the same, or a percentage about the same."""
        far = _FAR if self.is_bound else _ABOUT
        return any(self.percent == other.percent for other in shares) or any(
            abs(self.percent - number) <= far for number in percents
        )

    def is_rounded_to(self, percent: Decimal) -> bool:
        """Return whether a percentage is this share, rounded or cut: 33 and 33.3 are a third."""
        step = Decimal(1).scaleb(int(percent.as_tuple().exponent))
        if step > 1:
            step = Decimal(1)
        return percent in (self.percent.quantize(step), self.percent // step * step)


def shares(text: str) -> tuple[list[Share], str]:
    """Return the shares that a text says in words, and the text without them."""
    shaped = text.translate(SHAPE)
    found: list[tuple[int, int, Share]] = []
    for match in _pattern().finditer(shaped):
        if _MIXED.search(shaped[max(0, match.start() - 15) : match.start()]):
            continue
        following = _MONTH_BEHIND.match(shaped, match.end())
        if following and following["month"] in months():  # a metà settembre: no share
            continue
        numerator, denominator = map(int, (match.lastgroup or "").strip("s").split("_"))
        found.append((*match.span(), _share(text, shaped, match, numerator, denominator)))
    if _HAS_HAN_SHARE.search(shaped):
        for match in _HAN_SHARE.finditer(shaped):
            if match.lastgroup in _THAI:
                numerator, denominator = _THAI[match.lastgroup]
            else:
                part, whole = match["part"] or match["part2"], match["whole"] or match["whole2"]
                numerator, denominator = _number(part), _number(whole)
            if 0 < numerator < denominator:
                found.append((*match.span(), _share(text, shaped, match, numerator, denominator)))
    for start, end, _each in found:
        text = text[:start] + " " * (end - start) + text[end:]
    return [share for _start, _end, share in found], text


def _share(text: str, shaped: str, match: re.Match[str], numerator: int, denominator: int) -> Share:
    before = shaped[max(0, match.start() - 15) : match.start()]
    return Share(
        Decimal(100) * numerator / denominator,
        text[match.start() : match.end()],
        _MORE_OR_LESS.search(before) is not None,
        denominator == 2 and _OF_PERIOD.search(before) is not None,  # noqa: PLR2004
    )


def _number(numeral: str) -> int:
    return whole_number(_DIGITS_OF_KOREAN.get(numeral, numeral))


@cache
def _pattern() -> re.Pattern[str]:
    """Return the pattern for shares in words; "half a million" is a number, not a share."""
    each = "|".join(
        f"(?P<s{share.replace('/', '_')}>{forms})" for share, forms in fraction_patterns().items()
    )
    return re.compile(
        rf"(?<![\w/])(?<!and a )(?<! с )(?<! з )(?<! і )(?:{each})(?![\w/])"
        r"(?! an? |(?: of a)?[ -](?:million|billion|dozen|hour|century|past|mile)|[ -]brother|[ -]sister)"
    )
