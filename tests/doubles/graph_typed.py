"""What live chunks state of types, relations and events, in memory: worked out again for whoever asks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from hopline.models.documents import Document
from workers.core.ids import event_id
from workers.core.ports import ChunkFacts
from workers.core.records import AtomicFact

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
                for relation in fact.relations:
                    ends = self.root(relation.source), self.root(relation.target)
                    if _are_held(fact, relation.source, relation.target) and ends[0] != ends[1]:
                        relations.add((ends[0], relation.type, ends[1], where))
            events.update(self._events(document, each))
        typed = {name: frozenset(types) for name, types in labels.items() if types}
        return View(typed, frozenset(relations), events)

    def _events(self, document: Document, chunk_facts: ChunkFacts) -> Iterator[tuple[str, Event]]:
        events: dict[str, tuple[AtomicFact, str, str, dict[str, tuple[str, str, str]]]] = {}
        for fact in chunk_facts.facts:
            for event in fact.events:
                name = event_id(chunk_facts.chunk.id, fact.id, event.type, event.name)
                *_head, parts = events.setdefault(name, (fact, event.type, event.name, {}))
                for who in event.participants:
                    if _are_held(fact, who.element):
                        home = self.root(who.element)
                        parts.setdefault(home, (home, who.role, who.outcome))
        for name, (fact, kind, called, parts) in events.items():
            where = self._where(document, chunk_facts, fact)
            summary = self.fact_nodes[fact.id].text
            yield name, Event(kind, called, summary, where, frozenset(parts.values()))

    def _where(self, document: Document, chunk_facts: ChunkFacts, fact: AtomicFact) -> Where:
        [place] = [
            place
            for place in self._places(document.collection, fact.id)
            if place.chunk_id == chunk_facts.chunk.id
        ]
        evidence = place.quote if place.grounded else place.fact
        chunk = chunk_facts.chunk
        at = place.start - chunk.start
        return Where(fact.id, chunk.id, document.id, chunk.chapter, chunk.order, evidence, at)


def _are_held(fact: AtomicFact, *elements: str) -> bool:
    return {*elements} <= {element.id for element in fact.key_elements}
