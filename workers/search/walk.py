"""Personalised PageRank over the part of a graph around a question's key elements. Pure.

The walk goes from elements to the facts that hold them and on to these facts' other elements and chunks. A
step to an element is taken in proportion to its squared idf, so that a rare name leads on and a frequent word
does not; every step goes back to the start with the probability `RESTART`. The mass that has passed a node in
eight steps is its rank (Haveliwala, 2002; weights and steps as measured on HotpotQA and MuSiQue,
docs/quality.md). Only the nodes with most mass are expanded, as in the local push of Andersen, Chung and Lang
(2006): some 300 facts give the same first five passages as the whole graph does.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from workers.core.around import FactLinks

RESTART = 0.3
_ROUNDS = 4  # from elements to facts and on: eight steps
_LEAST_IDF = 0.05

Mass = dict[str, float]
Column = NDArray[np.float64]


@dataclass
class Region:
    """The facts fetched so far, and which elements' facts are all among them.

    Args:
        facts: in the collection, for the idf of elements.
    """

    facts: int
    links: dict[str, FactLinks] = field(default_factory=dict)
    degrees: dict[str, int] = field(default_factory=dict)
    expanded: set[str] = field(default_factory=set)

    def add(self, elements: Iterable[str], links: Iterable[FactLinks]) -> None:
        """Take in the facts of some elements."""
        self.expanded.update(elements)
        for link in links:
            self.links[link.fact] = link
            self.degrees.update(link.elements)

    def worth_expanding(self, mass: Mapping[str, float], room: int, hub: int) -> list[str]:
        """Return the elements with most mass whose facts, together at most `room`, are to be fetched.

        Elements of more than `hub` facts are left as they are: what joins everything leads nowhere.
        """
        fresh = [
            (-share, name)
            for name, share in mass.items()
            if name not in self.expanded and share > 0 and self.degrees.get(name, 0) <= hub
        ]
        chosen: list[str] = []
        for _share, name in sorted(fresh):
            room -= self.degrees[name]
            if room < 0:
                break
            chosen.append(name)
        return chosen


@dataclass(frozen=True)
class Walked:
    """The mass that has passed each node; comparable within one walk."""

    elements: Mass
    facts: Mass
    chunks: Mass


def walk(region: Region, start: Mapping[str, float]) -> Walked:
    """Walk from some elements over the region.

    Args:
        region: what was fetched.
        start: element → weight, any positive numbers.
    """
    total = math.fsum(start.values())
    if not total or not region.links:
        return Walked({}, {}, {})
    facts = {name: nth for nth, name in enumerate(sorted(region.links))}
    elements = {name: nth for nth, name in enumerate(sorted(region.degrees.keys() | start.keys()))}
    held = {chunk for link in region.links.values() for chunk in link.chunks}
    chunks = {name: nth for nth, name in enumerate(sorted(held))}
    said, onward = _edges(region, facts, elements, chunks)
    at: Column = np.zeros(len(elements))
    at[[elements[name] for name in start]] = [weight / total for weight in start.values()]
    element_mass, chunk_mass, fact_mass = at.copy(), np.zeros(len(chunks)), np.zeros(len(facts))
    for _ in range(_ROUNDS):
        on_facts = _arriving(onward.fact, onward.out * at[onward.node], len(facts))
        at = _arriving(onward.node, onward.back * on_facts[onward.fact], len(elements))
        chunk_mass += _arriving(said.node, said.back * on_facts[said.fact], len(chunks))
        element_mass += at
        fact_mass += on_facts
    return Walked(_named(elements, element_mass), _named(facts, fact_mass), _named(chunks, chunk_mass))


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
    region: Region, facts: Mapping[str, int], elements: Mapping[str, int], chunks: Mapping[str, int]
) -> tuple[_Edges, _Edges]:
    """Return the edges to chunks, which the walk only enters, and those to elements."""
    of_chunks: list[tuple[int, int, float, float]] = []
    of_elements: list[tuple[int, int, float, float]] = []
    plain = _weight(region.facts, 4)  # a chunk weighs as an element that a passage alone holds
    for name, link in sorted(region.links.items()):  # sums of the same mass must be the same to the last bit
        links = sorted(link.elements)
        weights = [_weight(region.facts, degree) for _element, degree in links]
        total = sum(weights) + plain
        of_chunks += [
            (facts[name], chunks[one], 0.0, plain / total / len(link.chunks)) for one in link.chunks
        ]
        for (element, degree), weight in zip(links, weights, strict=True):
            out = 1 / degree if element in region.expanded else 0.0
            of_elements.append((facts[name], elements[element], out, weight / total))
    return _columns(of_chunks), _columns(of_elements)


def _columns(rows: list[tuple[int, int, float, float]]) -> _Edges:
    fact, node, out, back = zip(*rows, strict=True) if rows else ((), (), (), ())
    return _Edges(
        np.array(fact, dtype=np.int64), np.array(node, dtype=np.int64), np.array(out), np.array(back)
    )


def _weight(facts: int, degree: int) -> float:
    idf = max(math.log(max(facts, 1) / max(degree, 1)), _LEAST_IDF)
    return idf * idf


def _named(places: Mapping[str, int], mass: Column) -> Mass:
    return {name: float(mass[nth]) for name, nth in places.items() if mass[nth] > 0}
