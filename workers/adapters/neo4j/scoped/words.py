"""BM25 (Robertson and Zaragoza, 2009) over the chunks of a scope: frequencies are counted within it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from workers.core.answers.lexical_rank import BM25_B, BM25_K1, counted_words


class WordIndex:
    """Which texts hold which words, how often.

    Args:
        texts: by position.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        found: dict[str, tuple[list[int], list[int]]] = {}
        lengths = np.zeros(len(texts))
        for position, text in enumerate(texts):
            counted = counted_words(text)
            lengths[position] = counted.total()
            for word, often in counted.items():
                positions, counts = found.setdefault(word, ([], []))
                positions.append(position)
                counts.append(often)
        self._lengths = lengths
        self._postings = {
            word: (np.array(positions, np.int64), np.array(counts, np.float64))
            for word, (positions, counts) in found.items()
        }

    def best(self, text: str, among: NDArray[np.bool_], limit: int) -> list[tuple[int, float]]:
        """Return (position, score > 0) of the texts that say some words of a text, best first.

        Args:
            text: what is looked for.
            among: by position, whether a text counts: for the result, and for how frequent words are.
            limit: results at most.
        """
        size = int(among.sum())
        if not size or limit < 1:
            return []
        mean = float(self._lengths[among].mean()) or 1.0
        scores = np.zeros(len(among))
        for word in sorted(counted_words(text)):
            positions, counts = self._postings.get(word, (np.zeros(0, np.int64), np.zeros(0)))
            here = among[positions]
            positions, counts = positions[here], counts[here]
            weight = np.log(1 + (size - len(positions) + 0.5) / (len(positions) + 0.5))
            lengths = 1 - BM25_B + BM25_B * self._lengths[positions] / mean
            scores[positions] += weight * counts * (BM25_K1 + 1) / (counts + BM25_K1 * lengths)
        order = np.argsort(-scores, kind="stable")[:limit]
        return [(int(position), float(scores[position])) for position in order if scores[position] > 0]
