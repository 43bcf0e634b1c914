"""Facts by topic: each fact is in one topic per level; also the central elements of topics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hopline.models.topics import LEVELS
from workers.topics.projection import Floats, Ints, Projection
from workers.topics.shares import label_facts, naming_elements, shared_elements, stated_pairs

_DECIMALS = 9  # two sums of the same weights are equal, whatever the order of adding


@dataclass(frozen=True, eq=False)
class Level:
    """The topics of a level, numbered from 0."""

    topic_of: Ints  # of each fact
    parents: Ints  # of each topic: its number in the level above; its own at level 0
    ordered: Ints  # facts by topic, the one that it is called by first, then the most central
    ends: Ints  # where each topic begins in it, and the end
    documents: Ints  # that state facts of each topic
    elements: list[list[int]]  # of each topic, those that its documents share first

    def facts_of(self, topic: int) -> Ints:
        """Return the facts of a topic: the one that it is called by, then the most central first."""
        return self.ordered[self.ends[topic] : self.ends[topic + 1]]


def group_facts(projection: Projection, homes: Ints, *, elements: int) -> list[Level]:
    """Return the levels of topics, coarsest first.

    A fact is central if it resembles its topic, by the cosine between its elements and the topic's, weighted
    with the edges at each element within the topic. Ties are ordered by text. A topic is titled with the fact
    that contains most of what its documents share (shares.py).

    Args:
        projection: facts and elements.
        homes: the topic of each fact, [level, fact].
        elements: maximum number of elements per topic.
    """
    communities, stated = element_homes(projection, homes), stated_pairs(projection)
    levels: list[Level] = []
    above = np.zeros(len(projection.facts), np.int64)
    for level in range(LEVELS):
        names, topic_of = np.unique(homes[level], return_inverse=True)
        topic_of = topic_of.astype(np.int64)
        parents = np.zeros(len(names), np.int64)
        parents[topic_of] = above if level else topic_of
        documents = _documents(projection, topic_of, len(names))
        shares = shared_elements(projection, stated, topic_of, documents)
        strengths = _strengths(projection, communities[level])
        rank = _centrality(projection, communities[level], homes[level], strengths)
        called = label_facts(projection, shares, topic_of, rank)
        ordered = np.lexsort((np.arange(len(topic_of)), -rank, ~called, topic_of))
        own = communities[level][shares.elements] == names[shares.topics]
        levels.append(
            Level(
                topic_of=topic_of,
                parents=parents,
                ordered=ordered,
                ends=np.searchsorted(topic_of[ordered], np.arange(len(names) + 1)),
                documents=documents,
                elements=naming_elements(shares, own, strengths, len(names), elements),
            )
        )
        above = topic_of
    return levels


def home_facts(projection: Projection, communities: Ints, kept: Ints | None = None) -> Ints:
    """Return the topic of each fact, [level, fact], numbered by its first fact; one without facts is none.

    A fact belongs to the community with the largest weight of its elements, at each level among those within
    its parent, and in a tie to the one with the smaller number. A fact whose elements connect nothing goes
    where most facts of its documents are; all remaining ones form one topic.

    Args:
        projection: facts and elements.
        communities: communities of elements, [level, element].
        kept: topics in which facts stay, in the form of the result, each as the number of a community; -1 for
            a fact that may move.
    """
    homes = np.full((LEVELS, len(projection.facts)), -1, np.int64)
    facts, elements = _movable(projection, communities, kept)
    for level in range(LEVELS):
        chosen = _heaviest(facts, communities[level][elements], projection.weights[elements])
        homes[level, facts] = chosen
        stays = communities[level][elements] == chosen
        facts, elements = facts[stays], elements[stays]
    if kept is not None:
        homes = np.where((kept >= 0) & _mentions(projection), kept, homes)
    homeless = np.flatnonzero(homes[-1] < 0)
    if len(homeless):
        homes[:, homeless] = _of_documents(projection, homes, homeless)
    rest = homes.max(initial=-1) + 1
    return by_first_fact(np.where(homes < 0, rest, homes))


def _movable(projection: Projection, communities: Ints, kept: Ints | None) -> tuple[Ints, Ints]:
    """Return the pairs of fact and element that decide where facts that may move belong."""
    facts, elements = projection.pair_fact, projection.pair_element
    if kept is None:
        return facts, elements
    free = kept[0][facts] < 0
    facts, elements = facts[free], elements[free]
    apart = ~np.isin(communities[0][elements], kept[0])
    has_apart = np.isin(facts, facts[apart])
    stays = apart | ~has_apart
    return facts[stays], elements[stays]


def _mentions(projection: Projection) -> NDArray[np.bool_]:
    """Return which facts mention an element that joins."""
    mentions = np.zeros(len(projection.facts), np.bool_)
    mentions[projection.pair_fact] = True
    return mentions


def by_first_fact(homes: Ints) -> Ints:
    """Return homes of facts, [level, fact], each topic numbered by its first fact; -1 stays."""
    first_facts = np.full_like(homes, -1)
    for level, names in enumerate(homes):
        known = np.flatnonzero(names >= 0)
        _, first, at = np.unique(names[known], return_index=True, return_inverse=True)
        first_facts[level, known] = known[first][at]
    return first_facts


def element_homes(projection: Projection, homes: Ints) -> Ints:
    """Return the topic that most facts of each element are in, [level, element]; -1 for none.

    Args:
        projection: facts and elements.
        homes: the topic of each fact, [level, fact], numbered by its first fact; -1 for none.
    """
    size = max(1, len(projection.facts))
    housed = homes[-1][projection.pair_fact] >= 0
    named = projection.pair_element[housed] * size + homes[-1][projection.pair_fact[housed]]
    keys, counts = np.unique(named, return_counts=True)
    order = np.lexsort((keys, -counts, keys // size))
    known, first = np.unique(keys[order] // size, return_index=True)
    main_homes = np.full((LEVELS, len(projection.elements)), -1, np.int64)
    # A topic's number is a fact in it, so its parents are that fact's.
    main_homes[:, known] = homes[:, keys[order][first] % size]
    return main_homes


def _heaviest(facts: Ints, communities: Ints, weights: Floats) -> Ints:
    """Return for each pair the community that weighs most in its fact."""
    size = int(communities.max(initial=0)) + 1
    keys, at = np.unique(facts * size + communities, return_inverse=True)
    sums = np.round(np.bincount(at, weights=weights, minlength=len(keys)), _DECIMALS)
    order = np.lexsort((keys, -sums, keys // size))
    heads, first = np.unique(keys[order] // size, return_index=True)
    chosen: Ints = keys[order][first][np.searchsorted(heads, facts)] % size
    return chosen


def _of_documents(projection: Projection, homes: Ints, facts: Ints) -> Ints:
    """Return where most facts of the documents of some facts are, [level, fact]; -1 for nowhere."""
    housed = homes[-1][projection.said_fact] >= 0
    size = int(homes[-1].max(initial=0)) + 1
    keys, counts = np.unique(
        projection.said_document[housed] * size + homes[-1][projection.said_fact[housed]], return_counts=True
    )
    selection = np.isin(projection.said_fact, facts)
    said_fact, said_document = projection.said_fact[selection], projection.said_document[selection]
    # Each fact with all that its documents count.
    starts = np.searchsorted(keys, said_document * size)
    lengths = np.searchsorted(keys, (said_document + 1) * size) - starts
    every = np.repeat(starts - np.cumsum(lengths) + lengths, lengths) + np.arange(int(lengths.sum()))
    of_fact = np.repeat(said_fact, lengths)
    fact_homes = np.full((LEVELS, len(homes[0])), -1, np.int64)
    if len(every):
        finest = _heaviest(of_fact, keys[every] % size, counts[every].astype(np.float64))
        parent = np.full((LEVELS, size), -1, np.int64)
        known = homes[-1] >= 0
        parent[:, homes[-1][known]] = homes[:, known]
        fact_homes[:, of_fact] = parent[:, finest]
    return fact_homes[:, facts]


def _strengths(projection: Projection, community: Ints) -> Floats:
    """Return the weight of each element: its own, and that of its edges within its community."""
    low, high = projection.edge_low, projection.edge_high
    inside = community[low] == community[high]
    strengths = projection.weights.copy()
    for ends in (low[inside], high[inside]):
        strengths += np.bincount(ends, weights=projection.edge_weight[inside], minlength=len(strengths))
    return np.round(strengths, _DECIMALS)


def _centrality(projection: Projection, community: Ints, homes: Ints, strengths: Floats) -> Floats:
    """Return how central each fact is to its topic."""
    facts, elements = projection.pair_fact, projection.pair_element
    own = community[elements] == homes[facts]
    mentioned = np.bincount(facts, minlength=len(homes))
    added = np.bincount(facts[own], weights=strengths[elements[own]], minlength=len(homes))
    centrality: Floats = np.round(added / np.sqrt(np.maximum(1, mentioned)), _DECIMALS)
    return centrality


def _documents(projection: Projection, topic_of: Ints, topics: int) -> Ints:
    """Return how many documents state facts of each topic."""
    size = max(1, projection.documents)
    keys = np.unique(topic_of[projection.said_fact] * size + projection.said_document)
    return np.bincount(keys // size, minlength=topics)
