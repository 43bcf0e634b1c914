"""Finds the names of an Arabic, Hebrew or Hindi sentence that a text does not hold.

Their words stand apart, and what joins them (and, to, the) is written together with them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise

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


def _spaced(
    language: str, words: Sequence[str], their: Sequence[str], known: Sequence[str], pattern: re.Pattern[str]
) -> Iterator[str]:
    stems = {stem for word in their for stem in _forms(language, word)}
    proclitics = ("", *_PROCLITICS.get(language, ""))
    titles, given = _words("TITLES", language), _words("GIVEN", language)
    names = [[_plain(language, word) for word in pattern.findall(name)] for name in known]
    # A given name and a family name.
    pairs = {(name[0], name[1]) for name in names if len(name) == 2}  # noqa: PLR2004
    slots = _slots(language, their, {word for name in names for word in name})
    told = {
        (_plain(language, left), _plain(language, right))
        for before, left, right in zip(their, their[1:], their[2:], strict=False)
        if before in titles
    }
    firsts = {
        f"{joined}{left}"
        for name in names
        for left in name[:-1]
        if left not in titles
        for joined in proclitics
    } | {
        _plain(language, word)
        for before, word in pairwise(their)
        if not titles.isdisjoint({before, *_forms(language, before)})
        and not word.startswith(_ARTICLE.get(language, " "))
    }
    for place, word in enumerate(words):
        forms = _forms(language, word)
        before = words[place - 1] if place else ""
        after = words[place + 1] if place + 1 < len(words) else ""
        plain = _plain(language, before)
        slot = slots.get((plain, _plain(language, after)), frozenset())
        within = any(plain in name[:-1] for name in names)  # the word before it is of a name that goes on
        if slot and slot.isdisjoint(forms) and not _is_common(language, word, within=within):
            yield word
            continue
        if not stems.isdisjoint(forms) or _joins(language, word) or not titles.isdisjoint({word, *forms}):
            continue
        is_known = bool(before) and not stems.isdisjoint(_forms(language, before))
        # Behind a given name stands a family name, or what its bearer does.
        is_told = (
            not after
            or (language == "hi" and _holds(stems, language, after))
            or (_PERSIAN.search(word) is not None and _holds(stems, language, after))
            or _joins(language, after)
            or (place > 1 and words[place - 2] in titles)
        )
        if (
            not forms.isdisjoint(_words("PLACES", language))
            or (language == "ar" and not after and _is_arabic_place(words, place))
            or before in tables.ADDRESSES.get(language, ())
            or is_of_firm(language, words, place, their)
            or (
                not forms.isdisjoint(given)
                and (before in titles or (after and _holds(stems, language, after)))
            )
            or (is_told and before not in titles and (plain in given or (is_known and plain in firsts)))
            or (
                after
                and before not in _POSSESSING
                and any(_plain(language, after) == right and word != left for left, right in pairs)
            )
            or (before in titles and any(_plain(language, after) == right for _, right in told))
        ):
            yield word


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


def _holds(stems: set[str], language: str, word: str) -> bool:
    return not _joins(language, word) and not stems.isdisjoint(_forms(language, word))


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
    if language == "ar":
        return re.sub(r"[\u064b-\u065f]", "", word).translate(_ALIF)
    if language == "he":
        return re.sub(r"[\u0591-\u05c7]", "", word)
    return word


_WORD_ENDINGS = {
    "ar": ("ها", "هم", "ات", "ين", "ون", "ان", "ة", "ه", "ا", "ي", "ت", "تها", "ته"),
    "he": ("ים", "ות", "ה", "ת", "ו", "י"),
    "hi": ("ों", "ें", "ा", "े", "ी", "ओं", "ियों"),
}
_ALIF = str.maketrans("أإآٱى", "ااااي")


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
