"""The read side of the graph within a scope: the ports of steps and searches over a view."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import NoReturn

from hopline.models.documents import Chunk, Document, KeyElement
from workers.adapters.neo4j.rows import ELEMENTS_SCANNED, FACTS_SCANNED, PLACES
from workers.adapters.neo4j.scoped.view import View
from workers.adapters.neo4j.snapshot.arrays import bounded
from workers.core.graph.elements import element_spellings
from workers.core.graph.paths import ChunkReading
from workers.core.graph.surroundings import (
    CollectionSize,
    FactColumns,
    GraphSnapshot,
    NamedElement,
    SaidChunk,
    SaidFact,
    most_used,
)
from workers.core.graph.vectors import Kind
from workers.core.ids import element_id
from workers.core.language.index_words import name_words
from workers.core.language.text import normalise
from workers.core.records import FactSource, Hit, Neighbour, NodeReading

_SHARED = "SHARES_FACT"
_STATE = ""  # a view shows one state of the graph, so its mark never changes


class ScopedNodes:
    """`core.ports.NodeGraph` within a scope; typed relations are left out."""

    def __init__(self, view: View) -> None:
        self._view = view

    def read_node(
        self,
        collection: str,  # noqa: ARG002 - the view is of one
        node_id: str,
        *,
        near: Sequence[str] = (),
        max_facts: int,
        max_neighbours: int,
    ) -> NodeReading | None:
        """Return a node with its facts and degree-capped neighbours; those in `near` come first."""
        view = self._view
        element = view.element(node_id)
        if element is None:
            return None
        order = {name: nth for nth, name in enumerate(near)}
        facts = scanned(view, element, near)
        best = {fact: view.best_of(fact, {element}) for fact in facts}
        places, ids = view.contents.places, view.contents.facts
        facts.sort(
            key=lambda fact: (
                order.get(ids[fact], len(order)),
                not places[best[fact]].grounded,
                -len(view.places_of(fact)),
                -places[best[fact]].match,
                fact,
            )
        )
        neighbours = joined(view, facts, {element}, max_neighbours) if max_neighbours else []
        return NodeReading(
            id=view.contents.elements[element],
            name=view.contents.names[element],
            labels=("KeyElement",),
            facts=tuple(view.source(best[fact]) for fact in facts[:max_facts]),
            neighbours=tuple(neighbours),
            spelled=view.shown_name(element),
        )

    def elements_named(self, collection: str, names: Sequence[str]) -> dict[str, list[KeyElement]]:
        """Return the key elements for each name that equals their normalised name or alias."""
        return {
            name: [self._view.key_element(at) for at in self._bearing(collection, name)] for name in names
        }

    def _bearing(self, collection: str, name: str) -> list[int]:
        forms = [self._view.element(element_id(collection, form)) for form in element_spellings(name)]
        by_name = list(dict.fromkeys(at for at in forms if at is not None))
        return [*by_name, *sorted(self._view.spelled(normalise(name)).difference(by_name))]

    def elements_like(self, collection: str, text: str, limit: int) -> list[Hit]:  # noqa: ARG002 - as read_node
        """Return key elements by words of their names, largest share of words first."""
        view, wanted = self._view, set(name_words(text))
        scored = [
            (len(shared) / math.sqrt(len(have)), at)
            for at, name in enumerate(view.contents.names)
            if view.degrees[at] and (shared := wanted & (have := set(name_words(name))))
        ]
        best = sorted(scored, key=lambda entry: (-entry[0], entry[1]))[:limit]
        return [
            Hit(view.contents.elements[at], "element", score, view.contents.names[at]) for score, at in best
        ]

    def elements(self, collection: str, ids: Sequence[str]) -> list[KeyElement]:  # noqa: ARG002 - as read_node
        """Return the key elements with these ids."""
        elements = dict.fromkeys(self._view.element(name) for name in ids)
        return [self._view.key_element(at) for at in elements if at is not None]

    def fact_sources(self, collection: str, fact_ids: Sequence[str]) -> list[FactSource]:  # noqa: ARG002
        """Return every place that states one of these facts, in the given order, best place first."""
        view = self._view
        sources = []
        for fact in dict.fromkeys(view.fact(name) for name in fact_ids):
            rest = view.places_of(fact) if fact is not None else []
            while rest:
                best = view.best_place(rest)
                rest.remove(best)
                sources.append(view.source(best))
        return sources

    def chunks(self, collection: str, chunk_ids: Sequence[str]) -> list[tuple[Chunk, Document]]:  # noqa: ARG002
        """Return chunks with their documents, in the given order."""
        view = self._view
        chunks = dict.fromkeys(view.chunk(name) for name in chunk_ids)
        return [(view.chunk_record(at), view.document_of(at)) for at in chunks if at is not None]

    def held(self, collection: str, ids: Sequence[str]) -> NoReturn:
        """Raise: what is embedded is read without a scope."""
        raise NotImplementedError

    def texts(self, collection: str) -> Iterator[list[tuple[str, Kind, str]]]:
        """Raise: what is embedded is read without a scope."""
        raise NotImplementedError


class ScopedPaths:
    """`core.graph.paths.PathGraph` within a scope."""

    def __init__(self, view: View) -> None:
        self._view = view

    def facts_of(
        self,
        collection: str,  # noqa: ARG002 - the view is of one
        element_ids: Sequence[str],
        *,
        near: Sequence[str] = (),
        limit: int,
    ) -> list[FactSource]:
        """Return the facts of key elements, each once with its best place; those in `near` come first."""
        view = self._view
        nodes = positions(view, element_ids)
        order = {name: nth for nth, name in enumerate(near)}
        held: dict[int, int] = {}
        for node in nodes:
            for fact in scanned(view, node, near):
                held[fact] = held.get(fact, 0) + 1
        best = {fact: view.best_of(fact, set(nodes)) for fact in held}
        places = view.contents.places
        ranked = sorted(
            held,
            key=lambda fact: (
                order.get(view.contents.facts[fact], len(order)),
                not places[best[fact]].grounded,
                -held[fact],
                -places[best[fact]].match,
                fact,
            ),
        )
        return [view.source(best[fact]) for fact in ranked[:limit]]

    def read_chunk(self, collection: str, chunk_id: str) -> ChunkReading | None:  # noqa: ARG002 - as facts_of
        """Return a chunk with its facts and the ids of the chunks before and after it."""
        view = self._view
        at = view.chunk(chunk_id)
        if at is None:
            return None
        return ChunkReading(
            chunk=view.chunk_record(at),
            document=view.document_of(at),
            facts=tuple(map(view.source, view.places_in(at))),
            before=view.beside(at, -1),
            after=view.beside(at, 1),
        )

    def neighbours_of(
        self,
        collection: str,  # noqa: ARG002 - as facts_of
        element_ids: Sequence[str],
        *,
        near: Sequence[str] = (),
        limit: int,
    ) -> list[Neighbour]:
        """Return the key elements that share facts with these, best first; see the port."""
        view = self._view
        nodes = positions(view, element_ids)
        facts = sorted({fact for node in nodes for fact in scanned(view, node)})
        nearest: dict[str, str] = {}
        for fact in [at for name in near if (at := view.fact(name)) is not None]:
            for element, _titled in view.elements_of(fact):
                nearest.setdefault(view.contents.elements[element], view.text_of(fact))
        neighbours = joined(view, facts, set(nodes), limit)
        return [
            neighbour.model_copy(update={"context": nearest.get(neighbour.id, neighbour.context)})
            for neighbour in neighbours
        ]

    def facts_held(
        self,
        collection: str,  # noqa: ARG002 - as facts_of
        element_ids: Sequence[str],
        *,
        limit: int,
    ) -> dict[str, tuple[str, ...]]:
        """Return the ids of the facts of each key element, up to a limit for each."""
        view = self._view
        elements = {name: view.element(name) for name in dict.fromkeys(element_ids)}
        return {
            name: tuple(view.contents.facts[fact] for fact in view.facts_of(at)[:limit])
            for name, at in elements.items()
            if at is not None
        }


class ScopedAround:
    """`core.graph.surroundings.AroundGraph` within a scope."""

    def __init__(self, view: View) -> None:
        self._view = view

    def size(self, collection: str) -> CollectionSize:  # noqa: ARG002 - the view is of one
        """Return the numbers of chunks and facts; a fact in two documents counts twice."""
        contents = self._view.contents
        return CollectionSize(chunks=len(contents.chunks), facts=contents.facts_stated)

    def languages(self, collection: str) -> tuple[str, ...]:  # noqa: ARG002
        """Return the languages of the documents, most frequent first."""
        documents = self._view.contents.documents
        return most_used(Counter(language for row in documents for language in row.get("languages") or ("",)))

    def elements_found(
        self,
        collection: str,  # noqa: ARG002
        ids: Sequence[str],
        *,
        spellings: bool = False,
    ) -> list[NamedElement]:
        """Return the key elements that facts mention, with their numbers of facts and chunks."""
        view = self._view
        return [
            NamedElement(
                asked=name,
                id=view.contents.elements[at],
                name=view.contents.names[at],
                degree=int(view.degrees[at]),
                chunks=view.chunk_count(at),
                aliases=view.key_element(at).aliases if spellings else (),
            )
            for name in dict.fromkeys(ids)
            if (at := view.element(name)) is not None
        ]

    def facts_around(self, collection: str, element_ids: Sequence[str], limit: int) -> FactColumns:  # noqa: ARG002
        """Return the facts of some key elements with their connections, up to a limit for each."""
        view, contents = self._view, self._view.contents
        nodes = sorted(positions(view, element_ids))
        facts = list(dict.fromkeys(fact for node in nodes for fact in view.facts_of(node)[:limit].tolist()))
        chunks, chunk_counts = bounded(*contents.chunks_of.of(facts), PLACES)
        elements, counts = bounded(*view.elements_by_fact(facts), ELEMENTS_SCANNED, nodes)
        names = map(view.chunk_name, chunks.tolist())
        return FactColumns(
            facts=[contents.facts[fact] for fact in facts],
            chunks=[name for count in chunk_counts for name in sorted(islice(names, count))],
            chunk_counts=chunk_counts,
            elements=[contents.elements[element] for element in elements.tolist()],
            degrees=view.degrees[elements].tolist(),
            element_counts=counts,
        )

    def chunks_like(
        self,
        collection: str,  # noqa: ARG002
        texts: Sequence[str],
        limit: int,
        snapshot: GraphSnapshot | None = None,  # noqa: ARG002 - there is none
    ) -> list[list[Hit]]:
        """Return, for each text, the chunks with some of its words in text or title, best (BM25) first."""
        view = self._view
        return [
            [Hit(view.chunk_name(at), "chunk", score) for at, score in view.contents.words.best(text, limit)]
            for text in texts
        ]

    def snapshot(self, collection: str) -> None:
        """Return nothing, because the scope is already in memory."""

    def chunks_said(
        self,
        collection: str,
        chunk_ids: Sequence[str],
        max_facts: int,
        snapshot: GraphSnapshot | None = None,  # noqa: ARG002 - there is none
    ) -> list[SaidChunk]:
        """Return chunks in the given order, each with a limited number of facts."""
        view = self._view

        def read(ids: list[str]) -> list[SaidChunk]:
            chunks = [at for name in ids if (at := view.chunk(name)) is not None]
            return [
                SaidChunk(
                    chunk=view.chunk_record(at),
                    document=view.document_of(at),
                    facts=tuple(self._read_fact(place) for place in view.places_in(at)[:max_facts]),
                )
                for at in chunks
            ]

        return view.chunk_cache.read(_STATE, collection, list(dict.fromkeys(chunk_ids)), max_facts, read)

    def _read_fact(self, place: int) -> SaidFact:
        view, contents = self._view, self._view.contents
        fact = int(contents.place_fact[place])
        elements = [element for element, _titled in view.elements_of(fact)][:ELEMENTS_SCANNED]
        named = tuple((contents.elements[element], contents.names[element]) for element in elements)
        return SaidFact(contents.facts[fact], contents.places[place].text, named)


def positions(view: View, element_ids: Iterable[str]) -> list[int]:
    """Return the positions of the key elements in the view, each once."""
    elements = dict.fromkeys(view.element(name) for name in element_ids)
    return [at for at in elements if at is not None]


def scanned(view: View, element: int, near: Sequence[str] = ()) -> list[int]:
    """Return an element's facts by id; for a hub, some hundred and those near the question."""
    facts: list[int] = view.facts_of(element).tolist()
    if len(facts) <= FACTS_SCANNED:
        return facts
    wanted = {at for name in near if (at := view.contents.fact_at.get(name)) is not None}
    return sorted({*facts[:FACTS_SCANNED], *wanted.intersection(facts)})


def joined(view: View, facts: Sequence[int], nodes: Collection[int], limit: int) -> list[Neighbour]:
    """Return the elements that facts connect with some key elements, best first.

    Ranked by shared facts over the logarithm of the degree, ties by id; each comes with the first fact.
    """
    joining: dict[int, list[int]] = {}
    by_title: dict[int, int] = {}
    for fact in facts:
        for element, titled in view.elements_of(fact)[:ELEMENTS_SCANNED]:
            joining.setdefault(element, []).append(fact)
            by_title[element] = by_title.get(element, 0) + titled
    ids = view.contents.elements
    best = sorted(
        joining.keys() - nodes,
        key=lambda at: (-len(joining[at]) / math.log(1 + int(view.degrees[at])), ids[at]),
    )
    return [
        Neighbour(
            id=ids[element],
            name=view.contents.names[element],
            relationship=_SHARED,
            shared=len(joining[element]),
            degree=int(view.degrees[element]),
            titled=by_title[element] == len(joining[element]),
            context=view.text_of(joining[element][0]),
            spelled=view.shown_name(element),
        )
        for element in best[:limit]
    ]
