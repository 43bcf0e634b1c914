"""What people look at in the graph, in memory: over any double that can tell places, elements and chunks."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from doubles.graph_around import MemoryAround
from doubles.graph_paths import ELEMENTS
from hopline.models.documents import Document, KeyElement
from hopline.models.graph import FactPlace, NearElement, NearFact, NearRelation, Neighbourhood, Passage
from workers.core.graph.neighbourhood import NamedFact, Piece, cut_passage
from workers.core.records import FactSource

if TYPE_CHECKING:
    from doubles.graph_typed import View


class MemoryNeighbourhood(MemoryAround):
    """`core.graph.neighbourhood.NeighbourGraph` over the same lists."""

    def document(self, document_id: str) -> Document | None:
        raise NotImplementedError

    if TYPE_CHECKING:

        def view(self, collection: str) -> View: ...

    def neighbourhood(
        self, collection: str, element_id: str, *, document: str | None = None, limit: int
    ) -> Neighbourhood | None:
        centre = self.home(element_id)
        held = self.elements_held(collection)
        places_by_fact: dict[str, list[FactSource]] = {}
        for place in self.live_places(collection):
            if centre in held.get(place.fact_id, ()) and document in (None, place.document_id):
                places_by_fact.setdefault(place.fact_id, []).append(place)
        places = {fact: self._ordered(centre, some) for fact, some in places_by_fact.items()}
        ranked = sorted(places.items(), key=lambda entry: (*_goodness(entry[1]), entry[0]))
        if not ranked:
            return None
        named = {
            fact: (centre, *sorted(element for element in held[fact] if element != centre)[:ELEMENTS])
            for fact, _some in ranked[:limit]
        }
        return Neighbourhood(
            collection=collection,
            centre=centre,
            elements=tuple(
                self._near(element, held)
                for element in self.elements(collection, [name for each in named.values() for name in each])
            ),
            facts=tuple(
                NearFact(id=fact, text=some[0].fact, elements=named[fact], sources=tuple(map(_place, some)))
                for fact, some in ranked[:limit]
            ),
            more=len(ranked) > limit,
        )

    def relations_among(self, collection: str, element_ids: Sequence[str], limit: int) -> list[NearRelation]:
        stated: dict[tuple[str, str, str], set[str]] = {}
        for source, kind, target, where in self.view(collection).relations:
            if {source, target} <= set(element_ids):
                stated.setdefault((source, kind, target), set()).add(where.fact)
        relations = [
            NearRelation(source=source, type=kind, target=target, facts=tuple(sorted(facts)))
            for (source, kind, target), facts in stated.items()
        ]
        return sorted(
            relations,
            key=lambda relation: (-len(relation.facts), relation.source, relation.type, relation.target),
        )[:limit]

    def facts_sampled(self, collection: str, limit: int) -> list[NamedFact]:
        held = self.elements_held(collection)
        facts = {place.fact_id: place.fact for place in self.live_places(collection) if place.grounded}
        return [
            NamedFact(
                id=fact,
                text=text,
                elements=tuple(
                    self._near(element, held)
                    for element in self.elements(collection, sorted(held[fact])[:ELEMENTS])
                ),
            )
            for fact, text in sorted(facts.items())[:limit]
        ]

    def passage(self, document_id: str, start: int, end: int) -> Passage | None:
        document = self.document(document_id)
        if document is None:
            return None
        chunks = [c for owner, c in self.live_chunks(document.collection) if owner.id == document_id]
        length = max((chunk.end for chunk in chunks), default=0)
        pieces = [Piece(chunk.start, chunk.text) for chunk in sorted(chunks, key=lambda chunk: chunk.start)]
        return cut_passage(document, pieces, length, start, end)

    def _near(self, element: KeyElement, held: Mapping[str, Mapping[str, str]]) -> NearElement:
        degree = sum(element.id in each for each in held.values())
        return NearElement(id=element.id, name=element.name, aliases=element.aliases, degree=degree)

    def _ordered(self, centre: str, places: Sequence[FactSource]) -> list[FactSource]:
        once: dict[str, FactSource] = {}
        for place in sorted(places, key=lambda place: -place.match):
            once.setdefault(place.chunk_id, place)
        titled = set(self.preferring([centre], list(once.values())))
        titled = titled if len(titled) < len(once) else set()
        return sorted(
            once.values(),
            key=lambda place: (
                place not in titled, -place.grounded, -place.match, place.document_id, place.start,
            ),
        )  # fmt: skip


def _goodness(places: Sequence[FactSource]) -> tuple[int, int, float]:
    return -places[0].grounded, -len(places), -places[0].match


def _place(place: FactSource) -> FactPlace:
    return FactPlace(**place.model_dump(include=set(FactPlace.model_fields)))
