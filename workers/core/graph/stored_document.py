"""The stored state of a document, so that a newer text changes no more than it must."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from hopline.models.documents import Chunk, Document
from workers.core.metadata.changes import NO_CHANGE, MetadataChange

_PAGE = 500  # chunks: some two megabytes


class StandingText(NamedTuple):
    """The text at the beginning of a document's live version."""

    id: str
    version: int
    text: str


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
        *,
        made_of: Document | None = None,
    ) -> None:
        """Record the source bytes' hash, the address and changed metadata of a live version.

        Languages are recorded where they are given; size, media type and original of the source where a
        document is given that has them.
        """

    def without_languages(self, collection: str, limit: int) -> list[StandingText]:
        """Return some live documents whose languages were never stored."""

    def note_languages(self, documents: Sequence[tuple[str, int, Sequence[str]]]) -> None:
        """Record the languages of live versions by (id, version, languages), or that they have none.

        Those of a document that has some are left.
        """


def standing_chunks(graph: StandingGraph, document_id: str) -> Iterator[Chunk]:
    """Yield the chunks of a live document in order; none if it is not live."""
    page = graph.chunks_standing(document_id)
    while page:
        yield from page
        page = graph.chunks_standing(document_id, after=page[-1].index)
