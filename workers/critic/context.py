"""What the text around a quote says of whom and of which year the quote speaks."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence

from workers.core.answers.check import begins_no_name
from workers.core.language.dates import MONTHS, month_of
from workers.core.language.numerals import months
from workers.core.language.text import normalise
from workers.core.language.visible import visible
from workers.core.records import FactSource
from workers.critic.rows import RowSource

Source = FactSource | RowSource
Around = Callable[[Sequence[str]], str]  # the texts of chunks, by their ids

_WORD = re.compile(r"[^\W_]+")
_PRONOUNS = frozenset(
    """he him his himself she her hers herself it its itself they them their theirs themselves
    i me my we us our""".split()  # noqa: SIM905 - a list of words reads best
)
_POINTING = frozenset(("this", "that", "these", "those"))  # "He said that" points at nobody
# Its subject, as in: The band played. Not: The captain, Ada Lovelace, landed.
_DEFINITE = re.compile(r"\W*(?:The|Both|All)\s[a-z][^\W\d_]*\b(?!,?\s[^\W\d_a-z])")
_YEAR = re.compile(r"(?<![\d.,])(?:1\d{3}|20\d{2})(?!\d|,\d|\.\d)")
_MONTH = "|".join((*MONTHS, *(f"{name[:3]}\\.?" for name in MONTHS), "sept\\.?"))
_DATE = re.compile(
    rf"(?:(?:\d{{1,2}}(?:st|nd|rd|th)? )?\b(?:{_MONTH}),? (?:\d{{1,2}}(?:st|nd|rd|th)?,? )?)?{_YEAR.pattern}"
    r"(?:-\d{2}(?:-\d{2})?)?",
    re.IGNORECASE,
)
_DAYS = "mon|tues|wednes|thurs|fri|satur|sun"
_OPEN_DATE = re.compile(
    rf"\b(?:(?:{_MONTH})(?: \d{{1,2}}(?:st|nd|rd|th)?)?(?!,? ?\d{{4}})\b|(?:{_DAYS})day|today|tonight|"
    r"yesterday|tomorrow|(?:this|last|next|past|previous|following|coming) "
    r"(?:year|month|week|season|spring|summer|autumn|fall|winter|night))",
    re.IGNORECASE,
)


def antecedents(sources: Iterable[Source], around: Around, ordinary: str = "") -> str:
    """Return the text before the quotes that leave open whom they speak of, where no fact tells.

    Args:
        sources: cited places. A fact in words of its own says who "she" is, so nothing else does.
        around: brings the text of chunks.
        ordinary: text of the same matter, whose words in small letters are no names where they begin a quote.
    """
    before: dict[str, str] = {}
    for source in sources:
        if normalise(source.fact) != normalise(source.quote):
            continue
        chunk = around([source.chunk_id]) if source.chunk_id else ""
        if _is_open(source.quote, f"{chunk} {ordinary}"):
            before[source.chunk_id] = max(before.get(source.chunk_id, ""), _before(source, around), key=len)
    return "\n".join(before.values())


def _is_open(quote: str, ordinary: str) -> bool:
    """Return whether a quote says he before any name, begins with "The band", or names nobody."""
    if _DEFINITE.match(quote):
        return True
    for place, match in enumerate(_WORD.finditer(unicodedata.normalize("NFKC", quote))):
        word = match.group()
        folded = word.casefold()
        shouted = len(word) > 1 and word.isupper()  # US is not us
        if not shouted and (folded in _PRONOUNS or (place == 0 and folded in _POINTING)):
            return True
        if word[0].isupper() and not month_of(folded) and (place or not begins_no_name(word, ordinary)):
            return False
    return True


def dates_before(sources: Iterable[Source], around: Around) -> str:
    """Return what may complete the dates of quotes: the first date of a chunk, and the last before each.

    Only a quote with an incomplete date is completed so: of one that names a month ("on 23 May") the year,
    else ("on Tuesday", "last week") all of the date.
    """
    dates: dict[str, None] = {}
    for source in sources:
        if _OPEN_DATE.search(source.quote):
            pattern = _YEAR if months(source.quote) else _DATE
            known = [match.group() for match in pattern.finditer(_before(source, around))]
            dates.update(dict.fromkeys((*known[:1], *known[-1:])))
    return "\n".join(dates)


def _before(source: Source, around: Around) -> str:
    """Return the text of a chunk before a quote."""
    text = visible(around([source.chunk_id])) if source.chunk_id else ""
    return text[: max(0, text.find(source.quote))]
