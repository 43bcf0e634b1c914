"""Ranks claims by relevance and documents, and spreads them over topics."""

from __future__ import annotations

from collections.abc import Sequence

from workers.core.answers.lexical_rank import terms
from workers.critic.survey.claims import Claim

_WORTH = 0.6  # of a claim's rank, against what it repeats of those before it
_SAME_TOPIC = 0.5  # how alike claims of one topic are at least


def ranked_claims(claims: Sequence[Claim], limit: int) -> list[Claim]:
    """Return the best claims by maximal marginal relevance (Carbonell and Goldstein, 1998).

    A claim's worth is its relevance times the number of documents that state it, over the most of any; two
    are alike as they share words, and by half at least where they are of one topic.

    Args:
        claims: in any order; the result does not depend on it.
        limit: claims at most.
    """
    left = sorted(claims, key=lambda one: (-_worth(one), one.text))
    most = _worth(left[0]) if left else 1.0
    words = {one.text: terms(one.text) for one in left}
    nearest = dict.fromkeys(words, 0.0)  # to any of those chosen
    chosen: list[Claim] = []
    while left and len(chosen) < limit:
        best = max(
            left, key=lambda one: _WORTH * _worth(one) / (most or 1.0) - (1 - _WORTH) * nearest[one.text]
        )
        left.remove(best)
        chosen.append(best)
        for one in left:
            nearest[one.text] = max(nearest[one.text], _alike(one, best, words[one.text], words[best.text]))
    return chosen


def _worth(claim: Claim) -> float:
    return claim.relevance * claim.documents


def _alike(one: Claim, other: Claim, mine: frozenset[str], theirs: frozenset[str]) -> float:
    shared = len(mine & theirs) / len(mine | theirs) if mine | theirs else 1.0
    return max(shared, _SAME_TOPIC if one.topic == other.topic else 0.0)
