"""Models for listing a collection's documents in pages, sorted and filtered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
    """A document with its position in the sort order."""

    place: Place
    document: Document


class DocumentPages(Protocol):
    """The part of the graph's read side that lists documents. Each method takes one round trip."""

    def documents(self, collection: str | None, *, after: str = "", limit: int = 100) -> list[Document]:
        """Return a page of documents, ordered by id; after is the last id of the previous page."""

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
        """Return a page of a collection's documents, including hidden ones; reads all of them.

        Args:
            collection: collection to list.
            words: words in lower case; the title or address must contain each of them.
            order: see `DocumentOrder`; a document without a title is sorted by its address.
            after: position of the last document of the previous page.
            limit: maximum number of documents.
            where: filter on their metadata.
            live: leave out documents without live text.
        """

    def document_meant(self, document_id: str, where: Filter) -> Document | None:
        """Return a live document if it passes the filter; otherwise nothing of it is read."""


def all_documents(store: DocumentPages, collection: str, page: int) -> Iterator[Document]:
    """Yield a collection's documents by id, including hidden ones, with one round trip for each page."""
    after = ""
    while documents := store.documents(collection, after=after, limit=page):
        yield from documents
        after = documents[-1].id
