"""Reads the graph: only the content of live document versions is visible."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from hopline.models.documents import Chunk, Document, KeyElement
from hopline.models.graph_schema import INTERNAL_PROPERTIES, PROVENANCE
from workers.adapters.neo4j.connection import Connection, Row
from workers.adapters.neo4j.rows import (
    ELEMENTS_SCANNED,
    FACTS_SCANNED,
    MOST_FETCHED,
    PLACES_SCANNED,
    all_words,
    any_name,
    to_chunk,
    to_document,
    to_element,
    to_value,
    whole,
)
from workers.core import ids as graph_ids
from workers.core.graph.elements import element_spellings, spelled
from workers.core.graph.paths import ChunkReading
from workers.core.graph.vectors import Kind
from workers.core.language.text import normalise
from workers.core.records import FactSource, Hit, Neighbour, NodeReading

_CANDIDATES = 50  # elements looked at per name asked for
_SLACK = 10  # hits fetched beyond the limit, for some are hidden
_PAGE = 500  # texts
# What hopline writes to a node itself.
_OWN = INTERNAL_PROPERTIES | PROVENANCE | {"id", "name", "aliases", "restored_from"}
_KINDS: tuple[Kind, ...] = ("chunk", "fact", "element")


class GraphReader:
    """Facts and their places, key elements and their neighbours, searches."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def read_node(
        self,
        collection: str,
        node_id: str,
        *,
        near: Sequence[str] = (),
        max_facts: int,
        max_neighbours: int,
    ) -> NodeReading | None:
        """Return a node with its facts and degree-capped neighbours, in one query.

        Each fact comes with its best place; those in `near` first, in its order, then grounded ones, then
        those stated in several places. Neighbours are ranked by shared facts over the logarithm of their
        degree.
        """
        rows = self._connection.run(
            "read_node",
            collection=collection,
            id=node_id,
            near={name: nth for nth, name in enumerate(near)},
            max_facts=max_facts,
            max_neighbours=max_neighbours,
            facts_scanned=max(FACTS_SCANNED, max_facts),
            places_scanned=PLACES_SCANNED,
            elements_scanned=ELEMENTS_SCANNED,
        )
        if not rows or "id" not in rows[0]["properties"] or not (rows[0]["held"] or rows[0]["related"]):
            return None
        row = rows[0]
        return NodeReading(
            id=row["properties"]["id"],
            name=row["properties"]["name"],
            labels=tuple(sorted(row["labels"])),
            element_id=row["element_id"],
            properties=_scalars(row["properties"]),
            facts=tuple(FactSource(**fact) for fact in whole(row["facts"])),
            neighbours=_ranked(row["neighbours"], row["related"], max_neighbours),
            spelled=spelled(row["properties"]["name"], row["properties"].get("aliases", ())),
        )

    def elements_named(self, collection: str, names: Sequence[str]) -> dict[str, list[KeyElement]]:
        """Return the key elements for each name that equals their normalised name or alias."""
        lookups = [
            {
                "name": name,
                "ids": [graph_ids.element_id(collection, form) for form in element_spellings(name)],
                "query": all_words(collection, "aliases", name),
            }
            for name in dict.fromkeys(names)
        ]
        rows = self._connection.run("elements_named", collection=collection, names=lookups, limit=_CANDIDATES)
        candidates = {row["name"]: row["elements"] for row in rows}
        return {name: _bearing(name, candidates.get(name, ())) for name in names}

    def elements_like(self, collection: str, text: str, limit: int) -> list[Hit]:
        """Return key elements by full-text search over names and aliases, best first."""
        found: dict[str, Hit] = {}
        for query in any_name(collection, text):
            for hit in self._hits("elements_like", "element", query, limit):
                found[hit.id] = max(hit, found.get(hit.id, hit), key=lambda each: each.score)
        return sorted(found.values(), key=lambda hit: (-hit.score, hit.id))[:limit]

    def elements(self, collection: str, ids: Sequence[str]) -> list[KeyElement]:
        """Return the key elements with these ids that a live document mentions."""
        rows = self._connection.run("elements", collection=collection, ids=_distinct(ids))
        return [to_element(element) for element in whole(rows[0]["elements"])]

    def fact_sources(self, collection: str, fact_ids: Sequence[str]) -> list[FactSource]:
        """Return every live place that states one of these facts, in the given order, best place first."""
        rows = self._connection.run("fact_sources", collection=collection, ids=_distinct(fact_ids))
        return [FactSource(**source) for source in whole(row["source"] for row in rows)]

    def chunks(self, collection: str, chunk_ids: Sequence[str]) -> list[tuple[Chunk, Document]]:
        """Return live chunks with their documents, in the given order."""
        rows = self._connection.run("chunks", collection=collection, ids=_distinct(chunk_ids))
        return [
            (to_chunk(row["chunk"]), to_document(row["document"])) for row in rows if whole([row["chunk"]])
        ]

    def held(self, collection: str, ids: Sequence[str]) -> list[tuple[str, Kind, str]]:
        """Return (graph id, kind, text) of the given nodes that exist, including hidden ones."""
        by_letter = {
            letter: [graph_id for graph_id in ids if graph_id.startswith(letter)] for letter in "cfk"
        }
        rows = self._connection.run(
            "held",
            collection=collection,
            chunks=by_letter["c"],
            facts=by_letter["f"],
            elements=by_letter["k"],
        )
        return [(row["id"], row["kind"], row["text"]) for row in rows]

    def texts(self, collection: str) -> Iterator[list[tuple[str, Kind, str]]]:
        """Yield pages of (graph id, kind, text) of all nodes that have vectors."""
        for kind in _KINDS:
            after = ""
            while rows := self._connection.run(
                f"texts_{kind}", collection=collection, after=after, limit=_PAGE
            ):
                after = rows[-1]["id"]
                if page := [(row["id"], kind, row["text"]) for row in rows if row["live"]]:
                    yield page

    def _hits(self, search: str, kind: Kind, query: str, limit: int) -> list[Hit]:
        if not query or limit < 1:
            return []
        fetched = limit + _SLACK
        while True:
            rows = self._connection.run(search, query=query, limit=fetched)
            live = [row for row in rows if row["live"]]
            if len(live) >= limit or len(rows) < fetched or fetched >= MOST_FETCHED:
                break
            fetched = min(4 * fetched, MOST_FETCHED)
        return [Hit(id=r["id"], kind=kind, score=r["score"], text=r["text"]) for r in live[:limit]]


def _distinct(ids: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(ids))


def _bearing(name: str, candidates: Sequence[Row]) -> list[KeyElement]:
    """Return the candidates that really have the name, first by their own name, then by an alias."""
    forms = element_spellings(name)
    plain = normalise(name)

    def rank(row: Row) -> int | None:
        borne = [forms.index(form) for form in (row["name"], *row["names"]) if form in forms]
        if borne:
            return min(borne)
        return len(forms) if any(normalise(alias) == plain for alias in row["aliases"]) else None

    ranked = [(place, row["id"], row) for row in candidates if (place := rank(row)) is not None]
    return [to_element(row) for _place, _id, row in sorted(ranked, key=lambda entry: entry[:2])]


def _ranked(sharing: Sequence[Row], related: Sequence[Row], limit: int) -> tuple[Neighbour, ...]:
    """Return each neighbour once; a related neighbour that also shares facts comes with these."""
    neighbours = {row["id"]: row for row in whole(sharing)}
    for row in whole(related):
        types = {"relationship": ", ".join(sorted(row["relationship"]))}
        neighbours[row["id"]] = {**row, **neighbours.get(row["id"], {}), **types}
    ranked = sorted(
        neighbours.values(), key=lambda row: (-row["shared"] / math.log(1 + row["degree"]), row["id"])
    )
    return tuple(map(_neighbour, ranked[:limit]))


def _neighbour(row: Row) -> Neighbour:
    told = {name: value for name, value in row.items() if name != "aliases"}
    return Neighbour(**told, spelled=spelled(row["name"], row["aliases"] or ()))


def _scalars(properties: Row) -> Row:
    """Return other programs' properties of a node: dates as texts, without lists, points and bytes."""
    own = {name: value for name, value in properties.items() if name not in _OWN}
    kept = {name: value for name, value in own.items() if not isinstance(value, bytes | bytearray)}
    values = {name: to_value(value) for name, value in kept.items()}
    return {name: value for name, value in values.items() if isinstance(value, str | int | float | bool)}


class PathReader:
    """`core.graph.paths.PathGraph` over a real Neo4j; every method is one query."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def facts_of(
        self, collection: str, element_ids: Sequence[str], *, near: Sequence[str] = (), limit: int
    ) -> list[FactSource]:
        """Return the facts of key elements, each once with its best live place, those in `near` first."""
        rows = self._connection.run(
            "facts_of",
            collection=collection,
            ids=list(dict.fromkeys(element_ids)),
            near=list(dict.fromkeys(near)),
            limit=limit,
            facts_scanned=max(FACTS_SCANNED, limit),
            places_scanned=PLACES_SCANNED,
        )
        return [FactSource(**source) for source in whole(row["source"] for row in rows)]

    def facts_held(
        self, collection: str, element_ids: Sequence[str], *, limit: int
    ) -> dict[str, tuple[str, ...]]:
        """Return the ids of live facts of each key element, up to `limit` of each, in no particular order."""
        ids = list(dict.fromkeys(element_ids))
        rows = self._connection.run("facts_held", collection=collection, ids=ids, limit=limit)
        return {row["id"]: tuple(row["facts"]) for row in rows}

    def read_chunk(self, collection: str, chunk_id: str) -> ChunkReading | None:
        """Return a live chunk with its facts and the ids of the chunks before and after it."""
        rows = self._connection.run("read_chunk", collection=collection, id=chunk_id)
        if not rows or not whole([rows[0]["chunk"]]):
            return None
        row = rows[0]
        return ChunkReading(
            chunk=to_chunk(row["chunk"]),
            document=to_document(row["document"]),
            facts=tuple(FactSource(**fact) for fact in whole(row["facts"])),
            before=row["before"],
            after=row["after"],
        )

    def neighbours_of(
        self, collection: str, element_ids: Sequence[str], *, near: Sequence[str] = (), limit: int
    ) -> list[Neighbour]:
        """Return the key elements that share live facts with these, best first."""
        rows = self._connection.run(
            "neighbours_of",
            collection=collection,
            ids=list(dict.fromkeys(element_ids)),
            near=list(near),
            limit=limit,
            facts_scanned=FACTS_SCANNED,
            elements_scanned=ELEMENTS_SCANNED,
        )
        return list(map(_neighbour, whole(row["neighbour"] for row in rows)))
