"""Late fusion: scales several scores of the same chunks and adds them."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

from workers.search.models import Part

# What each part counts for, as measured on HotpotQA and MuSiQue (docs/quality.md). The question is compared
# whole and without its names: a second hop's passage speaks of what is asked, and of none of the names.
WEIGHTS: Mapping[Part, float] = {
    "walk": 2.5,
    "vector": 1.0,
    "vector_asked": 0.75,
    "words": 0.5,
    "words_asked": 0.25,
}
_BY_VECTORS: tuple[Part, ...] = ("vector", "vector_asked")
_DECADES = 4  # of mass below the most that still count: a walk thins out by orders of magnitude


def weighted(vectors: float) -> Mapping[Part, float]:
    """Return the weights with those of vectors multiplied by how far a collection's embedder is trusted.

    Args:
        vectors: from 0; 1 leaves the weights as they are (`EmbedderFigure.weight`).
    """
    return {part: weight * (vectors if part in _BY_VECTORS else 1.0) for part, weight in WEIGHTS.items()}


def damped(mass: Mapping[str, float]) -> dict[str, float]:
    """Return 0..1 per name by its mass's logarithm: 1 at the most, 0 from a ten-thousandth of it down."""
    most = max(mass.values(), default=0.0)
    if most <= 0:
        return {}
    least = most / 10**_DECADES
    told = {name: 1 + math.log10(share / most) / _DECADES for name, share in mass.items() if share > least}
    return {name: score for name, score in told.items() if score > 0}


def scaled(scores: Mapping[str, float], names: Collection[str]) -> dict[str, float]:
    """Return the scores of the names on 0..1, least to most; one without a score has the least."""
    known = [scores[name] for name in names if name in scores]
    least, most = min(known, default=0.0), max(known, default=0.0)
    if most <= least:
        return dict.fromkeys(names, 0.0)
    return {name: (scores.get(name, least) - least) / (most - least) for name in names}


def fused(
    parts: Mapping[Part, Mapping[str, float]],
    names: Collection[str],
    weights: Mapping[Part, float] = WEIGHTS,
) -> dict[str, float]:
    """Return each name's score 0..1 over all parts.

    Args:
        parts: raw scores of each part; the walk's are `damped`, words that did not match are 0.
        names: what is ranked; the result does not depend on their order.
        weights: what each part counts for.
    """
    told = dict.fromkeys(names, 0.0)
    for part, weight in weights.items():
        scores = parts.get(part)
        if not scores:
            continue
        brought = scores if part == "walk" else scaled(_from_nothing(part, scores, names), names)
        for name in told:
            told[name] += weight * brought.get(name, 0.0)
    whole = sum(weights.values())
    return {name: score / whole for name, score in told.items()}


def _from_nothing(part: Part, scores: Mapping[str, float], names: Collection[str]) -> Mapping[str, float]:
    """Return scores in which a chunk without any of the words has 0, not the least of those found."""
    if part in ("words", "words_asked"):
        return dict.fromkeys(names, 0.0) | dict(scores)
    return scores


def ranked(scores: Mapping[str, float], limit: int | None = None) -> list[str]:
    """Return the names, best first; equals by name, so that the order never depends on the input's."""
    return sorted(scores, key=lambda name: (-scores[name], name))[:limit]
