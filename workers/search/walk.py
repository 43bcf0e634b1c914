"""The part of a graph that a walk has fetched, with the mass of each node."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from workers.core.graph.surroundings import FactLinks

Mass = dict[str, float]


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
            # In order, for a sum of floats depends on it.
            self.links[link.fact] = FactLinks(link.fact, sorted(link.chunks), sorted(link.elements))
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
