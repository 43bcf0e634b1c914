"""Likeness of texts by their words, and the share of a text that is new."""

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
    """Compares texts by their words; rarer words count more.

    A word counts ln(texts / texts that contain it), its inverse document frequency (Sparck Jones, 1972), so a
    word in all texts counts nothing. Names, and words with digits, count only in a text without other words,
    because many texts say the same about different names.

    Args:
        texts: the texts to compare.
    """

    def __init__(self, texts: Collection[str]) -> None:
        has_names = language_of(" ".join(texts)) != _CAPITAL_NOUNS
        self._words = {text: _words(text, has_names=has_names) for text in texts}
        held = Counter(word for words in self._words.values() for word in words)
        self._weights = {word: math.log(len(self._words) / count) for word, count in held.items()}
        self._lengths = {text: self._length(words) for text, words in self._words.items()}

    def words(self, text: str) -> Sequence[str]:
        """Return the words by which a text is compared, in alphabetical order."""
        return self._words[text]

    def of(self, text: str, other: str) -> float:
        """Return 0..1, the cosine of two of the texts; 0 if one has no distinguishing word."""
        if text == other:
            return 1.0
        lengths = self._lengths[text] * self._lengths[other]
        theirs = set(self._words[other])
        shared = sum(self._weights[word] ** 2 for word in self._words[text] if word in theirs)
        return shared / lengths if lengths else 0.0

    def grouped(self, texts: Sequence[str], least: float) -> dict[str, str]:
        """Return the first text of each text's group: the nearest one, if it is similar enough.

        Args:
            texts: texts in the order in which they begin groups.
            least: smallest likeness within a group, 0..1.
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
        """Return 0..1, the share of new words in a text; a word said n times counts 1 / (1 + n).

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
