"""Packs relevant facts into groups, of each of which one call makes claims."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from workers.critic.survey.claims import RelevantFact


def packed_groups(
    by_topic: Mapping[tuple[str, ...], Sequence[RelevantFact]], most: int, largest: int
) -> list[list[RelevantFact]]:
    """Return all facts in groups; those of a topic stay together where one group has room for them.

    Args:
        by_topic: facts by the ids of the topics that they lie in, the coarsest first.
        most: groups.
        largest: facts of a group, provided that so many groups have room for all.
    """
    pieces = [
        by_topic[path][start : start + largest]
        for path in _ordered(by_topic)
        for start in range(0, len(by_topic[path]), largest)
    ]
    if len(pieces) <= most:
        return [list(piece) for piece in pieces]
    groups = _joined(pieces, most)
    if max(map(len, groups)) <= largest:
        return groups
    facts = [fact for piece in pieces for fact in piece]
    size = math.ceil(len(facts) / most)
    return [facts[start : start + size] for start in range(0, len(facts), size)]


def _ordered(by_topic: Mapping[tuple[str, ...], Sequence[RelevantFact]]) -> list[tuple[str, ...]]:
    """Return the topics with most help first, and those within one topic side by side."""
    helps: dict[tuple[str, ...], float] = {}
    for path, facts in by_topic.items():
        for length in range(1, len(path) + 1):
            helps[path[:length]] = helps.get(path[:length], 0.0) + sum(one.relevance for one in facts)
    return sorted(
        by_topic, key=lambda path: [(-helps[path[:n]], path[n - 1]) for n in range(1, len(path) + 1)]
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
