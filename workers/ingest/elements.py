"""Cleans the key elements that the model named for a fact: drops garbage, gathers spellings."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from hopline.models.documents import KeyElement
from workers.core import ids
from workers.core.graph.elements import normalise_element
from workers.core.language.text import is_abbreviation
from workers.ingest.spans import significant_words

_LONGEST = 100  # characters
_MOST_WORDS = 10  # more is a sentence, and no other fact will share it
_MOST_ELEMENTS = 20  # of one fact
_STOP = re.compile(r"[.!?;]\s+(?=\S)")
# What ends with a stop inside a name, beside the abbreviations that end no sentence.
_SHORTENED = re.compile(
    r"(?:\b(?:[^\W\d_]|[A-Z][a-z]|v|Adm|Ave|Blvd|Bros|Capt|Cdr|Cie|Corp|Dept|Dist|Ed|Eds|Est|Ft|Gov|Hwy|Lit|Maj|"
    r"Messrs|Mme|Mlle|Op|Opp|Ph\.D|Pres|Rep|Sen|Ser|Sq|Ste|Supt|Univ|Thos|Chas|Geo|Wm|subsp|var|sp|spp))\.$"
)
_SMALL = 4  # letters of the longest word that titles leave in small letters: from, with
_NAMES_KEPT = 5000  # a document names the same over and over
_STEM = 4  # characters; "walked" and "walks" are the same word here


def build_elements(collection: str, names: Iterable[str], *known: frozenset[str]) -> tuple[KeyElement, ...]:
    """Return the distinct key elements of a fact, in the order named, with the spellings as aliases.

    Args:
        collection: part of an element's id.
        names: as the model wrote them.
        known: stems of the words of the fact and of its chunk (`stems`); a name that shares none of them was
            invented and is dropped.
    """
    spellings: dict[str, dict[str, None]] = {}
    for raw_name in names:
        spelling = " ".join(raw_name.split())
        if len(spelling) > _LONGEST:
            continue
        name, own = _named(spelling)
        if any(not own.isdisjoint(some) for some in known):
            spellings.setdefault(name, {})[spelling] = None
    return tuple(
        KeyElement(id=ids.element_id(collection, name), name=name, aliases=tuple(seen))
        for name, seen in list(spellings.items())[:_MOST_ELEMENTS]
    )


def stems(words: Iterable[str]) -> frozenset[str]:
    """Return the beginnings of words by which names are compared with them."""
    return frozenset([word[:_STEM] for word in words])


def merge_elements(first: Iterable[KeyElement], second: Iterable[KeyElement]) -> tuple[KeyElement, ...]:
    """Return the union of two lists of key elements, aliases and types joined."""
    merged: dict[str, KeyElement] = {}
    for element in (*first, *second):
        known = merged.get(element.id)
        aliases = tuple(dict.fromkeys((*(known.aliases if known else ()), *element.aliases)))
        types = tuple(dict.fromkeys((*(known.types if known else ()), *element.types)))
        merged[element.id] = element.model_copy(update={"aliases": aliases, "types": types})
    return tuple(merged.values())


@lru_cache(maxsize=_NAMES_KEPT)
def _named(spelling: str) -> tuple[str, frozenset[str]]:
    """Return a spelling's normal form and the stems of its words: none where it is no element."""
    name = normalise_element(spelling)
    if not name or len(name.split()) > _MOST_WORDS or _holds_clauses(spelling):
        return name, frozenset()
    # As spelled, too: the normal form of Zoë is zoe, which the text does not hold.
    return name, stems(significant_words(name) | significant_words(spelling))


def _holds_clauses(spelling: str) -> bool:
    """Return whether a stop ends a clause inside a spelling: "Rhine. It was long", but not "St. Louis"."""
    return any(
        _ends_clause(spelling[: stop.start() + 1], spelling[stop.end() :])
        for stop in _STOP.finditer(spelling)
    )


def _ends_clause(before: str, after: str) -> bool:
    if before.endswith("."):
        return not (is_abbreviation(before) or _SHORTENED.search(before))
    # Titles and makers' names have such marks, and capitals throughout: Mamma Mia! Here We Go Again.
    return before.endswith(";") or (after[0].isupper() and not _is_title(f"{before} {after}"))


def _is_title(spelling: str) -> bool:
    words = spelling.split()
    return words[0][0].isupper() and not any(word[0].islower() and len(word) > _SMALL for word in words)
