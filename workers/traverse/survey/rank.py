"""Merges claims that say the same, ranks them by relevance and documents, and spreads them over topics."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from workers.core.answers.check import missing_names
from workers.core.answers.check_numbers import missing_numbers
from workers.core.answers.lexical_rank import terms
from workers.core.answers.likeness import Likeness
from workers.traverse.survey.claims import Claim

# Of a claim's rank, against what it repeats of those before it: with more, a writer of few sentences says the
# large themes several times and leaves the small ones out.
_WORTH = 0.4
_SAME = 0.8  # share of words from which two claims say the same
_DENIAL = re.compile(
    r"\b(?:no|not|nor|never|none|neither|cannot|without|keine?[mnrs]?|nicht|nie|ohne)\b|n['’]t\b|[不没沒无無未]",
    re.IGNORECASE,
)


def merged(claims: Sequence[Claim], stated: Mapping[str, set[str]]) -> list[Claim]:
    """Return the claims, those that say the same as one: with the facts of all, and their documents.

    Two say the same that share nearly all words, and of which neither has a number, a name or a denial that
    the other lacks. The claim that is stated most gives the text.

    Args:
        claims: in any order; the result does not depend on it.
        stated: ids of documents by fact.
    """
    kept: list[list[Claim]] = []
    for claim in sorted(claims, key=lambda claim: (-_worth(claim), claim.text, claim.facts)):
        same = next((group for group in kept if _say_the_same(group[0].text, claim.text)), None)
        if same is None:
            kept.append([claim])
        else:
            same.append(claim)
    return [_joined(group, stated) for group in kept]


def _say_the_same(text: str, other: str) -> bool:
    if text.casefold() == other.casefold():
        return True
    if _shared(terms(text), terms(other)) < _SAME or _denials(text) != _denials(other):
        return False
    differ = (
        *missing_numbers(text, other),
        *missing_numbers(other, text),
        *missing_names(text, other),
        *missing_names(other, text),
    )
    return not differ


def _denials(text: str) -> list[str]:
    return sorted(_DENIAL.findall(text.casefold()))


def _joined(group: Sequence[Claim], stated: Mapping[str, set[str]]) -> Claim:
    if len(group) == 1:
        return group[0]
    facts = tuple(dict.fromkeys(fact for claim in group for fact in claim.facts))
    documents = set[str]().union(*(stated.get(fact, set()) for fact in facts))
    best = max(group, key=lambda claim: claim.relevance)
    return group[0].model_copy(
        update={
            "facts": facts,
            "documents": max(1, len(documents)),
            "relevance": best.relevance,
            "topic": best.topic,
        }
    )


def ranked_claims(claims: Sequence[Claim], limit: int) -> list[Claim]:
    """Return the best claims by maximal marginal relevance (Carbonell and Goldstein, 1998).

    A claim's worth is its relevance times the number of documents that state it, over the most of any; two
    are alike as their words are.

    Args:
        claims: in any order; the result does not depend on it.
        limit: claims at most.
    """
    left = sorted(claims, key=lambda claim: (-_worth(claim), claim.text))
    most = _worth(left[0]) if left else 1.0
    likeness = Likeness([claim.text for claim in left])
    nearest = dict.fromkeys((claim.text for claim in left), 0.0)  # to any of those chosen
    chosen: list[Claim] = []
    while left and len(chosen) < limit:
        best = max(
            left,
            key=lambda claim: _WORTH * _worth(claim) / (most or 1.0) - (1 - _WORTH) * nearest[claim.text],
        )
        left.remove(best)
        chosen.append(best)
        for claim in left:
            nearest[claim.text] = max(nearest[claim.text], likeness.of(claim.text, best.text))
    return chosen


def _worth(claim: Claim) -> float:
    return claim.relevance * claim.documents


def _shared(mine: frozenset[str], theirs: frozenset[str]) -> float:
    return len(mine & theirs) / len(mine | theirs) if mine | theirs else 1.0
