"""What live chunks state of types, relations and events, in memory: worked out anew for whoever asks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from workers.core.ids import event_id
from workers.core.ports import ChunkFacts
from workers.core.records import AtomicFact, Document

if TYPE_CHECKING:
    from doubles.graph_reading import StoredFact


class Where(NamedTuple):
    """Where something is stated."""

    fact: str
    chunk: str
    document: str
    chapter: int | str | None
    order: int | None
    evidence: str
    at: int


class Event(NamedTuple):
    kind: str
    name: str
    summary: str
    where: Where
    experienced: frozenset[tuple[str, str, str]]  # element, role, outcome


class View(NamedTuple):
    """What documents became besides chunks, facts and key elements."""

    labels: dict[str, frozenset[str]]  # of elements that have any
    relations: frozenset[tuple[str, str, str, Where]]  # source, type, target
    events: dict[str, Event]


class MemoryTyped:
    """Labels, relations and events of what `MemoryReader` shows and `MemoryMerging` leads to."""

    fact_nodes: dict[str, StoredFact]

    def view(self, collection: str) -> View:
        labels: dict[str, set[str]] = {}
        relations, events = set(), {}
        for document, each in self._shown(collection):
            for fact in each.facts:
                for element in fact.key_elements:
                    labels.setdefault(self.root(element.id), set()).update(element.types)
                where = self._where(document, each, fact)
                for one in fact.relations:
                    ends = self.root(one.source), self.root(one.target)
                    if _are_held(fact, one.source, one.target) and ends[0] != ends[1]:
                        relations.add((ends[0], one.type, ends[1], where))
            events.update(self._events(document, each))
        typed = {name: frozenset(found) for name, found in labels.items() if found}
        return View(typed, frozenset(relations), events)

    def _events(self, document: Document, given: ChunkFacts) -> Iterator[tuple[str, Event]]:
        told: dict[str, tuple[AtomicFact, str, str, dict[str, tuple[str, str, str]]]] = {}
        for fact in given.facts:
            for one in fact.events:
                name = event_id(given.chunk.id, fact.id, one.type, one.name)
                *_head, parts = told.setdefault(name, (fact, one.type, one.name, {}))
                for who in one.participants:
                    if _are_held(fact, who.element):
                        home = self.root(who.element)
                        parts.setdefault(home, (home, who.role, who.outcome))
        for name, (fact, kind, called, parts) in told.items():
            where = self._where(document, given, fact)
            summary = self.fact_nodes[fact.id].text
            yield name, Event(kind, called, summary, where, frozenset(parts.values()))

    def _where(self, document: Document, given: ChunkFacts, fact: AtomicFact) -> Where:
        [place] = [
            one for one in self._places(document.collection, fact.id) if one.chunk_id == given.chunk.id
        ]
        evidence = place.quote if place.grounded else place.fact
        chunk = given.chunk
        at = place.start - chunk.start
        return Where(fact.id, chunk.id, document.id, chunk.chapter, chunk.order, evidence, at)


def _are_held(fact: AtomicFact, *elements: str) -> bool:
    return {*elements} <= {element.id for element in fact.key_elements}
