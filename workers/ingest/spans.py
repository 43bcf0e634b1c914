"""Finds the sentence, or two adjacent ones, in a chunk that share most words with a fact."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from workers.core.language.text import is_unspaced, pieces, sentences

# Weights are whole numbers: sums of floats would depend on the order of a set and so on the process.
_WEIGHT = 10
_NUMBER_WEIGHT = 20  # a wrong year is a wrong fact
_SHORT_WEIGHT = 3  # in, of, und, le: they fit everywhere
_TITLE_WEIGHT = 2  # what all of the text is about tells no sentence from another
_NAME_WEIGHT = 6  # a fact takes names from other sentences, where its own has a pronoun
_SHORT = 3  # characters
_NAME = re.compile(r"(?<![^\W_])[^\W_\dA-ZÀ-ÖØ-Þ]*+[\dA-ZÀ-ÖØ-Þ][^\W_]*(?:['’.-][^\W_]+)*")
_PAIR_GAIN = 0.08  # a second sentence must carry this much more, or the shorter quote is the better one
_PLURAL_FROM = 4  # characters
_WORDS_KEPT = 10_000
_TEXTS_KEPT = 256  # a fact's words are wanted more than once, one time after the other


class Match(NamedTuple):
    """A half-open range of a chunk's text, and the weighted share of a fact's words found in it."""

    start: int
    end: int
    score: float


class SentenceIndex:
    """The sentences of a chunk with their words, computed once for all facts."""

    def __init__(self, text: str, title: str = "") -> None:
        self._spans = list(sentences(text)) or [(0, len(text))]
        self._words = [significant_words(text[start:end]) for start, end in self._spans]
        self._title = significant_words(title)
        self._places: dict[str, list[int]] = {}  # word -> sentences that have it
        for at, some in enumerate(self._words):
            for word in some:
                self._places.setdefault(word, []).append(at)

    @property
    def vocabulary(self) -> frozenset[str]:
        """All words of the chunk."""
        return frozenset(self._places)

    def locate(self, fact: str) -> Match:
        """Return the best span of a fact, with score 0 if nothing fits.

        The score is the share of the fact's words that stand in the span, numbers counted double and short
        words little, or of those beside the title's. The sentence is chosen by what it says rather than by
        whom it names: a fact takes names from other sentences and the title, where its own has a pronoun. A
        neighbouring sentence is taken in where it has a name or number that neither the chosen one nor the
        title has. Ties go to the earlier and the shorter span.
        """
        words = significant_words(fact)
        plain = {word: _weight(word) for word in words}
        if not words:
            return Match(*self._spans[0], 0.0)
        names = significant_words(" ".join(_NAME.findall(fact)))
        telling = {word: self._telling(word, names) for word in words}
        best = self._best(telling)
        # In the chosen sentence and its neighbours.
        hits = {
            at: words & self._words[at] for at in (best - 1, best, best + 1) if 0 <= at < len(self._words)
        }
        # Scripts without spaces have no capitals: any of their words may be of a name.
        naming = names.union(filter(is_unspaced, words))
        beside = self._beside(best, hits, naming - hits[best] - self._title, telling)
        first, last = sorted((best, beside))
        shared_words = hits[best] | hits[beside]
        # Words of the title may be missing from the sentence, but other words must match.
        score = max(
            _share(shared_words & part, plain) / _share(part, plain)
            for part in (words, words - self._title)
            if part
        )
        return Match(self._spans[first][0], self._spans[last][1], score)

    def _best(self, telling: dict[str, int]) -> int:
        """Return the first sentence with most of a fact's words, weighted by how distinctive they are."""
        shares = [0] * len(self._words)
        for word, weight in telling.items():
            for at in self._places.get(word, ()):
                shares[at] += weight
        return shares.index(max(shares))

    def _beside(
        self, best: int, hits: dict[int, frozenset[str]], lacking: frozenset[str], telling: dict[str, int]
    ) -> int:
        """Return the sentence beside the best one that has names which it lacks, else the best one."""
        around = [at for at in (best - 1, best + 1) if at in hits and hits[at] & lacking]
        beside = max(around, key=lambda at: _share(hits[at] - hits[best], telling), default=best)
        enough = _share(hits[beside] - hits[best], telling) >= _PAIR_GAIN * sum(telling.values())
        return beside if enough else best

    def _telling(self, word: str, names: frozenset[str]) -> int:
        """Return how well a word distinguishes sentences."""
        if word in self._title:
            return _TITLE_WEIGHT
        return min(_weight(word), _NAME_WEIGHT) if word in names and word.isalpha() else _weight(word)


@lru_cache(maxsize=_TEXTS_KEPT)
def significant_words(text: str) -> frozenset[str]:
    """Return the words of a text as they are compared: without possessive and plural endings."""
    return frozenset(_forms(text))


def _forms(text: str) -> Iterator[str]:
    for word in pieces(text):
        yield _form(word) if word[-1] == "s" else word


def _form(word: str) -> str:
    bare = word.removesuffix("'s").removesuffix("’s")
    if len(bare) > _PLURAL_FROM and bare.endswith("ies"):
        return f"{bare[:-3]}y"
    return bare[:-1] if len(bare) >= _PLURAL_FROM and bare[-1] == "s" and bare[-2] != "s" else bare


@lru_cache(maxsize=_WORDS_KEPT)
def _weight(word: str) -> int:
    if any(character.isdigit() for character in word):
        return _NUMBER_WEIGHT
    return _SHORT_WEIGHT if len(word) <= _SHORT and not is_unspaced(word) else _WEIGHT


def _share(words: set[str] | frozenset[str], wanted: dict[str, int]) -> int:
    return sum(map(wanted.__getitem__, words))
