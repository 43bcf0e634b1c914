"""Personalised PageRank over the part of a graph around a question's key elements.

The walk goes from elements to the facts that hold them and on to these facts' other elements and chunks. A
step to an element is taken in proportion to its squared idf, so that a rare name leads on and a frequent word
does not; every step goes back to the start with the probability `RESTART`. The mass that has passed a node in
eight steps is its rank (Haveliwala, 2002; weights and steps as measured on HotpotQA and MuSiQue,
docs/quality.md). Only the nodes with most mass are expanded, as in the local push of Andersen, Chung and Lang
(2006): some 300 facts give the same first five passages as the whole graph does.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from workers.search.walk import Joined, Mass, Region, Walked

RESTART = 0.3
_ROUNDS = 4  # from elements to facts and on: eight steps
_LEAST_IDF = 0.05
_AS_A_CHUNK = 4.0  # a chunk weighs as an element of so many facts

Column = NDArray[np.float64]


def walk(region: Region, start: Mapping[str, float]) -> Walked:
    """Walk from some elements over the region.

    Args:
        region: what was fetched.
        start: element → weight, any positive numbers.
    """
    total = math.fsum(start.values())  # whatever their order
    if not total or not region.links:
        return Walked({}, {}, {})
    facts = sorted(region.links)
    said, onward = _edges(region, [region.links[name] for name in facts])
    at = np.zeros(len(region.elements))
    joined = np.bincount(onward.node, minlength=len(at)) > 0
    for name, weight in start.items():
        if (number := region.elements.get(name, -1)) >= 0 and joined[number]:
            at[number] = weight / total
    element_mass, chunk_mass, fact_mass = at.copy(), np.zeros(len(region.chunks)), np.zeros(len(facts))
    for _ in range(_ROUNDS):
        on_facts = _arriving(onward.fact, onward.out * at[onward.node], len(facts))
        at = _arriving(onward.node, onward.back * on_facts[onward.fact], len(at))
        chunk_mass += _arriving(said.node, said.back * on_facts[said.fact], len(chunk_mass))
        element_mass += at
        fact_mass += on_facts
    return Walked(
        _named(region.elements, element_mass), _named(facts, fact_mass), _named(region.chunks, chunk_mass)
    )


def _arriving(places: NDArray[np.int64], mass: Column, size: int) -> Column:
    return np.bincount(places, mass, size).astype(np.float64) * (1 - RESTART)


@dataclass(frozen=True)
class _Edges:
    """Pairs of a fact and a node: the share of the node's mass that goes out to the fact, and back to it."""

    fact: NDArray[np.int64]
    node: NDArray[np.int64]
    out: Column
    back: Column


def _edges(region: Region, links: Sequence[Joined]) -> tuple[_Edges, _Edges]:
    """Return the edges to chunks, which the walk only enters, and those to elements."""
    fact, node = _flat([link.elements for link in links])
    degree = _flat([link.degrees for link in links])[1].astype(np.float64)
    expanded = np.zeros(len(region.elements), dtype=bool)
    expanded[[region.elements[name] for name in region.expanded if name in region.elements]] = True
    weight = _weights(region.facts, degree)
    plain = float(_weights(region.facts, np.array([_AS_A_CHUNK]))[0])
    total = np.bincount(fact, weight, len(links)) + plain
    out = np.where(expanded[node], 1 / np.maximum(degree, 1), 0.0)
    onward = _Edges(fact, node, out, weight / total[fact])
    fact, node = _flat([link.chunks for link in links])
    places = np.array([len(link.chunks) for link in links])
    said = _Edges(fact, node, np.zeros(len(fact)), plain / (total * places)[fact])
    return said, onward


def _flat(lists: Sequence[Sequence[int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for each item of the lists, one after another, its list's place, and the item."""
    place = np.repeat(np.arange(len(lists)), [len(one) for one in lists])
    return place, np.fromiter(chain.from_iterable(lists), np.int64, len(place))


def _weights(facts: int, degrees: Column) -> Column:
    idf = np.log(max(facts, 1) / np.maximum(degrees, 1))
    squared: Column = np.maximum(idf, _LEAST_IDF) ** 2
    return squared


def _named(names: Iterable[str], mass: Column) -> Mass:
    return {name: share for name, share in zip(names, mass.tolist(), strict=True) if share > 0}
