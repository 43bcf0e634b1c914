"""Reads what people browse: the facts around a key element, and excerpts of a document's text."""

from __future__ import annotations

from collections.abc import Sequence

from hopline.models.graph import FactPlace, NearElement, NearFact, NearRelation, Neighbourhood, Passage
from workers.adapters.neo4j.connection import Connection, Row
from workers.adapters.neo4j.rows import (
    ELEMENTS_SCANNED,
    FACTS_SCANNED,
    PLACES_SCANNED,
    to_document,
    whole,
)
from workers.core.graph.neighbourhood import NamedFact, Piece, cut_passage


class NeighbourhoodReader:
    """`core.graph.neighbourhood.NeighbourGraph` over a real Neo4j; every method is one query."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def neighbourhood(
        self, collection: str, element_id: str, *, document: str | None = None, limit: int
    ) -> Neighbourhood | None:
        """Return the live facts of a key element, with places and elements; None if it has none."""
        rows = self._connection.run(
            "neighbourhood",
            collection=collection,
            id=element_id,
            document=document,
            limit=limit,
            facts_scanned=max(FACTS_SCANNED, limit + 1),
            places_scanned=PLACES_SCANNED,
            elements_scanned=ELEMENTS_SCANNED,
        )
        # A fact that was deleted while it was read comes back without its id.
        rows = [row for row in rows if row["id"] and whole([row["centre"]])]
        if not rows:
            return None
        centre = _element(rows[0]["centre"])
        near = {centre.id: centre}
        near |= {each["id"]: _element(each) for row in rows for each in whole(row["others"])}
        return Neighbourhood(
            collection=collection,
            centre=centre.id,
            elements=tuple(near.values()),
            facts=tuple(_fact(row, centre.id) for row in rows),
            more=rows[0]["found"] > limit,
        )

    def relations_among(self, collection: str, element_ids: Sequence[str], limit: int) -> list[NearRelation]:
        """Return the typed relations between some key elements, those that most facts state first."""
        rows = self._connection.run(
            "relations_among", collection=collection, ids=list(element_ids), limit=limit
        )
        return [NearRelation(**{**row, "facts": tuple(row["facts"])}) for row in rows]

    def facts_sampled(self, collection: str, limit: int) -> list[NamedFact]:
        """Return some live facts that a sentence was found for, with their elements, ordered by id."""
        rows = self._connection.run(
            "facts_sampled", collection=collection, limit=limit, elements_scanned=ELEMENTS_SCANNED
        )
        return [
            NamedFact(id=row["id"], text=row["text"], elements=tuple(map(_element, whole(row["elements"]))))
            for row in rows
            if row["id"]
        ]

    def passage(self, document_id: str, start: int, end: int) -> Passage | None:
        """Return the live text from start to end, or to where it ends; None if there is no document."""
        rows = self._connection.run("passage", id=document_id, start=start, end=end)
        if not rows:
            return None
        row = rows[0]
        pieces = [Piece(*piece) for piece in row["pieces"] if None not in piece]
        return cut_passage(to_document(row["document"]), pieces, row["length"], start, end)


def _element(row: Row) -> NearElement:
    return NearElement(**{**row, "aliases": tuple(sorted(row["aliases"]))})


def _fact(row: Row, centre: str) -> NearFact:
    return NearFact(
        id=row["id"],
        text=row["text"],
        elements=(centre, *(each["id"] for each in whole(row["others"]))),
        sources=tuple(FactPlace(**place) for place in whole(row["sources"])),
    )
