"""What searches read of the graph, in memory: over any double that can tell places, elements and chunks."""

import unicodedata
from collections import Counter
from collections.abc import Sequence
from itertools import islice

from doubles.graph_paths import ELEMENTS, MemoryPaths
from hopline.models.documents import KeyElement
from workers.core.answers.lexical_rank import terms
from workers.core.graph.surroundings import (
    CollectionSize,
    FactColumns,
    FactLinks,
    GraphSnapshot,
    NamedElement,
    SaidChunk,
    SaidFact,
    columns_of,
    most_used,
)
from workers.core.records import Hit


def links_of(columns: FactColumns) -> list[FactLinks]:
    chunks, pairs = iter(columns.chunks), zip(columns.elements, columns.degrees, strict=True)
    counts = zip(columns.facts, columns.chunk_counts, columns.element_counts, strict=True)
    return [
        FactLinks(fact, list(islice(chunks, places)), list(islice(pairs, elements)))
        for fact, places, elements in counts
    ]


class MemoryAround(MemoryPaths):
    """`core.graph.surroundings.AroundGraph` over the same lists; words in common stand for BM25."""

    def _linked(self, collection: str) -> dict[str, FactLinks]:
        held = self.elements_held(collection)
        degrees: dict[str, int] = {}
        for each in held.values():
            for element in each:
                degrees[element] = degrees.get(element, 0) + 1
        links: dict[str, FactLinks] = {}
        for place in self.live_places(collection):
            elements = [(element, degrees[element]) for element in held.get(place.fact_id, ())]
            known = links.setdefault(place.fact_id, FactLinks(place.fact_id, [], elements))
            if place.chunk_id not in known.chunks:
                known.chunks.append(place.chunk_id)
        return links

    def size(self, collection: str) -> CollectionSize:
        places = {(place.document_id, place.fact_id) for place in self.live_places(collection)}
        return CollectionSize(chunks=len(self.live_chunks(collection)), facts=len(places))

    def languages(self, collection: str) -> tuple[str, ...]:
        documents = (node.document for node in getattr(self, "stored", {}).values() if node.live)
        held = [document for document in documents if document.collection == collection]
        return most_used(Counter(language for document in held for language in document.languages or ("",)))

    def elements(self, collection: str, ids: Sequence[str]) -> list[KeyElement]:
        raise NotImplementedError

    def elements_found(
        self, collection: str, ids: Sequence[str], *, spellings: bool = False
    ) -> list[NamedElement]:
        names = {key: name for each in self.elements_held(collection).values() for key, name in each.items()}
        links = self._linked(collection).values()
        elements = []
        for element_id in dict.fromkeys(ids):
            home = self.home(element_id)
            mine = [link for link in links if home in dict(link.elements)]
            if mine:
                chunks = {chunk for link in mine for chunk in link.chunks}
                known = NamedElement(
                    asked=element_id, id=home, name=names[home], degree=len(mine), chunks=len(chunks)
                )
                [told] = self.elements(collection, [home]) if spellings else [known]
                elements.append(known.model_copy(update={"aliases": told.aliases}))
        return elements

    def facts_around(self, collection: str, element_ids: Sequence[str], limit: int) -> FactColumns:
        links = self._linked(collection).values()
        around: dict[str, FactLinks] = {}
        for element in dict.fromkeys(element_ids):
            mine = [link for link in links if element in dict(link.elements)][:limit]
            around |= {link.fact: link for link in mine}
        some = (link._replace(elements=_some(link.elements, element_ids)) for link in around.values())
        return columns_of(some)

    def snapshot(self, _collection: str) -> GraphSnapshot | None:
        return None

    def chunks_like(
        self, collection: str, texts: Sequence[str], limit: int, _snapshot: GraphSnapshot | None = None
    ) -> list[list[Hit]]:
        rankings = []
        for text in texts:
            wanted = terms(text)
            scores = [
                (_share(wanted, f"{document.title} {chunk.text}"), chunk.id)
                for document, chunk in self.live_chunks(collection)
            ]
            best = sorted((hit for hit in scores if hit[0] > 0), key=lambda hit: (-hit[0], hit[1]))
            rankings.append([Hit(id=name, kind="chunk", score=score) for score, name in best[:limit]])
        return rankings

    def chunks_said(
        self,
        collection: str,
        chunk_ids: Sequence[str],
        max_facts: int,
        _snapshot: GraphSnapshot | None = None,
    ) -> list[SaidChunk]:
        held = self.elements_held(collection)
        live = {chunk.id: (document, chunk) for document, chunk in self.live_chunks(collection)}
        best = sorted(self.live_places(collection), key=lambda place: (-place.match, place.start))
        chunks = []
        for name in dict.fromkeys(chunk_ids):
            if name in live:
                places = {place.fact_id: place for place in reversed(best) if place.chunk_id == name}
                facts = [
                    SaidFact(place.fact_id, place.fact, tuple(held.get(place.fact_id, {}).items())[:ELEMENTS])
                    for place in sorted(places.values(), key=lambda place: (place.start, place.fact_id))
                ]
                document, chunk = live[name]
                chunks.append(SaidChunk(chunk=chunk, document=document, facts=tuple(facts[:max_facts])))
        return chunks


def _some(elements: Sequence[tuple[str, int]], element_ids: Sequence[str]) -> list[tuple[str, int]]:
    others = [element for element in elements if element[0] not in element_ids]
    return [element for element in elements if element[0] in element_ids] + others[:ELEMENTS]


def _share(wanted: frozenset[str], text: str) -> float:
    """Return the share of the words that a text says; Chinese ones stand anywhere in it."""
    words, composed = terms(text), unicodedata.normalize("NFKC", text)
    matches = [word for word in wanted if word in words or (not word[0].islower() and word in composed)]
    return len(matches) / len(wanted) if wanted else 0.0
