"""Decides from the names alone whether a short name may be a form of a longer one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from hopline.models.merges import Rule
from workers.core.answers.lexical_rank import STOP_WORDS
from workers.core.graph.merges import ElementProfile
from workers.core.language.dates import is_time
from workers.core.language.name_words import (
    COUNTED,
    GENERIC,
    GIVEN_NAMES,
    HONORIFICS,
    JOINING,
    LEGAL_FORMS,
    PARTICLES,
    REPEATED,
)
from workers.core.language.text import words

# What the short name must share with the longer one: every document that it is in, or only one of them.
WITHIN: frozenset[Rule] = frozenset(("qualified", "placed", "titled", "company", "surname", "initials"))
_SHORTEST = 3  # letters; shorter names are initials or noise
_LONGEST_WORDS = 8
_LONGEST_SHORT = 5  # words of a name that may be short for another
_PERSON_WORDS = 4  # at most, particles and all
_QUALIFIED = re.compile(r"(?P<name>[^(),]+) \((?P<told>[^()]+)\)")
_PLACED = re.compile(r"(?P<name>[^(),]+), (?P<place>[^()]+)")
_SEPARATORS = re.compile(r"[\s·・]+")
_DIGIT = re.compile(r"\d")


class Parts(NamedTuple):
    """The words of a name, without the points and commas around them."""

    words: tuple[str, ...]
    name: str


def parts(name: str) -> Parts:
    """Return a normalised name's words; a middle dot separates, as in foreign names in Chinese."""
    tokens = (word.strip(".,;:!?\"'()[]") for word in _SEPARATORS.split(name))
    return Parts(tuple(word for word in tokens if word), name)


def may_merge(element: ElementProfile) -> bool:
    """Return whether an element may be merged at all: a name, not a number, date, phrase or noise."""
    held = parts(element.name).words
    if not held or len(held) > _LONGEST_WORDS or sum(map(len, held)) < _SHORTEST or is_time(element.name):
        return False
    return any(word not in STOP_WORDS and word not in COUNTED and not _DIGIT.search(word) for word in held)


def is_capitalised(element: ElementProfile) -> bool:
    """Return whether every spelling seen begins with a capital, or its script has none."""
    firsts = [spelling.lstrip("\"'“‘(")[:1] for spelling in element.aliases]
    return bool(firsts) and all(first.isupper() or not first.isascii() for first in firsts)


def has_digit(name: str) -> bool:
    """Return whether a name has a digit, since numbers distinguish things."""
    return _DIGIT.search(name) is not None


def may_be_short(element: ElementProfile) -> bool:
    """Return whether an element may be the short form of a longer name."""
    held = parts(element.name).words
    return (
        may_merge(element)
        and is_capitalised(element)
        and len(held) <= _LONGEST_SHORT
        and not has_digit(element.name)
        and any(word not in GENERIC and word not in HONORIFICS for word in held)
        and not any(word in JOINING for word in (held[0], held[-1]))
    )


def may_be_person(name: str) -> bool:
    """Return whether a name looks like a person's: a given name or an initial, then a family name."""
    return _is_person(parts(name).words)


def contained(short: str, long: str) -> Rule | None:
    """Return the rule by which the short name is a form of the longer one; None if there is none.

    qualified: Telford (engineer); placed: Kitzbuhel, Austria; titled: Sir Thomas Telford; company: Telford
    Ltd.; acronym: Economic Cooperation Organization (ECO); surname: Telford and Thomas Telford; initials:
    T. Telford and Thomas Telford, John Kennedy and John F. Kennedy.
    """
    if short == long or is_time(short) or is_time(long):
        return None
    few, many = parts(short), parts(long)
    return _outer(few, many) or _titled(few, many) or _person(few, many)


def may_contain(short: str, long: str) -> bool:
    """Return whether the longer name may be meant by the short one, by a rule or not.

    Who is called by given and family name may be anyone whose name begins and ends with them: George Bush is
    George W. as well as George H. W., whose initials stand together. None of that is enough for a merge.
    """
    if contained(short, long):
        return True
    few, many = parts(short).words, parts(long).words
    return len(few) == 2 < len(many) and few == (many[0], many[-1]) and _is_person(many)  # noqa: PLR2004


def ambiguous(rivals: Sequence[str]) -> bool:
    """Return whether longer names are several: they are one where each is within the next."""
    ordered = sorted(rivals, key=len)
    return any(contained(shorter, longer) is None for shorter, longer in pairwise(ordered))


def _outer(few: Parts, many: Parts) -> Rule | None:
    """The addition after a short name, in brackets or after a comma."""
    if match := _QUALIFIED.fullmatch(many.name):
        name, addition = match["name"], match["told"]
        if few.name in (name, addition) and _abbreviates(addition, name):
            return "acronym"
        # One word is too often a word as well: Burn (song), Sun (newspaper).
        if few.name == name and len(few.words) > 1 and not set(words(addition)) & COUNTED:
            return None if few.words[-1] in REPEATED else "qualified"
        return None
    match = _PLACED.fullmatch(many.name)
    if match and match["name"] == few.name and few.words[-1] not in REPEATED:
        place_words = set(words(match["place"]))
        return None if place_words & (JOINING | COUNTED | GENERIC | LEGAL_FORMS) else "placed"
    return None


def _abbreviates(short: str, long: str) -> bool:
    """Return whether the letters are the initials of the words, small words left out or not."""
    initials = [word[0] for word in words(long.replace("-", " "))]
    main = [word[0] for word in words(long.replace("-", " ")) if word not in JOINING]
    return len(short) > 1 and short in {"".join(initials), "".join(main)}


def _titled(few: Parts, many: Parts) -> Rule | None:
    """Titles before a name, a legal form after it."""
    extra = len(many.words) - len(few.words)
    if extra < 1:
        return None
    if many.words[extra:] == few.words and all(word in HONORIFICS for word in many.words[:extra]):
        return None if set(few.words) & GENERIC else "titled"
    if many.words[: len(few.words)] == few.words and all(
        word in LEGAL_FORMS for word in many.words[len(few.words) :]
    ):
        return "company"
    return None


def _person(few: Parts, many: Parts) -> Rule | None:
    if not _is_person(many.words) or len(few.words) > len(many.words) or few.words[-1] != many.words[-1]:
        return None
    if len(few.words) == 1:
        return "surname" if _is_family_name(few.words[0]) else None
    if few.words == many.words[-len(few.words) :]:
        return "surname" if all(word in PARTICLES for word in few.words[:-1]) else None
    if len(few.words) == len(many.words) or few.words[0] != many.words[0] or len(few.words) > 2:  # noqa: PLR2004
        return "initials" if _initials_fit(few.words, many.words) else None
    # John Kennedy, John F. Kennedy: only initials or a given name between.
    between = many.words[1:-1]
    return "initials" if all(len(word) == 1 or word in GIVEN_NAMES for word in between) else None


def _is_person(held: tuple[str, ...]) -> bool:
    """Return whether a name looks like a person's in full: a given name or initial, then a family name."""
    first = held[0]
    return (
        1 < len(held) <= _PERSON_WORDS
        and (first in GIVEN_NAMES or len(first) == 1)
        and not any(_DIGIT.search(word) or word in GENERIC | JOINING | COUNTED for word in held)
        and _is_family_name(held[-1])
    )


def _is_family_name(word: str) -> bool:
    return len(word) >= _SHORTEST and word not in GIVEN_NAMES | HONORIFICS | GENERIC | COUNTED | PARTICLES


def _initials_fit(few: tuple[str, ...], many: tuple[str, ...]) -> bool:
    """Initials, as in T. Telford or JRR Tolkien: letters that match the beginnings of words."""
    letters = few[:-1]
    if len(letters) == 1 and 1 < len(letters[0]) == len(many) - 1:
        return all(letter == word[0] for letter, word in zip(letters[0], many[:-1], strict=True))
    if len(few) != len(many):
        return len(letters) == 1 and len(letters[0]) == 1 and letters[0] == many[0][0]
    return few != many and all(
        initial == word or (len(initial) == 1 and initial == word[0])
        for initial, word in zip(letters, many[:-1], strict=True)
    )
