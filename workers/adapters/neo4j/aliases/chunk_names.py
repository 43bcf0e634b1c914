"""Reads, replaces and settles what live chunks state of names."""

from __future__ import annotations

from collections.abc import Sequence

from workers.adapters.neo4j.aliases.lines import name_lines
from workers.adapters.neo4j.aliases.settlement import AliasSettlement
from workers.adapters.neo4j.connection import Connection
from workers.adapters.neo4j.rows import placeless_facts, to_chunk
from workers.core.ports import ChunkFacts


class ChunkNames:
    """What live chunks state of names, and what follows from it."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._aliases = AliasSettlement(connection)

    def unnamed_chunks(self, document_id: str, *, after: int = -1, limit: int = 100) -> list[ChunkFacts]:
        """Return a page of a document's live chunks with which nothing is kept of names, ordered by index."""
        rows = self._connection.run("unnamed_chunks", document=document_id, after=after, limit=limit)
        return [ChunkFacts(chunk=to_chunk(row["chunk"]), facts=placeless_facts(row["facts"])) for row in rows]

    def note_names(self, chunks: Sequence[ChunkFacts]) -> None:
        """Keep with live chunks what they state of names."""
        rows = [{"id": one.chunk.id, "names": lines} for one in chunks if (lines := name_lines(one))]
        if rows:
            self._connection.run("note_names", chunks=rows)

    def settle_names(self, documents: Sequence[str]) -> None:
        """Bring the names in line that some documents of one collection bear on."""
        self._aliases.settle(documents)

    def settle_elements(self, collection: str, elements: Sequence[str]) -> None:
        """Bring the names in line that depend on key elements which a person merged or parted."""
        self._aliases.settle_elements(collection, elements)
