"""Packs relevant facts into groups, of each of which one call makes claims."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from workers.core.answers.likeness import Likeness
from workers.traverse.survey.claims import RelevantFact

# How like a fact is to the first of its group, which says the same, and to that of a wider one, which speaks
# of the same.
_SAYS, _SPEAKS = 0.6, 0.2


def alike(facts: Sequence[RelevantFact]) -> dict[tuple[str, ...], list[RelevantFact]]:
    """Return the facts by what they say, whatever topics they lie in: (the wider group, the narrower one)."""
    ordered = sorted(facts, key=lambda fact: (-fact.relevance, fact.text))
    texts = [fact.text for fact in ordered]
    likeness = Likeness(texts)
    says, speaks = likeness.grouped(texts, _SAYS), likeness.grouped(texts, _SPEAKS)
    groups: dict[tuple[str, ...], list[RelevantFact]] = {}
    for fact in ordered:
        first = says[fact.text]
        groups.setdefault((speaks[first], first), []).append(fact)
    return groups


def packed_groups(
    alike_facts: Mapping[tuple[str, ...], Sequence[RelevantFact]], most: int, largest: int
) -> list[list[RelevantFact]]:
    """Return all facts in groups; those that are alike stay together where one group has room for them.

    Args:
        alike_facts: by what they say, the widest group first.
        most: groups.
        largest: facts of a group, provided that so many groups have room for all.
    """
    pieces = [
        alike_facts[path][start : start + largest]
        for path in _ordered(alike_facts)
        for start in range(0, len(alike_facts[path]), largest)
    ]
    if len(pieces) <= most:
        return [list(piece) for piece in pieces]
    groups = _joined(pieces, most)
    if max(map(len, groups)) <= largest:
        return groups
    facts = [fact for piece in pieces for fact in piece]
    size = math.ceil(len(facts) / most)
    return [facts[start : start + size] for start in range(0, len(facts), size)]


def _ordered(alike_facts: Mapping[tuple[str, ...], Sequence[RelevantFact]]) -> list[tuple[str, ...]]:
    """Return the groups with most help first, and those within one side by side."""
    helps: dict[tuple[str, ...], float] = {}
    for path, facts in alike_facts.items():
        for length in range(1, len(path) + 1):
            helps[path[:length]] = helps.get(path[:length], 0.0) + sum(fact.relevance for fact in facts)
    return sorted(
        alike_facts, key=lambda path: [(-helps[path[:n]], path[n - 1]) for n in range(1, len(path) + 1)]
    )


def _joined(pieces: Sequence[Sequence[RelevantFact]], most: int) -> list[list[RelevantFact]]:
    """Return the pieces in at most so many groups of about the same size."""
    groups: list[list[RelevantFact]] = []
    left = sum(map(len, pieces))
    size = 0
    for piece in pieces:
        if not groups or len(groups[-1]) >= size:
            left -= len(groups[-1]) if groups else 0
            size = math.ceil(left / max(1, most - len(groups)))
            groups.append([])
        groups[-1].extend(piece)
    return groups
