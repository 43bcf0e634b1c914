"""Tells names apart from key elements not worth following on their own: figures, verbs, adjectives."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from workers.core.answers.lexical_rank import terms
from workers.core.language.dates import is_time
from workers.core.language.numerals import is_spelled
from workers.core.language.plurals import is_noun
from workers.core.records import Neighbour

Kind = Literal["name", "time", "quantity", "word"]  # a word is a verb, an adjective or an adverb

_FIGURE = re.compile(r"[~<>$€£¥+-]?\d")
_YEARS = re.compile(r"(?:1\d|20)\d\d(?:[-/]\d{2,4})? \D")  # of an event that bears its year
_PREPOSITIONS = "(?:as|at|by|for|from|in|into|of|on|over|to|under|with)"
_ORDINAL = re.compile(r"(?:[a-z]+th|third)")


def kind_of(name: str, text: str = "") -> Kind:
    """Return the kind of a key element.

    An English dictionary identifies words that are never nouns; unknown words and phrases of several words
    count as names. In other languages everything except figures counts as a name.

    Args:
        name: normalised, as stored.
        text: a fact that contains it: words capitalised there count as a name, whatever the dictionary says.
    """
    kind = _kind(name)
    return "name" if kind in ("word", "quantity") and text and _has_capital(name, text) else kind


@lru_cache(maxsize=20_000)
def _kind(name: str) -> Kind:
    if is_time(name):
        return "time"
    first = name.partition(" ")[0].partition("-")[0]
    if (_FIGURE.match(name) and not _YEARS.match(name)) or (is_spelled(first) and not _ORDINAL.match(first)):
        return "quantity"
    return "name" if is_noun(name) else "word"


def _has_capital(name: str, text: str) -> bool:
    """Return whether a text writes a word of the name with a capital, or begins with it as its subject."""
    last = re.escape(name.rpartition(" ")[2])
    begins = re.match(rf"{re.escape(name)}\b(?!,| {_PREPOSITIONS}\b)", text, re.IGNORECASE)
    return begins is not None or any(
        match.start() > 0 and any(letter.isupper() for letter in match.group())
        for match in re.finditer(rf"\b{last}", text, re.IGNORECASE)
    )


def leads_on(name: str, text: str, wanted: frozenset[str]) -> bool:
    """Return whether a key element is worth following: a name, or a figure that the question mentions.

    Args:
        name: normalised.
        text: a fact that contains it.
        wanted: the content words of the question.
    """
    kind = kind_of(name, text)
    return kind == "name" or (kind != "word" and terms(name) <= wanted)


def place_of(near: Neighbour, wanted: frozenset[str]) -> int:
    """Return a neighbour's priority: 0 for typed relations and names, 1 for titles, 2 for dead ends.

    Args:
        near: the neighbour, with a fact that contains it.
        wanted: the content words of the question; a title that contains one of them counts as a name.
    """
    if near.is_typed:
        return 0
    if not leads_on(near.name, near.context, wanted):
        return 2
    return int(near.titled and terms(near.name).isdisjoint(wanted))
