"""Fetches the part of the graph around the key elements that a question names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workers.core.graph.surroundings import (
    FACTS_OF_ELEMENT,
    FactColumns,
    NamedElement,
    WalkSource,
)
from workers.core.ids import element_id
from workers.core.ports import Graph
from workers.search.mentions import Named, chosen, mentions_of
from workers.search.walk import Region, Walked

_SHARE = 0.02  # an element in more of the chunks than this is no start: it says nothing of the question
_FEW = 3  # chunks that an element may always be in
_ROOM = (100, 200)  # facts fetched round by round, after those of the start


@dataclass(frozen=True)
class Live:
    """A collection as stored in the graph now; every call takes one round trip."""

    collection: str
    graph: Graph

    def elements_found(self, ids: Sequence[str]) -> list[NamedElement]:
        """Return the key elements with these ids that live facts mention; redirects are resolved."""
        return self.graph.around.elements_found(self.collection, ids)

    def facts_around(self, element_ids: Sequence[str], limit: int) -> FactColumns:
        """Return live facts of the given key elements with their connections, up to `limit` per element."""
        return self.graph.around.facts_around(self.collection, element_ids, limit)

    def names(self, ids: Sequence[str]) -> dict[str, str]:
        """Return id → name of the key elements that live facts mention."""
        return {element.id: element.name for element in self.graph.nodes.elements(self.collection, ids)}


def named_in(question: str, collection: str, source: WalkSource) -> list[Named]:
    """Return the key elements that a question names, in its order."""
    mentions = mentions_of(question)
    ids = {
        spelling: element_id(collection, spelling) for mention in mentions for spelling in mention.spellings
    }
    elements = (
        {element.asked: element for element in source.elements_found(list(ids.values()))} if ids else {}
    )
    known = {
        spelling: (element.id, element.name, element.chunks, element.degree)
        for spelling, key in ids.items()
        if (element := elements.get(key))
    }
    return chosen(mentions, known)


def starts_of(named: Sequence[Named], chunks: int) -> dict[str, float]:
    """Return the start of the walk: element → weight, higher for rarer elements.

    Args:
        named: the key elements that the question names.
        chunks: number of chunks in the collection.
    """
    return {element.id: 1 / element.chunks for element in named if rare_enough(element.chunks, chunks)}


def rare_enough(held_by: int, chunks: int) -> bool:
    """Return whether an element in `held_by` of the chunks is rare enough to matter for a question."""
    return held_by <= max(_FEW, _SHARE * chunks)


@dataclass
class Surroundings:
    """The fetched region around the question; a second walk continues from it."""

    source: WalkSource
    region: Region

    def walk_from(self, start: Mapping[str, float], room: Sequence[int] = _ROOM) -> Walked:
        """Walk the graph, reading once for the start and once for each entry of `room`.

        Args:
            start: element → weight.
            room: maximum number of facts to fetch, per round.
        """
        from workers.search.page_rank import walk  # noqa: PLC0415 - numpy, which who only submits does without

        self._fetch([name for name in start if name not in self.region.expanded])
        walked = walk(self.region, start)
        for facts in room:
            following = self.region.worth_expanding(walked.elements, facts, FACTS_OF_ELEMENT)
            if not following:
                break
            self._fetch(following)
            walked = walk(self.region, start)
        return walked

    def _fetch(self, elements: Sequence[str]) -> None:
        if elements:
            self.region.add(elements, self.source.facts_around(elements, FACTS_OF_ELEMENT))
