"""What a question may lend to a sentence of its answer: what it takes for granted, no alternatives."""

from __future__ import annotations

import re

from workers.core.language.dates import MONTHS
from workers.core.language.numerals import months, numbers

_OR = re.compile(r"\b(?:or|oder|ou|o(?!['’]))\b|还是|或", re.IGNORECASE)
_MONTH = "|".join((*MONTHS, *(f"{name[:3]}\\.?" for name in MONTHS), "sept\\.?"))
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_DATE = re.compile(
    rf"\b(?:(?:{_DAY} (?:of )?)?(?:{_MONTH}),? \d{{4}}|(?:{_MONTH}) {_DAY}(?:,? \d{{4}})?|"
    rf"{_DAY} (?:of )?(?:{_MONTH})|"
    r"\d{4}-\d\d(?:-\d\d)?|\d{1,2}[./]\d{1,2}[./]\d{4})\b",
    re.IGNORECASE,
)


def lent_names(question: str) -> str:
    """Return the question unless it asks which of several it is."""
    return "" if _OR.search(question) else question


def lent_date(question: str) -> str:
    """Return the question if it holds a single number or date, and asks for no other."""
    rest = _DATE.sub(" ", question)
    count = len(_DATE.findall(question)) + len(numbers(rest)) + len(months(rest))
    return lent_names(question) if count == 1 else ""
