"""Models for listing a collection's documents in pages, sorted and filtered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from hopline.models.documents import Document, DocumentOrder
from workers.core.metadata.filter import Filter

NUMBERS: frozenset[DocumentOrder] = frozenset(("chunks", "facts"))
LONGEST_KEY = 100  # characters of a title or an address that order it


class Place(NamedTuple):
    """A document's position in a sort order, valid for the next page even if the document is gone."""

    key: str | int
    id: str


class PlacedDocument(NamedTuple):
    """A document with its place."""

    place: Place
    document: Document


class DocumentPages(Protocol):
    """The part of the graph's read side that lists documents for people. Every method is one round trip."""

    def documents_found(
        self,
        collection: str,
        *,
        words: Sequence[str] = (),
        order: DocumentOrder = "id",
        after: Place | None = None,
        limit: int = 100,
        where: Filter | None = None,
        live: bool = False,
    ) -> list[PlacedDocument]:
        """Return a page of a collection's documents, hidden ones too; all of them are read for it.

        Args:
            collection: whose documents.
            words: in small letters; title or address holds each of them.
            order: see `DocumentOrder`; a document without a title goes by its address.
            after: the place of the last one of the page before.
            limit: documents at most.
            where: what their metadata must be; anything unless given.
            live: leave out those without live text.
        """

    def document_meant(self, document_id: str, where: Filter) -> Document | None:
        """Return a live document that a filter means; nothing is read of one that it does not mean."""
