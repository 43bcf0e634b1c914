"""Checks that the numbers and dates in a sentence appear in the text that it cites."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from workers.core.answers.lexical_rank import STOP_WORDS
from workers.core.answers.spellings import TOKEN, bare
from workers.core.language.decimals import is_rounded
from workers.core.language.numerals import counted, cut_years, each_number, is_month, months
from workers.core.language.periods import is_period, is_quarter
from workers.core.language.visible import visible


def missing_numbers(sentence: str, stands: str) -> list[str]:
    """Return the numbers and months of a sentence that are missing in the text, as written.

    A decimal stands there rounded, too, and a share in percent (see `core.language.decimals`), a century or a
    decade by a year of it, a quarter of a year by a month, and a year by its last two digits in a date.
    """
    stated = list(each_number(stands))
    known = {number.value for number in stated} | counted(stands) | cut_years(stands)
    lacking: dict[str, str] = {}
    for numeral in each_number(sentence):
        if numeral.value not in known and not (
            is_rounded(numeral, stated) or is_period(numeral, stated) or is_quarter(numeral, stands)
        ):
            lacking.setdefault(numeral.value, numeral.text)
    named = {word.casefold() for word in _capitalised(sentence) if is_month(word)}
    return [*lacking.values(), *sorted(named - months(stands))]


def _capitalised(sentence: str) -> Iterator[str]:
    for token in TOKEN.findall(unicodedata.normalize("NFKC", visible(sentence))):
        if len(token) > 1 and any(letter.isupper() for letter in token) and bare(token) not in STOP_WORDS:
            yield token
