"""Finds the names of an Arabic, Hebrew or Hindi sentence that a text does not hold.

Their words stand apart, and what joins them (and, to, the) is written together with them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from workers.core.answers.firms import is_of_firm
from workers.core.language import uncased_names as tables
from workers.core.language.languages import function_words

_SPACED = (
    ("ar", re.compile(r"[\u0620-\u064a\u0671-\u06d3]"), re.compile(r"[\u0610-\u06d3]+")),
    ("he", re.compile(r"[\u05d0-\u05ea]"), re.compile(r"[\u0590-\u05ea]+(?:[\"'״׳][\u05d0-\u05ea]*)?")),
    ("hi", re.compile(r"[\u0904-\u0939]"), re.compile(r"[\u0900-\u0963\u0970-\u097f]+")),
)
_FEWEST = 3  # letters of a word's stem
_PROCLITICS = {"ar": "وفبلك", "he": "והבלמשכ"}


def lacking_spaced(said: str, text: str, known: Sequence[str]) -> Iterator[str]:
    """Yield the names in these languages that a sentence has and a text lacks.

    Args:
        said: the sentence, in Unicode's normal form NFKC.
        text: that must hold the names, in the same form.
        known: names that extraction and the graph know, in the same form.
    """
    for language, letters, words in _SPACED:
        if letters.search(said) and letters.search(text):
            yield from _spaced(language, words.findall(said), words.findall(text), known, words)


class _Text(NamedTuple):
    """A text in one language, and what it and the known names tell of names."""

    language: str
    words: Sequence[str]
    stems: set[str]  # of its words
    names: Sequence[Sequence[str]]  # that are known, word by word
    firsts: set[str]  # words behind which a name goes on
    families: set[str]  # behind a title and another word


def _spaced(
    language: str, words: Sequence[str], their: Sequence[str], known: Sequence[str], pattern: re.Pattern[str]
) -> Iterator[str]:
    text = _text(
        language, their, [[_plain(language, word) for word in pattern.findall(name)] for name in known]
    )
    slots = _slots(language, their, {word for name in text.names for word in name})
    for place, word in enumerate(words):
        before, after = _beside(words, place)
        plain = _plain(language, before)
        slot = slots.get((plain, _plain(language, after)), frozenset())
        within = any(
            plain in name[:-1] for name in text.names
        )  # the word before it is of a name that goes on
        is_other = slot and slot.isdisjoint(_forms(language, word))
        if (is_other and not _is_common(language, word, within=within)) or (
            _is_lacking(text, word) and _is_of_name(text, words, place)
        ):
            yield word


def _text(language: str, words: Sequence[str], names: Sequence[Sequence[str]]) -> _Text:
    titles = _words("TITLES", language)
    proclitics = ("", *_PROCLITICS.get(language, ""))
    goes_on = {left for name in names for left in name[:-1] if left not in titles}
    titled = {
        _plain(language, word)
        for before, word in pairwise(words)
        if not titles.isdisjoint({before, *_forms(language, before)})
        and not word.startswith(_ARTICLE.get(language, " "))
    }
    return _Text(
        language,
        words,
        stems={stem for word in words for stem in _forms(language, word)},
        names=names,
        firsts=titled | {f"{joined}{left}" for left in goes_on for joined in proclitics},
        families={
            _plain(language, right)
            for before, _, right in zip(words, words[1:], words[2:], strict=False)
            if before in titles
        },
    )


def _beside(words: Sequence[str], place: int) -> tuple[str, str]:
    """Return the words before and after a word; "" where there is none."""
    return words[place - 1] if place else "", words[place + 1] if place + 1 < len(words) else ""


def _is_lacking(text: _Text, word: str) -> bool:
    """Return whether a text lacks a word that may be of a name."""
    forms, titles = _forms(text.language, word), _words("TITLES", text.language)
    return (
        text.stems.isdisjoint(forms) and not _joins(text.language, word) and titles.isdisjoint({word, *forms})
    )


def _is_of_name(text: _Text, words: Sequence[str], place: int) -> bool:
    """Return whether a word is a known name, or what stands beside it shows that it is of one."""
    language, word = text.language, words[place]
    before, after = _beside(words, place)
    forms, plain = _forms(language, word), _plain(language, after)
    is_titled = before in _words("TITLES", language)
    return (
        not forms.isdisjoint(_words("PLACES", language))
        or (language == "ar" and not after and _is_arabic_place(words, place))
        or before in tables.ADDRESSES.get(language, ())
        or is_of_firm(language, words, place, text.words)
        or (not forms.isdisjoint(_words("GIVEN", language)) and (is_titled or _holds(text, after)))
        or (not is_titled and _is_family(text, words, place))
        or (after != "" and before not in _POSSESSING and _is_other_given(text, word, plain))
        or (is_titled and plain in text.families)
    )


def _is_family(text: _Text, words: Sequence[str], place: int) -> bool:
    """Return whether a word is the family name behind a given name, and not what its bearer does."""
    language, (before, after) = text.language, _beside(words, place)
    is_told = (
        not after
        or (language == "hi" and _holds(text, after))
        or (_PERSIAN.search(words[place]) is not None and _holds(text, after))
        or _joins(language, after)
        or (place > 1 and words[place - 2] in _words("TITLES", language))
    )
    plain = _plain(language, before)
    is_known = before != "" and not text.stems.isdisjoint(_forms(language, before))
    return is_told and (plain in _words("GIVEN", language) or (is_known and plain in text.firsts))


def _is_other_given(text: _Text, word: str, family: str) -> bool:
    """Return whether a word is not the given name of somebody known by two names, with this family name."""
    pairs = (name for name in text.names if len(name) == 2)  # noqa: PLR2004
    return any(family == right and word != left for left, right in pairs)


_PERSIAN = re.compile(r"(?<!ه)[\u06cc]$|(?:پور|زاده|نژاد|یان|وند|منش|دوست)$")  # ends family names
_POSSESSING = frozenset(("का", "की"))  # behind these stands what somebody has


def _slots(language: str, their: Sequence[str], named: set[str]) -> dict[tuple[str, str], frozenset[str]]:
    """Return the forms of the words of known names, by the words of a text beside them; "" at its end."""
    found: dict[tuple[str, str], frozenset[str]] = {}
    plain = [_plain(language, word) for word in their]
    for before, word, after in zip(plain, plain[1:], [*plain[2:], ""], strict=False):
        within = before in named
        if word in named and not _is_common(language, word, within=within) and (after or within):
            beside = before, after
            found[beside] = found.get(beside, frozenset()) | _forms(language, word)
    return found


def _is_common(language: str, word: str, *, within: bool) -> bool:
    """Return whether a word is none of a name; one with an article may be, within a name."""
    return _joins(language, word) or (not within and word.startswith(_ARTICLE.get(language, " ")))


def _is_arabic_place(words: Sequence[str], place: int) -> bool:
    """Return whether the last word of a sentence says in which place something is: يقع الفرع في الرصيفة."""
    return (
        words[place - 1] == "في"
        and words[place].startswith("ال")
        and words[place] not in tables.ARABIC_NO_PLACES
        and not words[place].endswith(("ية", "ي"))
        and not tables.ARABIC_PLACED.isdisjoint(words[:place])
    )


def _holds(text: _Text, word: str) -> bool:
    """Return whether a text has a word, and it may be of a name."""
    return (
        word != ""
        and not _joins(text.language, word)
        and not text.stems.isdisjoint(_forms(text.language, word))
    )


def _joins(language: str, word: str) -> bool:
    """Return whether a word stands beside names and is of none."""
    return word in tables.BESIDE.get(language, ()) or word in function_words(language)


_ARTICLE = {"ar": "ال", "he": "ה"}


@cache
def _words(table: str, language: str) -> frozenset[str]:
    """Return the words of a table, in every form that is looked for."""
    words = getattr(tables, table).get(language, "").split()
    return frozenset({*words, *(_plain(language, word) for word in words)})


def _plain(language: str, word: str) -> str:
    """Return a word without marks of vowels, each Arabic letter in one form."""
    return word.translate(_PLAIN.get(language, {}))


_WORD_ENDINGS = {
    "ar": ("ها", "هم", "ات", "ين", "ون", "ان", "ة", "ه", "ا", "ي", "ت", "تها", "ته"),
    "he": ("ים", "ות", "ה", "ת", "ו", "י"),
    "hi": ("ों", "ें", "ा", "े", "ी", "ओं", "ियों"),
}
_PLAIN: Mapping[str, Mapping[int, int | None]] = {
    "ar": {**dict.fromkeys(range(0x064B, 0x0660)), **str.maketrans("أإآٱى", "ااااي")},
    "he": dict.fromkeys(range(0x0591, 0x05C8)),
}


@lru_cache(maxsize=20_000)
def _forms(language: str, word: str) -> frozenset[str]:
    """Return a word as it may be without what is written together with it."""
    plain = _plain(language, word)
    found = {plain}
    for _ in range(2):
        for form in tuple(found):
            if len(form) > _FEWEST and form[0] in _PROCLITICS.get(language, ""):
                found.add(form[1:])
    if language == "ar":
        found |= {form.removeprefix("ال") for form in found if len(form) > _FEWEST + 1}
        found |= {form[1:] for form in found if form.startswith("لل") and len(form) > _FEWEST + 1}
    for form in tuple(found):
        for ending in _WORD_ENDINGS.get(language, ()):
            if form.endswith(ending) and len(form) - len(ending) >= _FEWEST:
                found.add(form.removesuffix(ending))
    return frozenset(found)
