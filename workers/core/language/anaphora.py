"""Small numbers that only point back at what was named: the two, beide Vereine, les trois, 两人."""

from __future__ import annotations

import re

from workers.core.language.numerals import numbers

_POINTING = re.compile(
    r"(?<!\w)(?:"
    r"(?:the|these|those|all|of the) (?:two|three|four|five)"
    r"|(?:the )?both|(?:die|den|der|diese[nr]?|alle) (?:beiden|zwei|drei|vier|fünf)|beide[nrs]?"
    r"|(?:tou(?:s|tes) )?(?:les|des|ces) (?:deux|trois|quatre|cinq)"
    r"|(?:l[ao]s|est[ao]s) (?:dos|tres|cuatro|cinco)|amb[ao]s"
    r"|(?:i|gli|le) (?:due|tre|quattro|cinque)|entramb[ei]"
    r"|(?:os|as|esses|essas) (?:dois|duas|três|quatro|cinco)|(?:de|deze|alle) (?:twee|drie|vier|vijf)|beiden?"
    r"|(?:te|ci|oba|obie|oboje)(?: (?:dwa|dwie|trzy|cztery))?|(?:эти|обе|оба|все)(?: (?:два|две|три|четыре))?"
    r"|her iki(?:si)?|mindkettő|mindkét|cả hai|kedua(?:nya)?|दोनों|שני(?:הם|הן)?|שתי(?:הם|הן)?|كلا|كلتا"
    r")(?!\w)|(?:这|這|那)?(?:[两兩二]人|[两兩]者|[两兩]家|三者|三人|双方|雙方)"
    r"|二人|両者|両方|三人とも|두 사람|둘 다|ทั้งสอง",
    re.IGNORECASE,
)
_SMALL = {str(number) for number in range(2, 11)}


def without_pointing_numbers(sentence: str, stands: str) -> str:
    """Return a sentence without the small numbers that point back at what a text names.

    A text that gives such a number itself is taken at its word, so that "the two" is not said of three.
    """
    return sentence if _SMALL & numbers(stands).keys() else _POINTING.sub(" ", sentence)
