"""Personalised PageRank over the part of a graph around a question's key elements.

The walk goes from elements to their facts and on to these facts' other elements and chunks. A step to an
element is weighted by its squared idf, so that a rare name is followed and a frequent word is not; every step
returns to the start with the probability `RESTART`. The mass that has passed a node in eight steps is its
rank (Haveliwala, 2002; weights and steps as measured on HotpotQA and MuSiQue, docs/adr/0014). Only the nodes
with the most mass are expanded, as in the local push of Andersen, Chung and Lang (2006): about 300 facts give
the same first five passages as the whole graph.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workers.search.walk import Mass, Numbers, Region, Walked

RESTART = 0.3
_ROUNDS = 4  # from elements to facts and on: eight steps
_LEAST_IDF = 0.05
_AS_A_CHUNK = 4.0  # a chunk weighs as an element of so many facts

Column = NDArray[np.float64]


def walk(region: Region, start: Mapping[str, float]) -> Walked:
    """Walk from start elements over the region.

    Args:
        region: the part of the graph that was fetched.
        start: element → weight, any positive numbers.
    """
    total = math.fsum(start.values())  # whatever their order
    if not total or not region.rows:
        return Walked({}, {}, {})
    facts = sorted(region.rows)
    chunk_edges, onward = _edges(region, np.array([region.rows[name] for name in facts]))
    at = np.zeros(len(region.elements.of))
    joined = np.bincount(onward.node, minlength=len(at)) > 0
    for name, weight in start.items():
        if (number := region.elements.of.get(name, -1)) >= 0 and joined[number]:
            at[number] = weight / total
    element_mass, chunk_mass, fact_mass = at.copy(), np.zeros(len(region.chunks.of)), np.zeros(len(facts))
    for _ in range(_ROUNDS):
        on_facts = _arriving(onward.fact, onward.out * at[onward.node], len(facts))
        at = _arriving(onward.node, onward.back * on_facts[onward.fact], len(at))
        chunk_mass += _arriving(
            chunk_edges.node, chunk_edges.back * on_facts[chunk_edges.fact], len(chunk_mass)
        )
        element_mass += at
        fact_mass += on_facts
    return Walked(
        elements=_named(region.elements.of, element_mass),
        facts=_named(facts, fact_mass),
        chunks=_named(region.chunks.of, chunk_mass),
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


def _edges(region: Region, rows: NDArray[np.int64]) -> tuple[_Edges, _Edges]:
    """Return the edges to chunks, which the walk only enters, and those to elements."""
    fact, places, node = _lists(region.elements, rows)
    degree = np.array(region.listed_degrees, dtype=np.float64)[places]
    numbers = region.elements.of
    expanded = np.zeros(len(numbers), dtype=bool)
    expanded[[numbers[name] for name in region.expanded if name in numbers]] = True
    weight = _weights(region.facts, degree)
    plain = float(_weights(region.facts, np.array([_AS_A_CHUNK]))[0])
    total = np.bincount(fact, weight, len(rows)) + plain
    out = np.where(expanded[node], 1 / np.maximum(degree, 1), 0.0)
    onward = _Edges(fact, node, out, weight / total[fact])
    fact, _places, node = _lists(region.chunks, rows)
    held_by = np.bincount(fact, minlength=len(rows)).astype(np.float64)
    chunk_edges = _Edges(fact, node, np.zeros(len(fact)), plain / (total * held_by)[fact])
    return chunk_edges, onward


def _lists(
    numbers: Numbers, rows: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return three arrays over all items of the rows' lists, in order: row, place in the list, item."""
    counts = np.array(numbers.counts, dtype=np.int64)
    starts, counts = (np.cumsum(counts) - counts)[rows], counts[rows]
    row = np.repeat(np.arange(len(rows)), counts)
    places = np.repeat(starts - np.cumsum(counts) + counts, counts) + np.arange(len(row))
    return row, places, np.array(numbers.listed, dtype=np.int64)[places]


def _weights(facts: int, degrees: Column) -> Column:
    idf = np.log(max(facts, 1) / np.maximum(degrees, 1))
    squared: Column = np.maximum(idf, _LEAST_IDF) ** 2
    return squared


def _named(names: Iterable[str], mass: Column) -> Mass:
    return {name: share for name, share in zip(names, mass.tolist(), strict=True) if share > 0}
