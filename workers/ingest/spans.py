"""Finds the sentence, or two adjacent ones, in a chunk that share most words with a fact."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from workers.core.language.text import is_unspaced, pieces, sentences

# Weights are whole numbers: sums of floats would depend on the order of a set and so on the process.
_WEIGHT = 10
_NUMBER_WEIGHT = 20  # a wrong year is a wrong fact
_SHORT_WEIGHT = 3  # in, of, und, le: they fit everywhere
_SHORT = 3  # characters
_PAIR_GAIN = 0.08  # a second sentence must carry this much more, or the shorter quote is the better one
_PLURAL_FROM = 4  # characters


class Match(NamedTuple):
    """A half-open range of a chunk's text, and the weighted share of a fact's words found in it."""

    start: int
    end: int
    score: float


class SentenceIndex:
    """The sentences of a chunk with their words, computed once for all facts."""

    def __init__(self, text: str) -> None:
        self._spans = list(sentences(text)) or [(0, len(text))]
        self._words = [significant_words(text[start:end]) for start, end in self._spans]

    @property
    def vocabulary(self) -> frozenset[str]:
        """All words of the chunk."""
        return frozenset().union(*self._words)

    def locate(self, fact: str) -> Match:
        """Return the best span of a fact; with score 0 where nothing fits.

        The score is the share of the fact's words that stand in the span, numbers counted double and short
        words little. Ties go to the earlier and the shorter span.
        """
        wanted = {word: _weight(word) for word in significant_words(fact)}
        total = sum(wanted.values())
        if not total:
            return Match(*self._spans[0], 0.0)
        hits = [wanted.keys() & found for found in self._words]
        single = max(range(len(hits)), key=lambda at: _share(hits[at], wanted))
        best = _share(hits[single], wanted)
        pair, together = single, best
        for at in range(len(hits) - 1):
            share = _share(hits[at] | hits[at + 1], wanted) if hits[at] and hits[at + 1] else 0
            if share > together:
                pair, together = at, share
        if together >= best + _PAIR_GAIN * total:
            return Match(self._spans[pair][0], self._spans[pair + 1][1], together / total)
        return Match(*self._spans[single], best / total)


def significant_words(text: str) -> frozenset[str]:
    """Return the words of a text as they are compared: without possessive and plural endings."""
    return frozenset(_forms(text))


def _forms(text: str) -> Iterator[str]:
    for word in pieces(text):
        bare = word.removesuffix("'s").removesuffix("’s")
        yield bare[:-1] if len(bare) >= _PLURAL_FROM and bare[-1] == "s" and bare[-2] != "s" else bare


def _weight(word: str) -> int:
    if any(character.isdigit() for character in word):
        return _NUMBER_WEIGHT
    return _SHORT_WEIGHT if len(word) <= _SHORT and not is_unspaced(word) else _WEIGHT


def _share(found: set[str] | frozenset[str], wanted: dict[str, int]) -> int:
    return sum(wanted[word] for word in found)
