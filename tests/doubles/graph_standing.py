"""Documents as they stand, in memory."""

from __future__ import annotations

from doubles.graph_reading import StoredDocument
from workers.core.model import Chunk


class MemoryStanding:
    """`core.graph.stored_document.StandingGraph` over what `MemoryGraph` stores."""

    stored: dict[str, StoredDocument]

    def chunks_standing(self, document_id: str, *, after: int = -1, limit: int = 500) -> list[Chunk]:
        one = self.stored.get(document_id)
        chunks = [each.chunk for each in one.shown.values()] if one and one.live else []
        return sorted((chunk for chunk in chunks if chunk.index > after), key=lambda each: each.index)[:limit]

    def note_source(self, document_id: str, version: int, source_hash: str, uri: str) -> None:
        one = self.stored.get(document_id)
        if one and one.live == version:
            one.document = one.document.model_copy(update={"source_hash": source_hash, "uri": uri})
