"""The graph of key elements that topics are found in: elements joined by facts, as arrays."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from workers.core.graph.topics import TopicFact
from workers.core.language.text import normalise

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

# Elements of a fact that are looked at, the rarest first: one fact makes 66 edges at most.
ELEMENTS_OF_FACT = 12
# An element of fewer facts joins nothing; one of more than this share of all facts joins everything. A small
# collection has no such hubs.
LEAST_FACTS, MOST_SHARE, SMALL = 2, 0.05, 100


@dataclass(frozen=True, eq=False)
class Projection:
    """Facts and elements by number; both are numbered in an order that depends on their texts alone.

    So the same facts in another collection, where all ids differ, give the same topics.
    """

    facts: list[str]  # ids
    elements: list[str]  # ids; those that join facts
    pair_fact: Ints  # what a fact mentions: pairs of fact and element, by both
    pair_element: Ints
    weights: Floats  # of elements: 1 / ln(1 + facts that mention it)
    edge_low: Ints  # edges between two elements, by both numbers; the low one is less than the high one
    edge_high: Ints
    edge_weight: Floats  # facts that mention both, times the weight of either
    said_fact: Ints  # pairs of a fact and a document that states it
    said_document: Ints
    documents: int


class Columns:
    """Facts that come page by page, packed into arrays: some hundred bytes for each."""

    def __init__(self) -> None:
        self._facts: list[str] = []
        self._fact_keys = array("Q")
        self._elements: dict[str, int] = {}  # id → number as it came
        self._element_keys = array("Q")
        self._documents: dict[str, int] = {}
        self._pairs = array("q"), array("q")  # facts, elements
        self._said = array("q"), array("q")  # facts, documents

    def add(self, page: Iterable[TopicFact]) -> None:
        """Take some live facts, each once."""
        for fact in page:
            number = len(self._facts)
            self._facts.append(fact.id)
            self._fact_keys.append(_key(normalise(fact.text)))
            for name in dict.fromkeys(fact.documents):
                self._said[0].append(number)
                self._said[1].append(self._documents.setdefault(name, len(self._documents)))
            for element, called in dict(fact.elements).items():
                self._pairs[0].append(number)
                self._pairs[1].append(self._element(element, called))

    def _element(self, element: str, called: str) -> int:
        known = self._elements.get(element)
        if known is None:
            known = self._elements[element] = len(self._elements)
            self._element_keys.append(_key(called))
        return known

    def projection(self) -> Projection:
        """Return the graph of the added facts."""
        facts, fact_at = _ordered(self._facts, self._fact_keys)
        elements, element_at = _ordered(list(self._elements), self._element_keys)
        pair_fact, pair_element = fact_at[_ints(self._pairs[0])], element_at[_ints(self._pairs[1])]
        mentions = np.bincount(pair_element, minlength=len(elements))
        kept = _kept_pairs(pair_fact, pair_element, mentions, len(facts))
        pair_fact, pair_element = pair_fact[kept], pair_element[kept]
        joining, numbers = np.unique(pair_element, return_inverse=True)
        weights = 1 / np.log1p(mentions[joining])
        low, high, shared = _edges(pair_fact, numbers, len(joining))
        return Projection(
            facts=facts,
            elements=[elements[at] for at in joining.tolist()],
            pair_fact=pair_fact,
            pair_element=numbers,
            weights=weights,
            edge_low=low,
            edge_high=high,
            edge_weight=shared * weights[low] * weights[high],
            said_fact=fact_at[_ints(self._said[0])],
            said_document=_ints(self._said[1]),
            documents=len(self._documents),
        )


def project(pages: Iterable[Sequence[TopicFact]]) -> Projection:
    """Return the graph of some pages of live facts."""
    columns = Columns()
    for page in pages:
        columns.add(page)
    return columns.projection()


def _kept_pairs(facts: Ints, elements: Ints, mentions: Ints, count: int) -> Ints:
    """Return which pairs stay, by fact and element: of elements that join, the rarest of each fact."""
    most = max(SMALL, count * MOST_SHARE)
    joins = np.flatnonzero((mentions[elements] >= LEAST_FACTS) & (mentions[elements] <= most))
    by_rarity = joins[np.lexsort((elements[joins], mentions[elements[joins]], facts[joins]))]
    first = np.searchsorted(facts[by_rarity], facts[by_rarity])
    kept = by_rarity[np.arange(len(by_rarity)) - first < ELEMENTS_OF_FACT]
    return kept[np.lexsort((elements[kept], facts[kept]))]


def _edges(facts: Ints, elements: Ints, size: int) -> tuple[Ints, Ints, Ints]:
    """Return the pairs of elements that facts share, by both, and how many facts share each.

    Args:
        facts: facts of the pairs, ascending.
        elements: elements of the same pairs, ascending within a fact.
        size: how many elements there are.
    """
    keys = [np.zeros(0, np.int64)]
    for step in range(1, ELEMENTS_OF_FACT):
        same = np.flatnonzero(facts[step:] == facts[:-step])
        keys.append(elements[same] * size + elements[same + step])
    joined, shared = np.unique(np.concatenate(keys), return_counts=True)
    return joined // max(1, size), joined % max(1, size), shared


def _ordered(ids: list[str], keys: array[int]) -> tuple[list[str], Ints]:
    """Return ids in the order of their keys, and for each of the given ones its place there."""
    order = np.argsort(np.frombuffer(keys, dtype=np.uint64) if keys else np.zeros(0), kind="stable")
    places = np.empty(len(ids), np.int64)
    places[order] = np.arange(len(ids))
    return [ids[at] for at in order.tolist()], places


def _ints(numbers: array[int]) -> Ints:
    return np.array(numbers, dtype=np.int64)


def _key(text: str) -> int:
    """Return a text's sort key: a hash, so that no text is kept in memory."""
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big")
