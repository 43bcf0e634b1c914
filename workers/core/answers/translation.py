"""Tells whether two texts are in different languages or scripts."""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from functools import cache, lru_cache
from importlib import resources

from workers.core.answers.lexical_rank import overlap, terms
from workers.core.language.forms import is_form
from workers.core.language.languages import function_words, language_of
from workers.core.language.text import is_unspaced, normalise, words
from workers.core.language.visible import visible

_SAME_LANGUAGE = 0.5  # share of a sentence's words in its quotes, from which on both are of one language
_CJK = ("CJK", "HIRAGANA", "KATAKANA")


def is_translated(sentence: str, quoted: str) -> bool:
    """Return whether a sentence is in another language than the text that it cites."""
    if not script_of(sentence) or not script_of(quoted):
        return False
    if script_of(sentence) != script_of(quoted):
        return True
    language, other = language_of(sentence), language_of(quoted)
    telling = function_words(language) - function_words(other)
    if language == other or not telling.intersection(words(sentence)):
        return False  # of a short sentence without such a word the language is not certain
    plain = " ".join(word for word in sentence.split() if word.islower())  # names are the same everywhere
    return overlap(terms(plain), quoted) < _SAME_LANGUAGE


@lru_cache(maxsize=64)
def translated_countries(quoted: str, sentence: str) -> str:
    """Return the countries that a text names, by their names in the language of a sentence.

    The names are Unicode's (CLDR), in 38 languages.
    """
    language, other = language_of(sentence), language_of(quoted)
    if language == other or not (_countries().get(language) and _countries().get(other)):
        return ""
    told = normalise(quoted)
    said = words(quoted)
    return "; ".join(
        _countries()[language][code]
        for code, name in _countries()[other].items()
        if code in _countries()[language] and _is_named(normalise(name), told, said)
    )


def _is_named(name: str, told: str, said: list[str]) -> bool:
    if is_unspaced(name) or " " in name:
        return name in told
    return any(is_form(name, word) for word in said)


@cache
def _countries() -> dict[str, dict[str, str]]:
    """Return the names of countries by language and code."""
    text = resources.files("workers.core.language").joinpath("countries.json").read_text("utf-8")
    names: dict[str, dict[str, str]] = json.loads(text)
    return names


@lru_cache(maxsize=256)
def script_of(text: str) -> str:
    """Return the script of most letters of a text, as Unicode names it; "" if it has no letters.

    Chinese characters and kana are one: "CJK".
    """
    counted = Counter(_script(letter) for letter in visible(text) if letter.isalpha())
    return counted.most_common(1)[0][0] if counted else ""


@lru_cache(maxsize=4096)
def _script(letter: str) -> str:
    name = unicodedata.name(letter, "").split(" ")[0]
    return "CJK" if name in _CJK else name


def has_capitals(text: str) -> bool:
    """Return whether a text's script has capital letters."""
    script = script_of(text)
    return any(letter.isupper() or letter.islower() for letter in text if _script(letter) == script)
