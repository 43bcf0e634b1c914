"""Whether a text is in another language or script than what it is compared with."""

from __future__ import annotations

import unicodedata
from collections import Counter
from functools import lru_cache

from workers.core.answers.lexical_rank import overlap, terms
from workers.core.language.languages import function_words, language_of
from workers.core.language.text import words
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


@lru_cache(maxsize=256)
def script_of(text: str) -> str:
    """Return the script of most letters of a text, as Unicode names it; "" of a text without letters.

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
    return any(letter.isupper() or letter.islower() for letter in text if _script(letter) == script_of(text))
