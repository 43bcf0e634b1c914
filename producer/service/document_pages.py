"""Lists documents in pages: sorted, filtered by words, with a cursor to the next page."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING
from unicodedata import normalize

from hopline.errors import InvalidInput
from producer.service.backend import Part
from workers.core.graph.document_pages import NUMBERS, Place
from workers.core.jobs.params import check_collection
from workers.core.scope import Scope, scope_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hopline.models.documents import Document, DocumentFacets, DocumentOrder
    from workers.core.metadata.filter import Filter

_FACETS = 20  # tags, and years, that are counted at most


class DocumentLists(Part):
    """The documents of collections, in pages and counted."""

    def page(
        self,
        collection: str | None,
        *,
        q: str,
        sort: DocumentOrder,
        cursor: str,
        limit: int,
        prefix: str = "",
        where: Filter | None = None,
        principals: Sequence[str] | None = None,
    ) -> tuple[list[Document], str | None]:
        """Return a page of documents and the cursor of the next; None at the end.

        Args:
            collection: whose documents; None for all, by id.
            q: words that a title or an address holds, all of them, whatever their case.
            sort: the order.
            cursor: of the page before; "" begins.
            limit: documents at most.
            prefix: of ids; without words and a filter, and in the order by id.
            where: what their metadata must be.
            principals: only live documents that these may see; None for all.

        Raises:
            InvalidInput: the cursor is of another order, or there is no collection for words, a filter or an
                order.
        """
        graph = self._services.graph
        words = normalize("NFC", q.lower()).split()
        if not words and where is None and sort == "id" and principals is None:
            documents = graph.store.documents(collection, after=max(cursor, prefix), limit=limit)
            if prefix:
                exact = None if cursor else graph.store.document(prefix)
                known = [exact, *documents] if exact and collection in (None, exact.collection) else documents
                documents = [document for document in known if document.id.startswith(prefix)][:limit]
            return documents, documents[-1].id if len(documents) == limit else None
        if prefix:
            allowed = "left out with q, where or sort, and where the key does not see all documents"
            raise InvalidInput("prefix", prefix, allowed)
        if collection is None:
            message = "`collection` is required with `q`, `where` or `sort`"
            raise InvalidInput("collection", None, "a collection's name", message=message)
        after = _place(cursor, sort) if cursor else None
        shown = scope_for(None if where is None else Scope.model_construct(where=where), principals)
        hits = graph.store.documents_found(
            check_collection(collection),
            words=words,
            # The status may be of a version that is not live yet, for others.
            order="id" if sort == "status" and principals is not None else sort,
            after=after,
            limit=limit,
            where=shown.filter if shown else None,
            live=principals is not None,
        )
        following = _cursor(hits[-1].place) if len(hits) == limit else None
        return [hit.document for hit in hits], following

    def facets(
        self, collection: str, where: Filter | None = None, principals: Sequence[str] | None = None
    ) -> DocumentFacets:
        """Count a collection's live documents by tag and by year.

        Args:
            collection: whose documents.
            where: what their metadata must be; anything if None.
            principals: only documents that these may see; None for all.
        """
        shown = scope_for(None if where is None else Scope.model_construct(where=where), principals)
        return self._services.graph.facets(
            check_collection(collection), shown.filter if shown else None, _FACETS
        )


def _cursor(place: Place) -> str:
    return base64.urlsafe_b64encode(json.dumps(place, ensure_ascii=False).encode()).decode().rstrip("=")


def _place(cursor: str, sort: DocumentOrder) -> Place:
    """Decode a cursor into a position.

    Raises:
        InvalidInput: the cursor is not valid for this order.
    """
    try:
        pair = json.loads(base64.urlsafe_b64decode(cursor.encode() + b"=" * (-len(cursor) % 4)))
        key, name = pair
    except (ValueError, TypeError):
        key, name = None, None
    kind = int if sort in NUMBERS else str
    if type(key) is not kind or not isinstance(name, str) or not name:
        raise InvalidInput("cursor", cursor, "the `next` of a page of the same order")
    return Place(key, name)
