"""Late fusion: scales several scores of the same chunks and adds them."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from heapq import nlargest

from hopline.models.search import Part

# What each part counts for, as measured on HotpotQA and MuSiQue (docs/adr/0014). The question is compared
# whole and without its names: a second hop's passage speaks of what is asked, and of none of the names.
WEIGHTS: Mapping[Part, float] = {
    "walk": 2.5,
    "vector": 1.0,
    "vector_asked": 0.75,
    "words": 0.5,
    "words_asked": 0.25,
    "titled": 1.25,
}
_AS_THEY_ARE: tuple[Part, ...] = ("walk", "titled")  # on 0..1 from nothing to the most there can be
_BY_VECTORS: tuple[Part, ...] = ("vector", "vector_asked")
_BY_WORDS: tuple[Part, ...] = ("words", "words_asked")
_DECADES = 4  # of mass below the most that still count: a walk thins out by orders of magnitude


def weighted(vectors: float) -> Mapping[Part, float]:
    """Return the weights, those of vectors multiplied by how far a collection's embedder is trusted.

    Args:
        vectors: factor from 0; 1 leaves the weights as they are (`EmbedderFigure.weight`).
    """
    return {part: weight * (vectors if part in _BY_VECTORS else 1.0) for part, weight in WEIGHTS.items()}


def damped(mass: Mapping[str, float], names: Iterable[str] | None = None) -> dict[str, float]:
    """Return a score 0..1 per name by the log of its mass: 1 for the maximum, 0 at a ten-thousandth of it.

    Args:
        mass: mass of everything that is compared.
        names: names to return; default all.
    """
    most = max(mass.values(), default=0.0)
    if most <= 0:
        return {}
    least = most / 10**_DECADES
    wanted = mass if names is None else [name for name in names if name in mass]
    scores = {
        name: 1 + math.log10(share / most) / _DECADES for name in wanted if (share := mass[name]) > least
    }
    return {name: score for name, score in scores.items() if score > 0}


def fused(
    parts: Mapping[Part, Mapping[str, float]],
    names: Collection[str],
    weights: Mapping[Part, float] = WEIGHTS,
) -> dict[str, float]:
    """Return each name's score 0..1 over all parts.

    Args:
        parts: raw scores of each part; those of the walk are `damped`, words that did not match are 0.
        names: names to rank; the result does not depend on their order.
        weights: weight of each part.
    """
    order = list(names)
    sums = [0.0] * len(order)
    for part, weight in weights.items():
        if scores := parts.get(part):
            column = _column(part, scores, order)
            sums = [total + weight * score for total, score in zip(sums, column, strict=True)]
    whole = sum(weights.values())
    return {name: total / whole for name, total in zip(order, sums, strict=True)}


def _column(part: Part, scores: Mapping[str, float], names: Sequence[str]) -> list[float]:
    if part in _AS_THEY_ARE:
        return [scores.get(name, 0.0) for name in names]
    # A chunk without any of the words has 0, not the least of those found.
    return scaled(scores, names, 0.0 if part in _BY_WORDS else None)


def scaled(scores: Mapping[str, float], names: Sequence[str], missing: float | None = None) -> list[float]:
    """Return each name's score scaled to 0..1, from the lowest to the highest among these names.

    Args:
        scores: scores of these names, possibly not all, and of others.
        names: names to return.
        missing: score of a name without one; None for the lowest.
    """
    if missing is None:
        missing = min((scores[name] for name in names if name in scores), default=0.0)
    values = [scores.get(name, missing) for name in names]
    least, most = min(values, default=0.0), max(values, default=0.0)
    if most <= least:
        return [0.0] * len(values)
    width = most - least
    return [(value - least) / width for value in values]


def raised(
    scores: Mapping[str, float], part: Part, shares: Mapping[str, float], whole: float
) -> dict[str, float]:
    """Return fused scores with a further part added that depends on them.

    Args:
        scores: fused scores of all other parts.
        part: the part to add.
        shares: its scores, 0..1.
        whole: sum of the weights used in the fusion, including this part's.
    """
    return dict(scores) | {
        name: scores[name] + share * WEIGHTS[part] / whole for name, share in shares.items()
    }


def ranked(scores: Mapping[str, float], limit: int | None = None) -> list[str]:
    """Return the names, best first; equals are sorted by name, so that the input's order does not matter."""
    names: Iterable[str] = scores
    if limit is not None and 0 < limit < len(scores):
        least = nlargest(limit, scores.values())[-1]  # names take longer to sort than numbers
        names = [name for name, score in scores.items() if score >= least]
    order = sorted(names)
    order.sort(key=scores.__getitem__, reverse=True)  # which leaves equals as they are
    return order[:limit]
