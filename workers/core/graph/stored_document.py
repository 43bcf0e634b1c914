"""The stored state of a document, so that a newer text changes no more than necessary."""

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
    """Port for syncing documents with their sources; every method takes one round trip."""

    def chunks_standing(self, document_id: str, *, after: int = -1, limit: int = _PAGE) -> list[Chunk]:
        """Return a page of a live document's chunks by index; after: last index of the previous page."""

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

        Languages are recorded if given; size, media type and original of the source are recorded from
        `document` if it is given.
        """

    def without_languages(self, collection: str, limit: int) -> list[StandingText]:
        """Return live documents whose languages were never stored, at most `limit`."""

    def note_languages(self, documents: Sequence[tuple[str, int, Sequence[str]]]) -> None:
        """Record the languages of live versions by (id, version, languages), or that they have none.

        Documents that already have languages stay unchanged.
        """


def standing_chunks(graph: StandingGraph, document_id: str) -> Iterator[Chunk]:
    """Yield the chunks of a live document in order; none if it is not live."""
    page = graph.chunks_standing(document_id)
    while page:
        yield from page
        page = graph.chunks_standing(document_id, after=page[-1].index)
