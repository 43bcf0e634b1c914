"""The part of a graph that a walk has fetched, with the mass of each node."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from heapq import heapify, heappop

from workers.core.graph.surroundings import FactColumns
from workers.search.fusion import damped

Mass = dict[str, float]


@dataclass
class Numbers:
    """Numbers of names, and the lists of these numbers for each row, concatenated."""

    of: dict[str, int] = field(default_factory=dict)  # name → number
    listed: list[int] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)  # by row

    def add(self, names: Iterable[str], counts: Iterable[int]) -> None:
        """Append the lists of further rows."""
        known = self.of
        self.listed.extend([known.setdefault(name, len(known)) for name in names])
        self.counts.extend(counts)


@dataclass
class Region:
    """The facts fetched so far, and the elements whose facts have all been fetched.

    Lists of a fact are sorted by id, because sums of floats depend on the order.

    Args:
        facts: number of facts in the collection, for the idf of elements.
    """

    facts: int
    rows: dict[str, int] = field(default_factory=dict)  # fact → where it was fetched last
    chunks: Numbers = field(default_factory=Numbers)
    elements: Numbers = field(default_factory=Numbers)
    listed_degrees: list[int] = field(default_factory=list)  # of the elements as they are listed
    degrees: dict[str, int] = field(default_factory=dict)  # by element
    expanded: set[str] = field(default_factory=set)

    def add(self, elements: Iterable[str], columns: FactColumns) -> None:
        """Add the facts of elements."""
        self.expanded.update(elements)
        first = len(self.chunks.counts)
        self.rows.update(zip(columns.facts, range(first, first + len(columns.facts)), strict=True))
        self.chunks.add(columns.chunks, columns.chunk_counts)
        self.elements.add(columns.elements, columns.element_counts)
        self.listed_degrees.extend(columns.degrees)
        self.degrees.update(zip(columns.elements, columns.degrees, strict=True))

    def worth_expanding(self, mass: Mapping[str, float], room: int, hub: int) -> list[str]:
        """Return the elements with the most mass whose facts, together at most `room`, should be fetched.

        Elements with more than `hub` facts are left out: what connects everything leads nowhere.
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

    @cached_property
    def chunk_scores(self) -> Mass:
        """The chunks' mass in the form for fusion: `damped`, computed once although needed three times."""
        return damped(self.chunks)
