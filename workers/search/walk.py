"""The part of a graph that a walk has fetched, with the mass of each node."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from heapq import heapify, heappop
from typing import NamedTuple

from workers.core.graph.surroundings import FactLinks

Mass = dict[str, float]


class Joined(NamedTuple):
    """What a fact joins, as numbers of the region, by id: sums of floats depend on the order."""

    chunks: list[int]
    elements: list[int]
    degrees: list[int]  # of the elements


@dataclass
class Region:
    """The facts fetched so far, and which elements' facts are all among them.

    Args:
        facts: in the collection, for the idf of elements.
    """

    facts: int
    links: dict[str, Joined] = field(default_factory=dict)  # by fact
    chunks: dict[str, int] = field(default_factory=dict)  # id → number
    elements: dict[str, int] = field(default_factory=dict)
    degrees: dict[str, int] = field(default_factory=dict)  # by element
    expanded: set[str] = field(default_factory=set)

    def add(self, elements: Iterable[str], links: Iterable[FactLinks]) -> None:
        """Take in the facts of some elements."""
        self.expanded.update(elements)
        chunk_numbers, numbers = self.chunks, self.elements
        for link in links:
            pairs = sorted(link.elements)
            self.degrees.update(pairs)
            self.links[link.fact] = Joined(
                [chunk_numbers.setdefault(name, len(chunk_numbers)) for name in sorted(link.chunks)],
                [numbers.setdefault(name, len(numbers)) for name, _degree in pairs],
                [degree for _name, degree in pairs],
            )

    def worth_expanding(self, mass: Mapping[str, float], room: int, hub: int) -> list[str]:
        """Return the elements with most mass whose facts, together at most `room`, are to be fetched.

        Elements of more than `hub` facts are left as they are: what joins everything leads nowhere.
        """
        fresh = [
            (-share, name)
            for name, share in mass.items()
            if name not in self.expanded and share > 0 and self.degrees.get(name, 0) <= hub
        ]
        heapify(fresh)
        chosen: list[str] = []
        while fresh:
            _share, name = heappop(fresh)
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
