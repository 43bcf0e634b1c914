"""BM25 (Robertson and Zaragoza, 2009) over the chunks of a scope, with frequencies within it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from workers.core.answers.lexical_rank import BM25_B, BM25_K1, counted_words
from workers.core.language.index_words import bare

_Small = NDArray[np.int32]


class CountedWords(NamedTuple):
    """Word counts of a document's texts, with an entry for each word of each text."""

    words: _Small  # numbers of a vocabulary
    texts: _Small  # positions within the document
    counts: _Small
    lengths: _Small  # in words, of each text


class Vocabulary:
    """Numbers of words in order of appearance, which do not reveal where a word comes from."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def counted(self, texts: Sequence[str]) -> CountedWords:
        """Count the words of a document's texts."""
        counted = [_counted(text) for text in texts]
        numbers = self._numbers
        words = [numbers.setdefault(word, len(numbers)) for counter in counted for word in counter]
        return CountedWords(
            words=np.array(words, np.int32),
            texts=np.repeat(np.arange(len(texts), dtype=np.int32), [len(counter) for counter in counted]),
            counts=np.array([often for counter in counted for often in counter.values()], np.int32),
            lengths=np.array([counter.total() for counter in counted], np.int32),
        )

    def number(self, word: str) -> int:
        """Return a word's number; -1 if no text contains it."""
        return self._numbers.get(word, -1)


class WordIndex:
    """An index of words: the texts that contain each, and how often.

    Args:
        documents: word counts of each document; texts are numbered across all of them in this order.
        vocabulary: vocabulary of the counts.
    """

    def __init__(self, documents: Sequence[CountedWords], vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._lengths = _joined([document.lengths for document in documents])
        starts = np.cumsum([0, *(len(document.lengths) for document in documents)])[:-1]
        texts = _joined([document.texts for document in documents])
        texts += np.repeat(starts, [len(document.texts) for document in documents]).astype(np.int32)
        words = _joined([document.words for document in documents])
        order = np.argsort(words, kind="stable")
        self._words = words[order]
        self._texts = texts[order]
        self._counts = _joined([document.counts for document in documents])[order]

    def best(self, text: str, limit: int) -> list[tuple[int, float]]:
        """Return (position, score > 0) of the texts with some words of a text, best first.

        Args:
            text: the text to search for.
            limit: maximum number of results.
        """
        size = len(self._lengths)
        if not size or limit < 1:
            return []
        mean = float(self._lengths.mean()) or 1.0
        scores = np.zeros(size)
        for word in sorted(counted_words(text)):
            number = self._vocabulary.number(word)
            # In 32 bits: for whole numbers of Python NumPy would copy all words to 64.
            first, last = np.searchsorted(self._words, np.array([number, number + 1], np.int32))
            positions, counts = self._texts[first:last], self._counts[first:last]
            weight = np.log(1 + (size - len(positions) + 0.5) / (len(positions) + 0.5))
            lengths = 1 - BM25_B + BM25_B * self._lengths[positions] / mean
            scores[positions] += weight * counts * (BM25_K1 + 1) / (counts + BM25_K1 * lengths)
        hits = np.flatnonzero(scores)
        if len(hits) > limit:  # only those are sorted that may be among the best
            least = np.partition(scores[hits], len(hits) - limit)[len(hits) - limit]
            hits = hits[scores[hits] >= least]
        best = hits[np.argsort(-scores[hits], kind="stable")[:limit]]
        return [(int(position), float(scores[position])) for position in best]


def _counted(text: str) -> Counter[str]:
    counts = Counter[str]()
    for word, often in counted_words(text).items():
        counts[bare(word)] += often
    return counts


def _joined(parts: Sequence[_Small]) -> _Small:
    return np.concatenate([np.zeros(0, np.int32), *parts])
