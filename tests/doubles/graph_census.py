"""A graph's census in memory."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from hopline.models.census import CensusExample, Counts, FactLengths, GraphCensus, Hub, Lacking
from hopline.models.reports import Growth
from workers.core.graph.census import degree_bins, length_bins
from workers.core.graph.elements import spelled
from workers.core.models.tokens import count_tokens
from workers.core.records import FactSource

if TYPE_CHECKING:
    from doubles.graph_reading import StoredDocument, StoredFact
    from doubles.graph_typed import View
    from hopline.models.documents import KeyElement
    from workers.core.ports import ChunkFacts


class MemoryCensus:
    """Counts what `MemoryGraph` stores; nothing there is ever an orphan, and nothing redirects."""

    stored: dict[str, StoredDocument]
    fact_nodes: dict[str, StoredFact]
    element_nodes: dict[str, KeyElement]

    def census(self, collection: str, *, lengths: bool = False) -> GraphCensus:
        own = [node for node in self.stored.values() if node.document.collection == collection]
        shown = {each.chunk.id: each for node in own for each in node.shown.values()}
        hidden = {each.chunk.id: each for node in own for each in node.held() if each.chunk.id not in shown}
        places = [place for name in _facts(shown) for place in self._places(collection, name)[:1]]
        live = sorted(_facts(shown))
        view = self.view(collection)
        written = _facts(hidden) - set(live)
        degrees = Counter(name for fact in live for name in self.fact_nodes[fact].elements)
        others = {name for fact in written for name in self.fact_nodes[fact].elements} - set(degrees)
        bare = sorted(name for name, each in shown.items() if not each.facts)
        titles = {name: node.document.title for node in own for name in node.shown}
        top = sorted(degrees.items(), key=lambda pair: (-pair[1], pair[0]))[:10]
        return GraphCensus(
            collection=collection,
            live=Counts(
                documents=sum(node.live > 0 for node in own),
                chunks=len(shown),
                facts=len(live),
                elements=len(degrees),
            ),
            hidden=Counts(
                documents=sum(not node.live for node in own),
                chunks=len(hidden),
                facts=len(written),
                elements=len(others),
            ),
            relationships={
                "HAS_CHUNK": len(shown),
                "NEXT": sum(max(0, len(node.shown) - 1) for node in own),
                "HAS_ATOMIC_FACT": sum(len({fact.id for fact in each.facts}) for each in shown.values()),
                "HAS_KEY_ELEMENT": sum(degrees.values()),
                **_typed(view),
            },
            labels=dict(sorted(Counter(label for each in view.labels.values() for label in each).items())),
            degrees=degree_bins((degree, 1) for degree in degrees.values()),
            hubs=tuple(
                Hub(
                    id=name,
                    name=spelled(self.element_nodes[name].name, self.element_nodes[name].aliases),
                    degree=degree,
                    share=degree / len(live),
                )
                for name, degree in top
            ),
            ungrounded=_lacking([place for place in places if not place.grounded]),
            facts_without_elements=_lacking(
                [place for place in places if not self.fact_nodes[place.fact_id].elements]
            ),
            fact_lengths=FactLengths(
                counted=len(live),
                bins=length_bins(count_tokens(self.fact_nodes[fact].text) for fact in live),
                shortest=_examples(sorted(places, key=lambda place: (len(place.fact), place.fact_id))[:3]),
                longest=_examples(
                    sorted(places, key=lambda place: (len(place.fact), place.fact_id), reverse=True)[:3]
                ),
            )
            if lengths
            else None,
            chunks_without_facts=Lacking(
                count=len(bare),
                examples=tuple(
                    CensusExample(id=name, text=shown[name].chunk.text, document=titles[name])
                    for name in bare[:5]
                ),
            ),
        )

    def growth(self, collection: str, seconds: float = 20.0) -> Growth | None:
        assert seconds > 0
        own = [node for node in self.stored.values() if node.document.collection == collection]
        held = {fact for node in own for each in node.held() for fact in (known.id for known in each.facts)}
        degrees = Counter(name for fact in held for name in self.fact_nodes[fact].elements)
        top = sorted(degrees.items(), key=lambda pair: (-pair[1], pair[0]))[:50]
        hubs = {self.element_nodes[element].name: degree for element, degree in top}
        shown = {
            node.name: spelled(node.name, node.aliases)
            for node in (self.element_nodes[element] for element, _degree in top)
        }
        return Growth(elements=len(degrees), hubs=hubs, spelled=shown)

    def _places(self, collection: str, fact_id: str) -> list[FactSource]:
        raise NotImplementedError


def _typed(view: View) -> dict[str, int]:
    """Return how many relations of each type there are, and what elements experienced."""
    kinds = Counter(kind for _source, kind, _target, _where in view.relations)
    kinds["EXPERIENCES"] = sum(len(event.experienced) for event in view.events.values())
    return {kind: count for kind, count in sorted(kinds.items()) if count}


def _facts(chunks: dict[str, ChunkFacts]) -> set[str]:
    return {fact.id for each in chunks.values() for fact in each.facts}


def _lacking(places: list[FactSource]) -> Lacking:
    places = sorted(places, key=lambda place: place.fact_id)
    return Lacking(count=len(places), examples=_examples(places[:5]))


def _examples(places: list[FactSource]) -> tuple[CensusExample, ...]:
    return tuple(CensusExample(id=place.fact_id, text=place.fact, document=place.title) for place in places)
