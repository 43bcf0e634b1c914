"""Immediate reads of the graph, without a job: collections, facts around a name, merges, schema."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from hopline.errors import InvalidInput, NoDocuments, NotFound, Permanent, Transient
from hopline.models.graph import (
    LONGEST_NAME,
    MOST_FACTS,
    USUAL_FACTS,
    FactPlace,
    NearElement,
    NearFact,
    Neighbourhood,
)
from hopline.models.topics import LEVELS, MOST_TOPICS, TopicDetail, TopicList
from producer.service.backend import Part
from producer.service.example_questions import FACTS_READ, questions_from
from workers.core.graph.neighbourhood import MOST_RELATIONS
from workers.core.jobs.params import check_collection
from workers.core.scope import Scope

if TYPE_CHECKING:
    from hopline.models.census import GraphCensus
    from hopline.models.documents import KeyElement
    from hopline.models.graph_schema import GraphSchema
    from hopline.models.merges import Merge, NameCandidates
    from hopline.models.topics import TopicEpoch
    from workers.core.records import FactSource

_CANDIDATES = 8
_PAGE = 200


class Graph(Part):
    """The contents of the graph, and the jobs that change it as a whole."""

    def collections(self, principals: Sequence[str] | None = None) -> dict[str, int]:
        """Return each collection with its number of documents.

        Args:
            principals: count only documents that these may see, and leave out collections without any; None
                for all.
        """
        sizes = self._services.graph.store.collections()
        if principals is None:
            return sizes
        scopes, seen = self._services.scopes, Scope().seen_by(principals)
        counts = {name: len(scopes.documents_in(name, seen)) for name in sizes}
        return {name: count for name, count in counts.items() if count}

    def census(self, collection: str, *, lengths: bool = False) -> GraphCensus:
        """Return a collection's graph in numbers, with the length of facts if requested.

        Raises:
            InvalidInput: the collection's name is not valid.
            NoDocuments: it has no document, including ones that are being written.
        """
        graph = self._services.graph
        census = graph.census(check_collection(collection), lengths=lengths)
        if not (census.live.documents or census.hidden.documents):
            raise NoDocuments(collection, graph.store.collections())
        figure = None
        with suppress(Transient, Permanent):
            figure = self._services.vectors.figure(collection)
        return census.model_copy(
            update={"embedder": figure, **dict(self._services.collection_titles.read(collection))}
        )

    def example_questions(self, collection: str, limit: int) -> list[str]:
        """Return questions that facts of a collection answer, formed without a model.

        Raises:
            InvalidInput: the collection's name is not valid.
            NoDocuments: it has no live document.
        """
        graph, where = self._services.graph, check_collection(collection)
        if not graph.store.has_documents(where):
            raise NoDocuments(where, graph.store.collections())
        return questions_from(graph.views.facts_sampled(where, FACTS_READ), limit)

    def neighbourhood(
        self,
        collection: str,
        *,
        name: str | None = None,
        element: str | None = None,
        document: str | None = None,
        limit: int = USUAL_FACTS,
    ) -> Neighbourhood:
        """Return the facts around a key element, by its name or its id; see `AsyncGraph.neighbourhood`.

        Raises:
            InvalidInput: names the field, what was given and what is allowed.
        """
        graph, where = self._services.graph, check_collection(collection)
        _check(name, element, limit)
        known = graph.nodes.elements(where, [element]) if element else self._meant(where, name or "")
        if not known:
            return Neighbourhood(collection=where)
        around = graph.views.neighbourhood(where, known[0].id, document=document, limit=limit)
        around = around or self._alone(where, known[0])
        candidates = [*graph.merging.candidates_of(where, known[0].id), *known[1:]]
        others = {candidate.id: candidate for candidate in candidates if candidate.id != known[0].id}
        shown = [near.id for near in around.elements]
        relations = graph.views.relations_among(where, shown, MOST_RELATIONS)
        return around.model_copy(update={"candidates": tuple(others.values()), "relations": tuple(relations)})

    def schema(
        self, collection: str | None = None, *, internal: bool = False, refresh: bool = False
    ) -> GraphSchema:
        """Return the schema of the tools' database, or of the graph that tools query for a collection."""
        if collection is None:
            return self._services.schema.schema(internal=internal, refresh=refresh)
        ports = self._services.tool_ports(check_collection(collection))
        if ports.is_own:
            return ports.schema_source.of_collection(collection)
        return ports.schema_source.schema(internal=internal, refresh=refresh)

    def merges_after(self, merge: str, limit: int, collection: str | None = None) -> list[Merge]:
        """Return the merges after an id, or the beginning of one, ordered by id."""
        return self._services.graph.merging.merges(collection, after=merge, limit=limit)

    def name_candidates_after(self, element: str, limit: int, collection: str) -> list[NameCandidates]:
        """Return the ambiguous names after an element's id, ordered by id."""
        return self._services.graph.merging.name_candidates(collection, after=element, limit=limit)

    def merge(self, merge: str) -> Merge | None:
        """Return a merge; None if there is none."""
        return self._services.graph.merging.merge(merge)

    def topic_epoch(self, collection: str) -> TopicEpoch:
        """Return the newest epoch of a collection's topics.

        Raises:
            InvalidInput: the collection's name is not valid.
            NoDocuments: it has no live document.
            NotFound: it has no topics.
        """
        where = self.require_facts(collection)
        epoch = self._services.graph.topics.epoch(where)
        if epoch is None:
            raise NotFound(
                f"collection {where} has no topics yet: `hopline topics build -c {where}` builds them"
            )
        return epoch

    def require_facts(self, collection: str) -> str:
        """Return a collection's name after checking that it has a live document.

        Raises:
            InvalidInput: the name is not valid.
            NoDocuments: it has none.
        """
        graph, where = self._services.graph, check_collection(collection)
        if not graph.store.has_documents(where):
            raise NoDocuments(where, graph.store.collections())
        return where

    def topics(
        self, collection: str, level: int = 0, *, parent: str | None = None, after: str = "", limit: int = 100
    ) -> TopicList:
        """Return the largest topics of a level, or within a topic; see `AsyncTopics.list`.

        Args:
            collection: whose topics.
            level: level of the topics; 0 has the largest.
            parent: only those within this topic.
            after: the epoch, and the number of topics on previous pages, as in `next`; "" for the first page.
            limit: maximum number of topics.

        Raises:
            InvalidInput: names the field, what was given and what is allowed.
            NotFound: as `topic_epoch`; there is no such parent.
        """
        if not 0 <= level < LEVELS:
            raise InvalidInput("level", level, f"0 to {LEVELS - 1}, 0 the coarsest")
        if not 1 <= limit <= MOST_TOPICS:
            raise InvalidInput("limit", limit, f"1 to {MOST_TOPICS}")
        epoch = self.topic_epoch(collection)
        reads = self._services.graph.topics
        if parent is not None:
            level = self._level_within(collection, epoch.id, parent)
        of, _, seen = after.partition(":")
        if after and (of != epoch.id or not seen.isdecimal()):
            raise InvalidInput(
                "cursor", after, "the `next` of a page of topics that have not been rebuilt since"
            )
        first = int(seen or 0)
        read = reads.topic_page(collection, epoch.id, level, parent=parent, limit=first + limit + 1)
        topics, following = read[first : first + limit], f"{epoch.id}:{first + limit}"
        return TopicList(
            collection=collection,
            epoch=epoch,
            level=level,
            parent=parent,
            topics=tuple(topics),
            next=following if len(read) > first + limit else None,
        )

    def topic(self, collection: str, topic: str, *, facts: int = 20) -> TopicDetail:
        """Return a topic with its parents and its most central facts.

        Args:
            collection: whose topic.
            topic: its id.
            facts: maximum number of facts, 0 to 200.

        Raises:
            InvalidInput: names the field, what was given and what is allowed.
            NotFound: as `topic_epoch`; there is no such topic.
        """
        if not 0 <= facts <= MOST_FACTS:
            raise InvalidInput("facts", facts, f"0 to {MOST_FACTS}")
        epoch = self.topic_epoch(collection)
        reads = self._services.graph.topics
        chain = reads.topics(collection, epoch.id, [topic])
        if not chain:
            raise NotFound(f"no topic {topic}: `hopline topics -c {collection}` lists them")
        central = reads.central_facts(collection, epoch.id, [topic], facts).get(topic, []) if facts else []
        *within, record = chain
        return TopicDetail(
            collection=collection,
            epoch=epoch,
            within=tuple(within),
            topic=record,
            facts=tuple(self._facts_with_places(collection, central)),
        )

    def _facts_with_places(self, collection: str, ids: Sequence[str]) -> list[NearFact]:
        """Return live facts in the given order, each with its places, grounded and best matches first."""
        places: dict[str, list[FactSource]] = {}
        for source in self._services.graph.nodes.fact_sources(collection, ids):
            places.setdefault(source.fact_id, []).append(source)
        for some in places.values():
            some.sort(
                key=lambda source: (not source.grounded, -source.match, source.document_id, source.start)
            )
        return [near_fact(places[fact_id]) for fact_id in ids if fact_id in places]

    def _level_within(self, collection: str, epoch: str, parent: str) -> int:
        """Return the level of the topics within a topic."""
        chain = self._services.graph.topics.topics(collection, epoch, [parent])
        if not chain:
            raise NotFound(f"no topic {parent}: `hopline topics -c {collection}` lists them")
        if chain[-1].level == LEVELS - 1:
            raise InvalidInput("parent", parent, "a topic above the finest level")
        return chain[-1].level + 1

    def migrate(self) -> int:
        """Bring constraints and indexes up to date; return their version."""
        return self._services.graph.migrate()

    def _meant(self, collection: str, name: str) -> list[KeyElement]:
        """Return the key elements that a name may mean, most likely first."""
        graph = self._services.graph
        if known := graph.nodes.elements_named(collection, [name])[name]:
            return known[: 1 + _CANDIDATES]
        hits = graph.nodes.elements_like(collection, name, 1 + _CANDIDATES)
        return graph.nodes.elements(collection, [hit.id for hit in hits]) if hits else []

    def _alone(self, collection: str, element: KeyElement) -> Neighbourhood:
        """Return the empty neighbourhood of an element that the requested document does not mention."""
        entries = self._services.graph.around.elements_found(collection, [element.id])
        degree = entries[0].degree if entries else 0
        near = NearElement(id=element.id, name=element.name, aliases=element.aliases, degree=degree)
        return Neighbourhood(collection=collection, centre=element.id, elements=(near,))


def _check(name: str | None, element: str | None, limit: int) -> None:
    wanted = name if element is None else element
    if wanted is None or not wanted.strip() or len(wanted) > LONGEST_NAME:
        raise InvalidInput(
            "name", wanted, f"a key element's name of 1 to {LONGEST_NAME} characters, or its id"
        )
    if not 1 <= limit <= MOST_FACTS:
        raise InvalidInput("limit", limit, f"1 to {MOST_FACTS}")


def near_fact(places: Sequence[FactSource]) -> NearFact:
    """Return a fact with at least one of its places, without its elements."""
    stands = FactPlace.model_fields
    return NearFact(
        id=places[0].fact_id,
        text=places[0].fact,
        elements=(),
        sources=tuple(FactPlace(**place.model_dump(include=set(stands))) for place in places),
    )
