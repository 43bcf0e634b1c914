"""Reads stored documents: their live chunks, and the hash of the bytes they were made from."""

from __future__ import annotations

from workers.adapters.neo4j.connection import Connection
from workers.adapters.neo4j.rows import to_chunk
from workers.core.model import Chunk


class StandingStore:
    """`core.standing.StandingGraph` over a real Neo4j."""

    _connection: Connection

    def chunks_standing(self, document_id: str, *, after: int = -1, limit: int = 500) -> list[Chunk]:
        """Return a page of a live document's chunks by index; after is the last index of the page before."""
        rows = self._connection.run("chunks_standing", id=document_id, after=after, limit=limit)
        return [to_chunk(row["chunk"]) for row in rows]

    def note_source(self, document_id: str, version: int, source_hash: str, uri: str) -> None:
        """Record the source bytes' hash and address of a live version."""
        self._connection.run("note_source", id=document_id, version=version, source_hash=source_hash, uri=uri)
