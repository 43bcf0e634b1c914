"""Tells whether two texts are in different languages or scripts."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from functools import cache, lru_cache
from importlib import resources

from hopline.visible import visible
from workers.core.answers.lexical_rank import overlap, terms
from workers.core.language.forms import is_form
from workers.core.language.languages import function_words, language_of
from workers.core.language.text import is_unspaced, normalise, words

_SAME_LANGUAGE = 0.5  # share of a sentence's words in its quotes, from which on both are of one language
_CJK = ("CJK", "HIRAGANA", "KATAKANA")
_CLEARLY_CHINESE = 20  # characters without kana; a Japanese address or headline may have fewer
_BRACKETED = re.compile(r"\([^()]*\)|（[^（）]*）")  # where an answer gives a name's own spelling


def is_translated(sentence: str, quoted: str) -> bool:
    """Return whether a sentence is in a different language from the text that it cites."""
    script, other_script = scripts_of(sentence, quoted)
    if not script or not other_script:
        return False
    if script != other_script:
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


def scripts_of(sentence: str, quoted: str) -> tuple[str, str]:
    """Return the scripts of two texts; for Japanese beside Chinese their languages, ja and zh.

    These share characters, but write most names differently.
    """
    script, other_script = script_of(sentence), script_of(quoted)
    if script == other_script == "CJK":
        language, other = _language_of_cjk(sentence), _language_of_cjk(quoted)
        if {language, other} == {"ja", "zh"}:
            return language, other
    return script, other_script


@lru_cache(maxsize=256)
def script_of(text: str) -> str:
    """Return the script of most letters of a text, as Unicode names it; "" if it has no letters.

    Chinese characters and kana count as one: "CJK". Letters in brackets count only if there are no others.
    """
    for counted_text in (_BRACKETED.sub("", text), text):
        counted = Counter(_script(letter) for letter in visible(counted_text) if letter.isalpha())
        if counted:
            return counted.most_common(1)[0][0]
    return ""


def _language_of_cjk(text: str) -> str:
    """Return ja or zh; "" if all characters are common to both."""
    outside = _BRACKETED.sub("", text) or text
    if language_of(outside) == "ja":
        return "ja"
    letters = "".join(filter(str.isalpha, outside))
    try:
        letters.encode("shift_jis")
    except UnicodeEncodeError:  # simplified characters and others that Japanese does not write
        return "zh"
    return "zh" if len(letters) >= _CLEARLY_CHINESE else ""


@lru_cache(maxsize=4096)
def _script(letter: str) -> str:
    name = unicodedata.name(letter, "").split(" ")[0]
    return "CJK" if name in _CJK else name


def has_capitals(text: str) -> bool:
    """Return whether a text's script has capital letters."""
    script = script_of(text)
    return any(letter.isupper() or letter.islower() for letter in text if _script(letter) == script)
