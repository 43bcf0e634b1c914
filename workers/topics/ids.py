"""Ids of topics, carried over from the epoch before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count

import numpy as np

from workers.topics.projection import Ints

KEPT = 0.3  # Jaccard of the facts from which a topic is still the same one


def carry_ids(
    topic_of: Ints, topics: int, before: Sequence[tuple[str, Ints, int]], new_id: Callable[[int, int], str]
) -> list[str]:
    """Return an id for each topic of a level: that of the topic before which it shares most facts with.

    One to one, the largest Jaccard first, then the smaller id.

    Args:
        topic_of: the topic of each fact.
        topics: how many there are.
        before: of the same level: id, numbers of its facts that are there still, and how many it had.
        new_id: makes an id of a topic that was none before: its number, and how many such ids were taken.
    """
    ids: dict[int, str] = {}
    carried: set[str] = set()
    for _overlap, name, topic in sorted(_overlaps(topic_of, topics, before)):
        if topic not in ids and name not in carried:
            ids[topic] = name
            carried.add(name)
    taken = {name for name, _facts, _size in before}
    for topic in range(topics):
        if topic not in ids:
            fresh = (new_id(topic, nth) for nth in count())
            ids[topic] = next(name for name in fresh if name not in taken)
            taken.add(ids[topic])
    return [ids[topic] for topic in range(topics)]


def _overlaps(
    topic_of: Ints, topics: int, before: Sequence[tuple[str, Ints, int]]
) -> list[tuple[float, str, int]]:
    """Return minus the Jaccard of each pair with at least KEPT, the old one's id and the new one's number."""
    sizes = np.bincount(topic_of, minlength=topics)
    overlaps = []
    for name, facts, size in before:
        shared = np.unique(topic_of[facts], return_counts=True)
        for topic, common in zip(*(numbers.tolist() for numbers in shared), strict=True):
            overlap = common / (size + int(sizes[topic]) - common)
            if overlap >= KEPT:
                overlaps.append((-overlap, name, topic))
    return overlaps
