"""Likeness of texts by their words, and the share of a text that others have not said."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache

from workers.core.answers.check import missing_names
from workers.core.answers.lexical_rank import terms
from workers.core.language.languages import language_of

_CAPITAL_NOUNS = "de"  # the language in which all nouns have capitals, so that these tell no names


class Likeness:
    """Compares some texts by their words: the fewer of the texts say a word, the more it counts.

    A word counts ln(texts / texts that say it), its inverse document frequency (Sparck Jones, 1972), so one
    that all texts say counts nothing. Names, and words with digits, count only in a text that says nothing
    else: many say the same, each of another.

    Args:
        texts: all that are compared.
    """

    def __init__(self, texts: Collection[str]) -> None:
        has_names = language_of(" ".join(texts)) != _CAPITAL_NOUNS
        self._words = {text: _words(text, has_names=has_names) for text in texts}
        held = Counter(word for words in self._words.values() for word in words)
        self._weights = {word: math.log(len(self._words) / count) for word, count in held.items()}
        self._lengths = {text: self._length(words) for text, words in self._words.items()}

    def words(self, text: str) -> Sequence[str]:
        """Return the words of one of the texts by which it is compared, in alphabetical order."""
        return self._words[text]

    def of(self, text: str, other: str) -> float:
        """Return 0..1, the cosine of two of the texts; 0 where one has no word that tells it from others."""
        if text == other:
            return 1.0
        lengths = self._lengths[text] * self._lengths[other]
        theirs = set(self._words[other])
        shared = sum(self._weights[word] ** 2 for word in self._words[text] if word in theirs)
        return shared / lengths if lengths else 0.0

    def grouped(self, texts: Sequence[str], least: float) -> dict[str, str]:
        """Return for each text the first of its group: the nearest one, if it is at least so like it.

        Args:
            texts: in the order in which they begin groups.
            least: 0..1.
        """
        firsts: list[str] = []
        nearest: dict[str, str] = {}
        for text in dict.fromkeys(texts):
            first = max(firsts, key=lambda other: self.of(other, text), default=text)
            if first == text or self.of(first, text) < least:
                firsts.append(text)
                first = text
            nearest[text] = first
        return nearest

    def novelty(self, text: str, counts: Mapping[str, int]) -> float:
        """Return 0..1, the share of a text's words that is new; one said n times is new by 1 / (1 + n).

        Args:
            text: one of the texts.
            counts: how often each word was said.
        """
        words = self._words[text]
        whole = sum(self._weights[word] for word in words)
        new = sum(self._weights[word] / (1 + counts.get(word, 0)) for word in words)
        return new / whole if whole else 0.0

    def _length(self, words: Sequence[str]) -> float:
        return math.sqrt(sum(self._weights[word] ** 2 for word in words))


@lru_cache(maxsize=4096)
def _words(text: str, *, has_names: bool) -> tuple[str, ...]:
    content_words = terms(text)
    names = terms(" ".join(missing_names(text, ""))) if has_names else frozenset[str]()
    telling = {word for word in content_words - names if not any(letter.isdigit() for letter in word)}
    return tuple(sorted(telling or content_words))
