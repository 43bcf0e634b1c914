"""Finds the singular of an English word, by dictionary or else by rules; recognises nouns and verb forms."""

from __future__ import annotations

import re
import threading
from functools import lru_cache

_PLURAL = re.compile(r"[a-z]{4,}s")
# Words that end like plurals and are none; the dictionary has whales' wale, and few names.
_NO_PLURAL = frozenset(
    """
    news lens means series species headquarters athens wales thames james charles netherlands philippines
    alps andes brussels naples moses hercules achilles socrates dickens hastings ourselves yourselves
    themselves
    """.split()  # noqa: SIM905 - a list of words reads best
)
# The dictionary puts the leave of a soldier first, and lacks the other.
_KNOWN = {"leaves": "leaf", "calories": "calorie"}
_NO_PLURAL_ENDINGS = ("ss", "us", "is", "os", "as", "ics", "uses", "ises", "oes", "aches")
# The library loads its dictionary without a lock: the 128 threads of a worker that has just started would
# load it 128 times, side by side (1.7 GB).
_DICTIONARY = threading.Lock()
_WEEKDAYS = frozenset(
    ("mondays", "tuesdays", "wednesdays", "thursdays", "fridays", "saturdays", "sundays")
)  # plurals that have a capital and are no names


def is_weekdays(word: str) -> bool:
    """Return whether a lower-case word is the plural of a day of the week."""
    return word in _WEEKDAYS


@lru_cache(maxsize=10_000)
def singular(word: str) -> str:
    """Return the singular of a lower-case word; the word itself if it is not a regular plural.

    Only words of five letters or more that end in s are looked at: shorter ones are often something else.
    """
    if not _PLURAL.fullmatch(word) or word in _NO_PLURAL:
        return word
    lemmas = (_KNOWN[word],) if word in _KNOWN else _lemmas(word)
    ruled = singular_by_rule(word)
    if not lemmas or (ruled == word and word in lemmas):  # mechanics, not mechanic
        return ruled
    return lemmas[0]


def singular_by_rule(word: str) -> str:
    """Return the singular by rules alone, as key elements were stored before there was a dictionary."""
    if not _PLURAL.fullmatch(word) or word in _NO_PLURAL or word.endswith(_NO_PLURAL_ENDINGS):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "xes", "sses", "zzes")):
        return word[:-2]
    return word[:-1]


@lru_cache(maxsize=20_000)
def is_noun(word: str) -> bool:
    """Return whether a word may be a noun or a name: the dictionary does not know it as other words only."""
    known = _by_part_of_speech(word) if word.isascii() and word.isalpha() else {}
    return not known or not known.keys().isdisjoint(("NOUN", "PROPN"))


@lru_cache(maxsize=10_000)
def is_verb_form(word: str, verb: str) -> bool:
    """Return whether a lower-case word is a form of an English verb, given in its base form."""
    alike = word.isascii() and word[:1] == verb[:1]
    return alike and verb in _by_part_of_speech(word).get("VERB", ())


def _lemmas(word: str) -> tuple[str, ...]:
    """Return the dictionary's base form of the word, preferably as a noun; empty if unknown."""
    lemmas = _by_part_of_speech(word)
    return lemmas.get("NOUN") or next(iter(lemmas.values()), ())


def _by_part_of_speech(word: str) -> dict[str, tuple[str, ...]]:
    # Loaded by the first look-up: 34 MB and a third of a second, which a process without plurals saves.
    from lemminflect import getAllLemmas  # noqa: PLC0415

    with _DICTIONARY:
        lemmas: dict[str, tuple[str, ...]] = getAllLemmas(word)
    return lemmas
