"""Decides which capitalised words are names that a text lacks, by the language of the sentence."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from hopline.visible import visible
from workers.core.answers.spellings import TEXTS_KEPT, TOKEN, bare, spellings
from workers.core.language.figures.figures import figures
from workers.core.language.figures.words import units
from workers.core.language.forms import is_form
from workers.core.language.german_nouns import is_common_noun, is_placing
from workers.core.language.languages import function_words, language_of
from workers.core.language.name_forms import is_name_form
from workers.core.language.name_words import GIVEN_NAMES
from workers.core.language.sentence_words import (
    is_century,
    is_kind,
    is_kind_of_named,
    is_occupation,
    is_of_calendar,
    openers,
)

_ENGLISH, _GERMAN = "en", "de"
# A first word that has this many first letters of a name, and is no form of it, is taken for another name.
_ALIKE = 4
_SHORT = 3  # letters of units of few countries: Kč
_FIGURE = "1"  # stands for a number before a word
_TELLING = 5  # words that a sentence needs for its language to be detected
_SURNAME = re.compile(
    r".{2,}(?:(?:ов|ев|ин|ын)(?:а|ым|ой|у)?|ск(?:ий|ая|ого|ому|им|ой)|енко|чук|вич|sk[iay]|cki|cka|icz|"
    r"czyk|ov[aá]|"
    r"oğlu|nen|sson|sen|ez|ini|elli|escu|opoulos|ópoulos|όπουλος|ίδης|άκης|idis|akis)"
)
# Behind a name that begins a sentence, in languages whose nouns have an article.
_IS = frozenset(
    "est était fut a es era fue è fu ha é foi είναι ήταν is was heeft e este är var er".split()  # noqa: SIM905
)
_WITH_ARTICLES = frozenset(("fr", "es", "it", "pt", "ca", "el", "ro"))
# Endings of Russian and Ukrainian nouns that begin no name; a Cyrillic word that may be such a noun.
_OF_DEEDS = re.compile(
    r".{3,}(?:ство|ение|ание|ення|ання|ция|ція|ость|ість|(?:[аеоя]н|[иыу]т)(?:[аоыі]|ный|ная|ное|ний|не))"
)
_OF_DEED = re.compile(r"[\u0400-\u04ff]{4,}")

_WITHIN = re.compile(rf"(?<=[\w,—–-] )(?:{TOKEN.pattern})")
_TONES = re.compile(r"[ơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ]", re.IGNORECASE)


class Capitalised(NamedTuple):
    """A capitalised word in a sentence."""

    text: str
    is_first: bool  # and has its capital only for that
    follows: bool  # the word before it, as one of the same name
    place: int  # in its sentence
    before: str  # the word before it; "" where more than a space parts them
    after: str


def among_names(
    words: Iterable[Capitalised], sentence: str, stands: str, small: frozenset[str]
) -> list[Capitalised]:
    """Return which of the words missing from a text are names that it has in no other form either.

    Args:
        words: capitalised words.
        sentence: the sentence with the words.
        stands: the supporting text.
        small: words that are lower-case in this or related texts.
    """
    languages = _languages(sentence, stands)
    names = [word for word in words if not any(_is_of_time(word, each) for each in languages)]
    if (
        names
        and names[0].place == 0
        and names[0].text == _before_whole_name(sentence, stands, languages, small)
    ):
        del names[0]
    if languages == (_ENGLISH,):
        return names
    held, told = _bare_words(stands), _of_figures(sentence)
    names = [word._replace(before=_FIGURE if word.before in told else word.before) for word in names]
    return [
        word
        for word in names
        if not (
            word.text in told
            or is_ordinary(word, languages, stands, small)
            or (
                not ("vi" in languages and is_other_tone(word.text, stands))
                and (
                    any(is_name_form(bare(word.text), other, each) for each in languages for other in held)
                    or ("pl" in languages and _is_nasal_form(word.text.casefold(), stands))
                )
            )
        )
    ]


def _languages(sentence: str, stands: str) -> tuple[str, ...]:
    """Return the language of a sentence, then that of the text; few words are judged together."""
    if len(sentence.split()) < _TELLING:
        both = f"{sentence}\n{stands}"
        language, own = language_of(both), language_of(sentence)
        telling = {word for word in function_words(language) if len(word) > 1}
        told = not both.isascii() or not telling.isdisjoint(both.casefold().split())
        is_own = own != language and _tells(own, sentence) > _tells(language, sentence) + 1
        return (language if told else _ENGLISH, *([own] if is_own else ()))
    language = language_of(sentence)
    if language == _ENGLISH and stands.isascii():
        return (language,)
    return tuple(dict.fromkeys((language, language_of(stands))))


def _tells(language: str, sentence: str) -> int:
    """Return how many words of a sentence are function words of a language."""
    return len(function_words(language).intersection(sentence.casefold().split()))


def is_ordinary(word: Capitalised, languages: Sequence[str], stands: str, small: frozenset[str]) -> bool:
    """Return whether a capitalised word is not part of a name, by the language of its sentence."""
    folded = word.text.casefold()
    opens = word.place == 0 and (
        folded in small
        or (is_kind(folded) and languages != (_ENGLISH,))
        or (word.after[:1].isupper() and is_kind_of_named(folded))
        or any(folded in openers(each) for each in languages)
    )
    if opens or not word.text[1:].islower():
        return opens and word.text[1:].islower()
    is_first = word.is_first or (word.place == 0 and not word.after)  # Autrefois, Odile …
    if languages[0] == _GERMAN:
        return (word.place > 0 or is_first) and _is_german_noun(word, stands)
    if not is_first or languages[0] == _ENGLISH:
        return False
    if _SURNAME.fullmatch(folded) or bare(word.text) in GIVEN_NAMES:
        return any(is_form(folded, other) for other in small)
    is_told = languages[0] in _WITH_ARTICLES and word.after in _IS
    return not is_told and not any(_begins_like(folded, other) for other in _names_within(stands))


def _is_german_noun(word: Capitalised, stands: str) -> bool:
    before = word.before
    if word.place == 1 and is_placing(before):
        before = before.casefold()
    elif word.place == 1 and before.casefold() in openers(_GERMAN):
        before = ""
    return is_common_noun(
        word.text, before or ("," if word.place else ""), word.after, _bare_words(stands) | _capitals(stands)
    )


def _before_whole_name(sentence: str, stands: str, languages: Sequence[str], small: frozenset[str]) -> str:
    """Return the first word of a sentence if the name after it is complete in the text without it.

    It says what a person is (Actor Ada Vollmer), or what belongs to them, if the name is in the genitive
    (Вступление Анны Ивановой).
    """
    first, *name = TOKEN.findall(unicodedata.normalize("NFKC", visible(sentence)))[:3]
    if len(name) < 2 or any(word[0].islower() for word in name):  # noqa: PLR2004
        return ""
    folded = first.casefold()
    if bare(first) in GIVEN_NAMES or _SURNAME.fullmatch(folded):
        return ""
    is_person = bare(name[0]) in GIVEN_NAMES
    if languages == (_ENGLISH,) and not is_person:
        return ""  # of a firm or place: Western Railway
    pairs = [
        pair
        for pair in _capital_pairs(stands)
        if all(_is_same(bare(one), other, languages) for one, other in zip(name, pair, strict=True))
    ]
    if not pairs:
        return ""
    in_genitive = tuple(map(bare, name)) not in pairs
    if in_genitive and _OF_DEED.fullmatch(folded):
        is_noun = _OF_DEEDS.fullmatch(folded) or any(_begins_like(folded, other) for other in small)
    else:
        is_noun = is_person and folded in small
    return first if is_noun or is_occupation(first) else ""


def _is_same(word: str, other: str, languages: Sequence[str]) -> bool:
    return word == other or any(is_name_form(word, other, each) for each in languages)


@lru_cache(maxsize=TEXTS_KEPT)
def _capital_pairs(stands: str) -> tuple[tuple[str, str], ...]:
    tokens = TOKEN.findall(unicodedata.normalize("NFKC", visible(stands)))
    return tuple(
        (bare(one), bare(two)) for one, two in pairwise(tokens) if one[0].isupper() and two[0].isupper()
    )


def _is_nasal_form(word: str, stands: str) -> bool:
    """Return whether a Polish name with ę is a case of one of the text with ą, or the reverse: Dąb, Dęba."""
    nasal, other_nasal = ("ę", "ą") if "ę" in word else ("ą", "ę")
    return nasal in word and any(
        is_name_form(bare(word.replace(nasal, other_nasal)), bare(other), "pl")
        for other in _capitals(stands)
        if other_nasal in other
    )


def is_other_tone(word: str, stands: str) -> bool:
    """Return whether a word of a Vietnamese text is in it with other marks only, which make another name."""
    return has_tones(stands) and word.casefold() not in _capitals(stands)


def has_tones(text: str) -> bool:
    """Return whether a text has letters that only Vietnamese writes."""
    return _TONES.search(text) is not None


@lru_cache(maxsize=TEXTS_KEPT)
def _of_figures(sentence: str) -> frozenset[str]:
    """Return the words of the numbers and dates of a sentence, with their units."""
    shaped = unicodedata.normalize("NFKC", visible(sentence))
    found = set()
    for figure in figures(shaped):
        if not figure.readings and not any(sign.isdigit() for sign in figure.text):
            continue  # a month alone may be a name: Augusta, April
        found.update(TOKEN.findall(figure.text))
        behind = TOKEN.match(shaped, figure.end) or TOKEN.match(shaped, figure.end + 1)
        unit = behind.group() if behind else ""
        if figure.unit or len(unit) <= _SHORT or unit.casefold() in units():
            found.add(unit)
    return frozenset(found)


def _begins_like(word: str, name: str) -> bool:
    return len(name) >= _ALIKE and word[:_ALIKE] == name[:_ALIKE]


def _is_of_time(word: Capitalised, language: str) -> bool:
    """Return whether a word is a month, a weekday or a century, which the date check compares."""
    return is_of_calendar(word.text, language) or (is_century(word.text) and not word.before[:1].isupper())


@lru_cache(maxsize=TEXTS_KEPT)
def _bare_words(stands: str) -> frozenset[str]:
    return spellings(stands).words


@lru_cache(maxsize=TEXTS_KEPT)
def _names_within(stands: str) -> frozenset[str]:
    """Return the words that are capitalised although they do not begin a sentence."""
    return frozenset(name.casefold() for name in _WITHIN.findall(stands) if not name.islower())


@lru_cache(maxsize=TEXTS_KEPT)
def _capitals(stands: str) -> frozenset[str]:
    return frozenset(token.casefold() for token in TOKEN.findall(stands) if not token.islower())
