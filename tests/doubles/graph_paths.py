"""What paths read of the graph, in memory: over any double that can tell places, elements and chunks."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence

from doubles.graph_parts import Whole
from hopline.models.documents import Chunk, Document
from workers.core.graph.paths import ChunkReading
from workers.core.records import FactSource, Neighbour

ELEMENTS = 50  # looked at of one fact


class MemoryPaths(Whole):
    """`core.graph.paths.PathGraph` out of three lists that the double over it makes."""

    def live_places(self, collection: str) -> list[FactSource]:
        """Every live place of every fact."""
        raise NotImplementedError

    def elements_held(self, collection: str) -> Mapping[str, Mapping[str, str]]:
        """Fact id -> element id -> its name, hidden facts too."""
        raise NotImplementedError

    def live_chunks(self, collection: str) -> list[tuple[Document, Chunk]]:
        raise NotImplementedError

    def shown_name(self, element: str) -> str:
        """An element's name as documents spell it."""
        raise NotImplementedError

    def titled(self, chunk: str, fact: str) -> str | None:  # noqa: ARG002 - as of documents without titles
        """The element that only the title of the chunk's document ties to the fact."""
        return None

    def is_titled(self, fact: str, element: str) -> bool:  # noqa: ARG002 - as of documents without titles
        """Whether only titles tie the element to the fact."""
        return False

    def home(self, element: str) -> str:
        """The element that it was merged into, or itself."""
        return element

    def facts_of(
        self, collection: str, element_ids: Sequence[str], *, near: Sequence[str] = (), limit: int
    ) -> list[FactSource]:
        held = self.elements_held(collection)
        nodes = set(map(self.home, element_ids))
        entries = []
        for fact, places in _by_fact(self.live_places(collection)).items():
            shared = len(nodes & set(held.get(fact, ())))
            if shared:
                best = min(self.preferring(nodes, places), key=_goodness)
                nth = near.index(fact) if fact in near else len(near)
                entries.append(((nth, -best.grounded, -shared, -best.match, fact), best))
        return [best for _key, best in sorted(entries, key=lambda entry: entry[0])[:limit]]

    def preferring(self, nodes: Collection[str], places: Sequence[FactSource]) -> Sequence[FactSource]:
        """The places in documents whose title ties the fact to one of the nodes; all, where none is."""
        return [
            place
            for place in places
            if (title := self.titled(place.chunk_id, place.fact_id)) and self.home(title) in nodes
        ] or places

    def read_chunk(self, collection: str, chunk_id: str) -> ChunkReading | None:
        for document, chunk in self.live_chunks(collection):
            if chunk.id == chunk_id:
                places = [p for p in self.live_places(collection) if p.chunk_id == chunk_id]
                once: dict[str, FactSource] = {}
                for place in sorted(places, key=lambda p: -p.match):
                    once.setdefault(place.fact_id, place)
                facts = sorted(once.values(), key=lambda p: (p.start, p.fact_id))
                around = {
                    other.index - chunk.index: other.id
                    for owner, other in self.live_chunks(collection)
                    if owner.id == document.id
                }
                return ChunkReading(
                    chunk=chunk,
                    document=document,
                    facts=tuple(facts),
                    before=around.get(-1),
                    after=around.get(1),
                )
        return None

    def facts_held(
        self, collection: str, element_ids: Sequence[str], *, limit: int
    ) -> dict[str, tuple[str, ...]]:
        held, live = self.elements_held(collection), self.live_places(collection)
        own: dict[str, dict[str, None]] = {element: {} for element in element_ids}
        for fact in (place.fact_id for place in live):
            for element in element_ids:
                if self.home(element) in held.get(fact, ()):
                    own[element][fact] = None
        return {element: tuple(facts)[:limit] for element, facts in own.items() if facts}

    def neighbours_of(
        self, collection: str, element_ids: Sequence[str], *, near: Sequence[str] = (), limit: int
    ) -> list[Neighbour]:
        held = self.elements_held(collection)
        texts = {place.fact_id: place.fact for place in self.live_places(collection)}
        nodes = set(map(self.home, element_ids))
        joining: dict[str, list[str]] = {}
        for fact in sorted(texts):
            if nodes & set(held.get(fact, ())):
                for name in list(held[fact])[:ELEMENTS]:
                    joining.setdefault(name, []).append(fact)
        names = {key: name for each in held.values() for key, name in each.items()}
        neighbours = [
            Neighbour(
                id=key,
                name=names[key],
                relationship="SHARES_FACT",
                shared=len(facts),
                degree=sum(key in each for each in held.values()),
                titled=all(self.is_titled(fact, key) for fact in facts),
                context=texts[next((fact for fact in near if key in held.get(fact, ())), facts[0])],
                spelled=self.shown_name(key),
            )
            for key, facts in joining.items()
            if key not in nodes
        ]
        return sorted(neighbours, key=lambda n: (-n.shared / math.log(1 + n.degree), n.id))[:limit]


def _goodness(place: FactSource) -> tuple[int, float, str, int]:
    return -place.grounded, -place.match, place.document_id, place.start


def _by_fact(places: Iterable[FactSource]) -> dict[str, list[FactSource]]:
    places_by_fact: dict[str, list[FactSource]] = {}
    for place in places:
        places_by_fact.setdefault(place.fact_id, []).append(place)
    return places_by_fact
