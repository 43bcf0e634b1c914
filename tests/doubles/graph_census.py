"""A graph's census in memory."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from workers.core.graph.census import (
    Counts,
    Example,
    FactLengths,
    GraphCensus,
    Hub,
    Lacking,
    degree_bins,
    length_bins,
)
from workers.core.jobs.report import Growth
from workers.core.models.tokens import count_tokens
from workers.core.records import FactSource

if TYPE_CHECKING:
    from doubles.graph_reading import StoredDocument, StoredFact
    from doubles.graph_typed import View
    from workers.core.ports import ChunkFacts
    from workers.core.records import KeyElement


class MemoryCensus:
    """Counts what `MemoryGraph` stores; nothing there is ever an orphan, and nothing redirects."""

    stored: dict[str, StoredDocument]
    fact_nodes: dict[str, StoredFact]
    element_nodes: dict[str, KeyElement]

    def census(self, collection: str, *, lengths: bool = False) -> GraphCensus:
        own = [one for one in self.stored.values() if one.document.collection == collection]
        shown = {each.chunk.id: each for one in own for each in one.shown.values()}
        hidden = {each.chunk.id: each for one in own for each in one.held() if each.chunk.id not in shown}
        places = [place for name in _facts(shown) for place in self._places(collection, name)[:1]]
        live = sorted(_facts(shown))
        view = self.view(collection)
        written = _facts(hidden) - set(live)
        degrees = Counter(name for fact in live for name in self.fact_nodes[fact].elements)
        others = {name for fact in written for name in self.fact_nodes[fact].elements} - set(degrees)
        bare = sorted(name for name, each in shown.items() if not each.facts)
        titles = {name: one.document.title for one in own for name in one.shown}
        top = sorted(degrees.items(), key=lambda one: (-one[1], one[0]))[:10]
        return GraphCensus(
            collection=collection,
            live=Counts(
                documents=sum(one.live > 0 for one in own),
                chunks=len(shown),
                facts=len(live),
                elements=len(degrees),
            ),
            hidden=Counts(
                documents=sum(not one.live for one in own),
                chunks=len(hidden),
                facts=len(written),
                elements=len(others),
            ),
            relationships={
                "HAS_CHUNK": len(shown),
                "NEXT": sum(max(0, len(one.shown) - 1) for one in own),
                "HAS_ATOMIC_FACT": sum(len({fact.id for fact in each.facts}) for each in shown.values()),
                "HAS_KEY_ELEMENT": sum(degrees.values()),
                **_typed(view),
            },
            labels=dict(sorted(Counter(one for each in view.labels.values() for one in each).items())),
            degrees=degree_bins((degree, 1) for degree in degrees.values()),
            hubs=tuple(
                Hub(id=one, name=self.element_nodes[one].name, degree=degree, share=degree / len(live))
                for one, degree in top
            ),
            ungrounded=_lacking([place for place in places if not place.grounded]),
            facts_without_elements=_lacking(
                [place for place in places if not self.fact_nodes[place.fact_id].elements]
            ),
            fact_lengths=FactLengths(
                counted=len(live),
                bins=length_bins(count_tokens(self.fact_nodes[one].text) for one in live),
                shortest=_examples(sorted(places, key=lambda one: (len(one.fact), one.fact_id))[:3]),
                longest=_examples(
                    sorted(places, key=lambda one: (len(one.fact), one.fact_id), reverse=True)[:3]
                ),
            )
            if lengths
            else None,
            chunks_without_facts=Lacking(
                count=len(bare),
                examples=tuple(
                    Example(id=one, text=shown[one].chunk.text, document=titles[one]) for one in bare[:5]
                ),
            ),
        )

    def growth(self, collection: str, seconds: float = 20.0) -> Growth | None:
        assert seconds > 0
        own = [one for one in self.stored.values() if one.document.collection == collection]
        held = {fact for one in own for each in one.held() for fact in (known.id for known in each.facts)}
        degrees = Counter(name for fact in held for name in self.fact_nodes[fact].elements)
        top = sorted(degrees.items(), key=lambda one: (-one[1], one[0]))[:50]
        hubs = {self.element_nodes[one].name: degree for one, degree in top}
        return Growth(elements=len(degrees), hubs=hubs)

    def _places(self, collection: str, fact_id: str) -> list[FactSource]:
        raise NotImplementedError


def _typed(view: View) -> dict[str, int]:
    """Return how many relations of each type there are, and what elements experienced."""
    kinds = Counter(kind for _source, kind, _target, _where in view.relations)
    kinds["EXPERIENCES"] = sum(len(one.experienced) for one in view.events.values())
    return {kind: count for kind, count in sorted(kinds.items()) if count}


def _facts(chunks: dict[str, ChunkFacts]) -> set[str]:
    return {fact.id for each in chunks.values() for fact in each.facts}


def _lacking(places: list[FactSource]) -> Lacking:
    places = sorted(places, key=lambda place: place.fact_id)
    return Lacking(count=len(places), examples=_examples(places[:5]))


def _examples(places: list[FactSource]) -> tuple[Example, ...]:
    return tuple(Example(id=one.fact_id, text=one.fact, document=one.title) for one in places)
