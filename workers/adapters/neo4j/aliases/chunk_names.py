"""Reads, replaces and settles the statements of live chunks about names."""

from __future__ import annotations

from collections.abc import Sequence

from workers.adapters.neo4j.aliases.lines import claims_of, name_lines, short_forms_of
from workers.adapters.neo4j.aliases.settlement import AliasSettlement
from workers.adapters.neo4j.connection import Connection, Row
from workers.adapters.neo4j.rows import placeless_facts, to_chunk
from workers.core.ports import ChunkFacts


class ChunkNames:
    """Names stated by live chunks, and the aliases that follow from them."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._aliases = AliasSettlement(connection)

    def named_chunks(self, document_id: str, *, after: int = -1, limit: int = 100) -> list[ChunkFacts]:
        """Return a page of a document's live chunks with their data about names, ordered by index."""
        rows = self._connection.run("named_chunks", document=document_id, after=after, limit=limit)
        return [_named_chunk(row) for row in rows]

    def note_names(self, chunks: Sequence[tuple[ChunkFacts, ChunkFacts]]) -> None:
        """Store statements about names with live chunks, given as (before, after), unless changed since."""
        rows = [
            {"id": after.chunk.id, "before": name_lines(before) or [], "names": name_lines(after) or []}
            for before, after in chunks
        ]
        if rows:
            self._connection.run("note_names", chunks=rows)

    def settle_names(self, documents: Sequence[str]) -> None:
        """Update the names that depend on the given documents of one collection."""
        self._aliases.settle(documents)

    def settle_elements(self, collection: str, elements: Sequence[str]) -> None:
        """Update the names that depend on key elements that a person merged or separated."""
        self._aliases.settle_elements(collection, elements)


def _named_chunk(row: Row) -> ChunkFacts:
    return ChunkFacts(
        chunk=to_chunk(row["chunk"]),
        facts=placeless_facts(row["facts"]),
        claims=claims_of(row["names"]),
        short_forms=short_forms_of(row["names"]),
    )
