"""Shared elements and facts of a topic's documents: the elements that name it, and its most common fact."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from workers.topics.projection import Floats, Ints, Projection

_DECIMALS = 9  # as of other sums of floats: equal, whatever the order of adding


class Stated(NamedTuple):
    """Each pair of fact and element, with each document that states the fact."""

    pairs: Ints  # numbers of pairs
    documents: Ints
    by_element: Ints  # how many documents mention each element


@dataclass(frozen=True, eq=False)
class Shares:
    """Share of a topic's documents that have each element that its facts mention."""

    topics: Ints
    elements: Ints
    # From 0, in one document of the topic only, to 1, in all of them and in no others.
    values: Floats
    of_pair: Ints  # which of these each pair of fact and element is


def stated_pairs(projection: Projection) -> Stated:
    """Return what documents mention."""
    order = np.argsort(projection.said_fact, kind="stable")
    facts = projection.said_fact[order]
    starts = np.searchsorted(facts, projection.pair_fact)
    lengths = np.searchsorted(facts, projection.pair_fact, side="right") - starts
    pairs = np.repeat(np.arange(len(lengths)), lengths)
    every = np.repeat(starts - np.cumsum(lengths) + lengths, lengths) + np.arange(len(pairs))
    documents = projection.said_document[order][every]
    by_element = _distinct(
        projection.pair_element[pairs], documents, len(projection.elements), projection.documents
    )
    return Stated(pairs, documents, by_element)


def shared_elements(projection: Projection, stated: Stated, topic_of: Ints, documents: Ints) -> Shares:
    """Return what each element of a topic is worth to it: p² / (p + q).

    p is the share of the topic's documents that mention it there, q that of all documents that mention it
    elsewhere and not there. What one document of the topic mentions is worth nothing: names and numbers that
    are there by chance.

    Args:
        projection: facts and elements.
        stated: the documents that state each fact.
        topic_of: the topic of each fact.
        documents: how many state facts of each topic.
    """
    size = max(1, len(projection.elements))
    keys, of_pair = np.unique(
        topic_of[projection.pair_fact] * size + projection.pair_element, return_inverse=True
    )
    topics, elements = keys // size, keys % size
    inside = _distinct(of_pair[stated.pairs], stated.documents, len(keys), projection.documents)
    shared = inside > 1
    within = inside[shared] / documents[topics[shared]]
    without = (stated.by_element[elements[shared]] - inside[shared]) / projection.documents
    values = np.zeros(len(keys))
    values[shared] = np.round(within * within / (within + without), _DECIMALS)
    return Shares(topics, elements, values, of_pair)


def naming_elements(
    shares: Shares, own: NDArray[np.bool_], strengths: Floats, topics: int, limit: int
) -> list[list[int]]:
    """Return the elements of each topic, those that its documents share first, then its strongest own ones.

    Args:
        shares: shares of elements in topics.
        own: which of these are of the topic's community.
        strengths: strengths of elements.
        topics: how many there are.
        limit: elements of a topic at most.
    """
    order = np.lexsort((shares.elements, -strengths[shares.elements], ~own, -shares.values, shares.topics))
    order = order[own[order] | (shares.values[order] > 0)]
    ends = np.searchsorted(shares.topics[order], np.arange(topics + 1))
    named = shares.elements[order]
    return [named[first : min(first + limit, last)].tolist() for first, last in pairwise(ends)]


def label_facts(projection: Projection, shares: Shares, topic_of: Ints, rank: Floats) -> NDArray[np.bool_]:
    """Return the fact of each topic with most of what its documents share and the fewest other words.

    Args:
        projection: facts and elements.
        shares: shares of elements in topics.
        topic_of: the topic of each fact.
        rank: how central each fact is, for ties.
    """
    facts = projection.pair_fact
    mentioned = np.bincount(facts, minlength=len(topic_of))
    scores = np.bincount(facts, weights=shares.values[shares.of_pair], minlength=len(topic_of))
    scores = np.round(scores / np.sqrt(np.maximum(1, mentioned)), _DECIMALS)
    order = np.lexsort((np.arange(len(topic_of)), -rank, -scores, topic_of))
    is_label = np.zeros(len(topic_of), np.bool_)
    is_label[order[np.unique(topic_of[order], return_index=True)[1]]] = True
    return is_label


def _distinct(names: Ints, documents: Ints, size: int, all_documents: int) -> Ints:
    """Return the number of distinct documents for each name."""
    width = max(1, all_documents)
    return np.bincount(np.unique(names * width + documents) // width, minlength=size)
