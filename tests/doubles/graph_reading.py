"""The read side of the graph in memory: only what a live document holds is seen."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from doubles.graph_neighbourhood import MemoryNeighbourhood
from doubles.graph_paths import ELEMENTS
from doubles.graph_typed import MemoryTyped
from hopline.models.documents import Chunk, Document, KeyElement
from workers.core.graph.elements import element_spellings, spelled
from workers.core.graph.vectors import Kind
from workers.core.language.index_words import name_words
from workers.core.language.text import normalise, titled
from workers.core.ports import ChunkFacts
from workers.core.records import AtomicFact, FactSource, Hit, Neighbour, NodeReading


@dataclass
class StoredDocument:
    document: Document  # as its newest version stands
    live: int = 0
    live_hash: str = ""
    whole: bool = False
    shown: dict[str, ChunkFacts] = field(default_factory=dict)
    hidden: dict[str, ChunkFacts] = field(default_factory=dict)
    given_up: list[ChunkFacts] = field(default_factory=list)  # hidden ones of versions never shown
    no_languages: bool = False  # were detected
    original_next: str = ""  # of a version that is being made
    allow_set_aside: tuple[str, ...] = ()  # what a version not live yet said before it was changed by hand

    def give_up(self) -> None:
        self.given_up += self.hidden.values()
        self.hidden, self.original_next = {}, ""

    def held(self) -> list[ChunkFacts]:
        return [*self.shown.values(), *self.hidden.values(), *self.given_up]


@dataclass
class StoredFact:
    text: str
    named: dict[str, None] = field(default_factory=dict)  # as ingestion named them
    titles: set[str] = field(default_factory=set)  # those of them that only documents' titles named
    elements: dict[str, None] = field(default_factory=dict)  # what they lead to


class MemoryReader(MemoryNeighbourhood, MemoryTyped):
    stored: dict[str, StoredDocument]
    fact_nodes: dict[str, StoredFact]
    element_nodes: dict[str, KeyElement]
    own_nodes: dict[str, KeyElement]

    def read_node(
        self, collection: str, node_id: str, *, near: Sequence[str] = (), max_facts: int, max_neighbours: int
    ) -> NodeReading | None:
        node_id = self.root(node_id)
        facts = [name for name in self._facts_of(node_id) if self._places(collection, name)]
        if not facts:
            return None
        places = {name: self._places(collection, name) for name in facts}
        best = {name: self.preferring([node_id], places[name])[0] for name in facts}
        order = {name: nth for nth, name in enumerate(near)}
        facts.sort(
            key=lambda f: (order.get(f, len(order)), -best[f].grounded, -len(places[f]), -best[f].match, f)
        )
        return NodeReading(
            id=node_id,
            name=self.element_nodes[node_id].name,
            labels=tuple(sorted({"KeyElement", *self.view(collection).labels.get(node_id, ())})),
            facts=tuple(best[name] for name in facts[:max_facts]),
            neighbours=self._neighbours(collection, node_id, facts)[:max_neighbours],
            spelled=self.shown_name(node_id),
        )

    def elements_named(self, collection: str, names: Sequence[str]) -> dict[str, list[KeyElement]]:
        return {name: self._bearing(collection, name) for name in names}

    def elements_like(self, collection: str, text: str, limit: int) -> list[Hit]:
        entries = [(e.id, "element", e.name, (e.name, *e.aliases)) for e in self._elements(collection)]
        return _ranked_by_words(text, entries, limit)

    def elements(self, collection: str, ids: Sequence[str]) -> list[KeyElement]:
        live = {element.id: element for element in self._elements(collection)}
        return [live[name] for name in dict.fromkeys(map(self.root, ids)) if name in live]

    def fact_sources(self, collection: str, fact_ids: Sequence[str]) -> list[FactSource]:
        return [place for name in dict.fromkeys(fact_ids) for place in self._places(collection, name)]

    def chunks(self, collection: str, chunk_ids: Sequence[str]) -> list[tuple[Chunk, Document]]:
        live = {chunk.id: (chunk, document) for document, chunk in self._chunks(collection)}
        return [live[name] for name in dict.fromkeys(chunk_ids) if name in live]

    def held(self, collection: str, ids: Sequence[str]) -> list[tuple[str, Kind, str]]:
        chunks = {
            each.chunk.id: titled(node.document.title, each.chunk.text)
            for node in self.stored.values()
            if node.document.collection == collection
            for each in node.held()
        }
        rows: list[tuple[str, Kind, str]] = []
        for name in ids:
            if name in chunks:
                rows.append((name, "chunk", chunks[name]))
            elif name in self.fact_nodes:
                rows.append((name, "fact", self.fact_nodes[name].text))
            elif name in self.element_nodes:
                rows.append((name, "element", self.element_nodes[name].name))
        return rows

    def texts(self, collection: str) -> Iterator[list[tuple[str, Kind, str]]]:
        chunks = self._chunks(collection)
        yield [(chunk.id, "chunk", titled(document.title, chunk.text)) for document, chunk in chunks]
        facts = {place.fact_id: place.fact for place in self._all_places(collection)}
        yield [(name, "fact", text) for name, text in sorted(facts.items())]
        yield [(element.id, "element", element.name) for element in self._elements(collection)]

    def live_places(self, collection: str) -> list[FactSource]:
        return self._all_places(collection)

    def elements_held(self, collection: str) -> dict[str, dict[str, str]]:  # noqa: ARG002 - as the base
        return {
            name: {element: self.element_nodes[element].name for element in fact.elements}
            for name, fact in self.fact_nodes.items()
        }

    def shown_name(self, element: str) -> str:
        return spelled(self.element_nodes[element].name, self.element_nodes[element].aliases)

    def titled(self, chunk: str, fact: str) -> str | None:
        shown = (node.shown[chunk] for node in self.stored.values() if chunk in node.shown)
        return next(
            (each.title_id for chunk_facts in shown for each in chunk_facts.facts if each.id == fact), None
        )

    def is_titled(self, fact: str, element: str) -> bool:
        return element in self.fact_nodes[fact].titles

    def home(self, element: str) -> str:
        return self.root(element)

    def live_chunks(self, collection: str) -> list[tuple[Document, Chunk]]:
        return self._chunks(collection)

    def _chunks(self, collection: str) -> list[tuple[Document, Chunk]]:
        return [(document, each.chunk) for document, each in self._shown(collection)]

    def _shown(self, collection: str) -> list[tuple[Document, ChunkFacts]]:
        return [
            (node.document, each)
            for node in self.stored.values()
            if node.document.collection == collection
            for each in node.shown.values()
        ]

    def _all_places(self, collection: str) -> list[FactSource]:
        return [
            _place(document, each.chunk, fact, self.fact_nodes[fact.id].text)
            for document, each in self._shown(collection)
            for fact in each.facts
        ]

    def _places(self, collection: str, fact_id: str) -> list[FactSource]:
        places = [place for place in self._all_places(collection) if place.fact_id == fact_id]
        best: dict[str, FactSource] = {}
        for place in sorted(places, key=lambda p: -p.match):
            best.setdefault(place.chunk_id, place)
        return sorted(best.values(), key=lambda p: (-p.grounded, -p.match, p.document_id, p.start))

    def _facts_of(self, element_id: str) -> list[str]:
        return [name for name, fact in self.fact_nodes.items() if element_id in fact.elements]

    def _elements(self, collection: str) -> list[KeyElement]:
        live = {place.fact_id for place in self._all_places(collection)}
        named = {name for fact in live for name in self.fact_nodes[fact].elements}
        return [self.element_nodes[name] for name in sorted(named)]

    def _neighbours(self, collection: str, node_id: str, facts: Sequence[str]) -> tuple[Neighbour, ...]:
        related: dict[str, set[str]] = {}
        for source, kind, target, _where in self.view(collection).relations:
            if node_id in (source, target):
                related.setdefault(target if source == node_id else source, set()).add(kind)
        joining: dict[str, list[str]] = {}
        for fact in facts:
            for name in list(self.fact_nodes[fact].elements)[:ELEMENTS]:
                joining.setdefault(name, []).append(fact)
        neighbours = [
            Neighbour(
                id=name,
                name=self.element_nodes[name].name,
                relationship=", ".join(sorted(related.get(name, {"SHARES_FACT"}))),
                shared=len(shared),
                degree=len(self._facts_of(name)),
                titled=all(self.is_titled(fact, name) for fact in shared),
                context=self.fact_nodes[shared[0]].text,
                spelled=self.shown_name(name),
            )
            for name, shared in joining.items()
            if name != node_id
        ]
        return tuple(sorted(neighbours, key=lambda n: (-n.shared / math.log(1 + n.degree), n.id)))

    def _bearing(self, collection: str, name: str) -> list[KeyElement]:
        forms = element_spellings(name)
        ranked = []
        for element in self._elements(collection):
            borne = [node.name for key, node in self.own_nodes.items() if self.root(key) == element.id]
            if known := [forms.index(form) for form in borne if form in forms]:
                ranked.append((min(known), element.id, element))
            elif normalise(name) in map(normalise, element.aliases):
                ranked.append((len(forms), element.id, element))
        return [element for _place, _id, element in sorted(ranked, key=lambda entry: entry[:2])]


def _place(document: Document, chunk: Chunk, fact: AtomicFact, text: str) -> FactSource:
    return FactSource(
        fact_id=fact.id,
        fact=text,
        chunk_id=chunk.id,
        document_id=document.id,
        title=document.title,
        uri=document.uri,
        start=fact.start,
        end=fact.end,
        match=fact.match,
        grounded=fact.grounded,
        quote=chunk.text[fact.start - chunk.start : fact.end - chunk.start],
        chunk_start=chunk.start,
        chunk_places=chunk.places,
    )


def _ranked_by_words(
    text: str, entries: Sequence[tuple[str, Kind, str, Sequence[str]]], limit: int
) -> list[Hit]:
    """Rank by the share of the text's words and by brevity: enough for the order of clear cases."""
    wanted = set(name_words(text))
    hits = []
    for name, kind, shown, spellings in entries:
        have = {word for spelling in spellings for word in name_words(spelling)}
        if shared := len(wanted & have):
            hits.append(Hit(id=name, kind=kind, score=shared / math.sqrt(len(have)), text=shown))
    return sorted(hits, key=lambda hit: (-hit.score, hit.id))[:limit]
