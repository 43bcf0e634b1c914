"""Measures from a collection's own texts, without labels, how far its embedder can be trusted.

A sentence is taken out of each of a number of chunks, and must find the rest of its chunk among the rests of
all: the inverse cloze task of Lee, Chang and Toutanova (2019, Latent Retrieval for Weakly Supervised Open
Domain Question Answering). The mean reciprocal rank says how well it does; BM25 (Robertson and Zaragoza,
2009) is measured on the same pairs, because their difficulty differs from collection to collection. Whether a
fact finds its own chunk shows nothing: any embedder finds a copy, and a weak one does so more often
(docs/adr/0057).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hopline.models.census import EmbedderFigure
from workers.core.answers.lexical_rank import BM25_B, BM25_K1, counted_words, terms
from workers.core.language.sentence_ends import sentence_ends

PAIRS = 128  # at most: then a figure varies by some five hundredths from sample to sample
_SENTENCES = 3  # of a chunk at least: its first, which often names what the others speak of, is left out
_WORDS = 4  # different ones of a sentence at least

Scores = NDArray[np.float64]


class Pair(NamedTuple):
    """A sentence, and its chunk without that sentence and the first one."""

    sentence: str
    rest: str


def pairs_of(texts: Iterable[str], most: int = PAIRS) -> list[Pair]:
    """Return a pair for each text with enough sentences, up to `most` pairs."""
    return list(islice((pair for text in texts if (pair := _pair(text))), most))


def _pair(text: str) -> Pair | None:
    ends = list(sentence_ends(text))
    sentences = [text[begin:end].strip() for begin, end in zip([0, *ends], ends, strict=False)]
    if len(sentences) < _SENTENCES:
        return None
    place = 1 + (len(sentences) - 1) // 2
    sentence, rest = sentences[place], " ".join(sentences[1:place] + sentences[place + 1 :])
    return Pair(sentence, rest) if min(len(terms(sentence)), len(terms(rest))) >= _WORDS else None


def figure_of(pairs: Sequence[Pair], vectors: Sequence[Sequence[float]], chunks: int) -> EmbedderFigure:
    """Return the figure of an embedder, measured on a sample.

    Args:
        pairs: pairs from different chunks.
        vectors: vectors of all sentences, then of all rests; 2 · len(pairs) of the same dimension.
        chunks: number of chunks in the collection.
    """
    if not pairs:
        return EmbedderFigure(vectors=0.0, words=0.0, pairs=0, chunks=chunks)
    matrix = np.asarray(vectors, dtype=np.float64)
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    unit = np.divide(matrix, lengths, out=np.zeros_like(matrix), where=lengths > 0)
    return EmbedderFigure(
        vectors=reciprocal_rank(unit[: len(pairs)] @ unit[len(pairs) :].T),
        words=reciprocal_rank(_bm25(pairs)),
        pairs=len(pairs),
        chunks=chunks,
    )


def reciprocal_rank(scores: Scores) -> float:
    """Return the mean reciprocal rank, 0..1, of each row's own column, which ranks last among equals."""
    ranks = (scores >= np.diagonal(scores)[:, None]).sum(axis=1)
    return round(float((1 / ranks).mean()), 4)


def _bm25(pairs: Sequence[Pair]) -> Scores:
    """Return the score of each rest (columns) for each sentence (rows)."""
    rests = [counted_words(pair.rest) for pair in pairs]
    held = Counter(word for rest in rests for word in rest)
    totals = np.array([rest.total() for rest in rests])
    saturation = BM25_K1 * (1 - BM25_B + BM25_B * totals / max(1.0, totals.mean()))

    @cache
    def scores_of(word: str) -> Scores:
        often = np.array([rest[word] for rest in rests])
        idf = math.log(1 + (len(rests) - held[word] + 0.5) / (held[word] + 0.5))
        score: Scores = idf * often * (BM25_K1 + 1) / (often + saturation)
        return score

    scores = np.zeros((len(pairs), len(pairs)))
    for row, pair in enumerate(pairs):
        for word in sorted(counted_words(pair.sentence).keys() & held.keys()):
            scores[row] += scores_of(word)
    return scores
