"""Graph queries for the reader strategy: facts of nodes, chunks with neighbours, related nodes."""

from __future__ import annotations

from collections.abc import Sequence

from workers.adapters.neo4j.connection import Connection
from workers.adapters.neo4j.rows import (
    ELEMENTS_SCANNED,
    FACTS_SCANNED,
    PLACES_SCANNED,
    to_chunk,
    to_document,
    whole,
)
from workers.core.graph.paths import ChunkReading
from workers.core.model import FactSource, Neighbour


class PathReader:
    """`core.reading.PathGraph` over a real Neo4j; every method is one query."""

    _connection: Connection

    def facts_of(
        self, collection: str, element_ids: Sequence[str], *, near: Sequence[str] = (), limit: int
    ) -> list[FactSource]:
        """Return the facts of key elements, each once with its best live place, those of near first."""
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

    def neighbours_of(self, collection: str, element_ids: Sequence[str], *, limit: int) -> list[Neighbour]:
        """Return the key elements that share live facts with these, best first."""
        rows = self._connection.run(
            "neighbours_of",
            collection=collection,
            ids=list(dict.fromkeys(element_ids)),
            limit=limit,
            facts_scanned=FACTS_SCANNED,
            elements_scanned=ELEMENTS_SCANNED,
        )
        return [Neighbour(**near) for near in whole(row["neighbour"] for row in rows)]
