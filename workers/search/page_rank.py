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

import numpy as np
from numpy.typing import NDArray

from workers.core.graph.surroundings import FactLinks
from workers.search.walk import Mass, Region, Walked

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
    links = [region.links[name] for name in sorted(region.links)]
    elements = _places(one for link in links for one, _degree in link.elements)
    chunks = _places(one for link in links for one in link.chunks)
    at = np.zeros(len(elements))
    for name, weight in start.items():
        if name in elements:
            at[elements[name]] = weight / total
    said, onward = _edges(region, links, elements, chunks)
    element_mass, chunk_mass, fact_mass = at.copy(), np.zeros(len(chunks)), np.zeros(len(links))
    for _ in range(_ROUNDS):
        on_facts = _arriving(onward.fact, onward.out * at[onward.node], len(links))
        at = _arriving(onward.node, onward.back * on_facts[onward.fact], len(elements))
        chunk_mass += _arriving(said.node, said.back * on_facts[said.fact], len(chunks))
        element_mass += at
        fact_mass += on_facts
    facts = {link.fact: nth for nth, link in enumerate(links)}
    return Walked(_named(elements, element_mass), _named(facts, fact_mass), _named(chunks, chunk_mass))


def _places(names: Iterable[str]) -> dict[str, int]:
    return {name: nth for nth, name in enumerate(sorted(set(names)))}


def _arriving(places: NDArray[np.int64], mass: Column, size: int) -> Column:
    return np.bincount(places, mass, size).astype(np.float64) * (1 - RESTART)


@dataclass(frozen=True)
class _Edges:
    """Pairs of a fact and a node: the share of the node's mass that goes out to the fact, and back to it."""

    fact: NDArray[np.int64]
    node: NDArray[np.int64]
    out: Column
    back: Column


def _edges(
    region: Region, links: Sequence[FactLinks], elements: Mapping[str, int], chunks: Mapping[str, int]
) -> tuple[_Edges, _Edges]:
    """Return the edges to chunks, which the walk only enters, and those to elements."""
    fact = np.repeat(np.arange(len(links)), [len(link.elements) for link in links])
    node = np.array([elements[one] for link in links for one, _degree in link.elements], dtype=np.int64)
    degree = np.array([degree for link in links for _one, degree in link.elements], dtype=np.float64)
    expanded = np.array([one in region.expanded for link in links for one, _degree in link.elements])
    weight = _weights(region.facts, degree)
    plain = float(_weights(region.facts, np.array([_AS_A_CHUNK]))[0])
    total = np.bincount(fact, weight, len(links)) + plain
    onward = _Edges(fact, node, np.where(expanded, 1 / np.maximum(degree, 1), 0.0), weight / total[fact])
    places = np.array([len(link.chunks) for link in links])
    fact = np.repeat(np.arange(len(links)), places)
    node = np.array([chunks[one] for link in links for one in link.chunks], dtype=np.int64)
    said = _Edges(fact, node, np.zeros(len(fact)), plain / (total * places)[fact])
    return said, onward


def _weights(facts: int, degrees: Column) -> Column:
    idf = np.log(max(facts, 1) / np.maximum(degrees, 1))
    squared: Column = np.maximum(idf, _LEAST_IDF) ** 2
    return squared


def _named(places: Mapping[str, int], mass: Column) -> Mass:
    return {name: float(mass[nth]) for name, nth in places.items() if mass[nth] > 0}
