"""What paths read of the graph, in memory: over any double that can tell places, elements and chunks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from workers.core.model import Chunk, Document, FactSource, Neighbour
from workers.core.reading import ChunkReading


class MemoryPaths:
    """`core.reading.PathGraph` out of three lists that the double over it makes."""

    def live_places(self, collection: str) -> list[FactSource]:
        """Every live place of every fact."""
        raise NotImplementedError

    def elements_held(self, collection: str) -> Mapping[str, Mapping[str, str]]:
        """Fact id -> element id -> its name, hidden facts too."""
        raise NotImplementedError

    def live_chunks(self, collection: str) -> list[tuple[Document, Chunk]]:
        """Chunks with their documents."""
        raise NotImplementedError

    def facts_of(
        self, collection: str, element_ids: Sequence[str], *, near: Sequence[str] = (), limit: int
    ) -> list[FactSource]:
        held = self.elements_held(collection)
        found = []
        for fact, places in _by_fact(self.live_places(collection)).items():
            shared = len(set(element_ids) & set(held.get(fact, ())))
            if shared:
                best = min(places, key=lambda p: (-p.grounded, -p.match, p.document_id, p.start))
                nth = near.index(fact) if fact in near else len(near)
                found.append(((nth, -best.grounded, -shared, -best.match, fact), best))
        return [best for _key, best in sorted(found, key=lambda entry: entry[0])[:limit]]

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

    def neighbours_of(self, collection: str, element_ids: Sequence[str], *, limit: int) -> list[Neighbour]:
        held = self.elements_held(collection)
        texts = {place.fact_id: place.fact for place in self.live_places(collection)}
        joining: dict[str, list[str]] = {}
        for fact in sorted(texts):
            if set(element_ids) & set(held.get(fact, ())):
                for name in held[fact]:
                    joining.setdefault(name, []).append(fact)
        names = {key: name for each in held.values() for key, name in each.items()}
        near = [
            Neighbour(
                id=key,
                name=names[key],
                relationship="SHARES_FACT",
                shared=len(facts),
                degree=sum(key in each for each in held.values()),
                context=texts[facts[0]],
            )
            for key, facts in joining.items()
            if key not in element_ids
        ]
        return sorted(near, key=lambda n: (-n.shared / math.log(1 + n.degree), n.id))[:limit]


def _by_fact(places: Iterable[FactSource]) -> dict[str, list[FactSource]]:
    found: dict[str, list[FactSource]] = {}
    for place in places:
        found.setdefault(place.fact_id, []).append(place)
    return found
