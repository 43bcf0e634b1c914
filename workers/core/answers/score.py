"""The formulas that rank facts."""

from __future__ import annotations


def decayed_score(score: float, depth: int, decay_rate: float) -> float:
    """Return `max(0, score * (1 - decay_rate * depth))`.

    Args:
        score: the critic's relevance, 0..1.
        depth: hops from a seed to the fact's node, 0 for a seed.
        decay_rate: share of the score lost per hop, 0..1.
    """
    return max(0.0, score * (1.0 - decay_rate * depth))
