"""The stored state of a document, so that a newer text changes no more than it must."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from workers.core.metadata.changes import NO_CHANGE, MetadataChange
from workers.core.records import Chunk

_PAGE = 500  # chunks: some two megabytes


class StandingGraph(Protocol):
    """Port for syncing documents with their sources; every method is one round trip."""

    def chunks_standing(self, document_id: str, *, after: int = -1, limit: int = _PAGE) -> list[Chunk]:
        """Return a page of a live document's chunks by index; after is the last index of the page before."""

    def note_source(
        self,
        document_id: str,
        version: int,
        source_hash: str,
        uri: str,
        metadata: MetadataChange = NO_CHANGE,
        languages: Sequence[str] = (),
    ) -> None:
        """Record the source bytes' hash, the address and changed metadata of a live version.

        Languages are recorded where some are given.
        """


def standing_chunks(graph: StandingGraph, document_id: str) -> Iterator[Chunk]:
    """Yield the chunks of a live document in order; none if it is not live."""
    page = graph.chunks_standing(document_id)
    while page:
        yield from page
        page = graph.chunks_standing(document_id, after=page[-1].index)
