"""Documents: validate and submit them as batches; list them, read one, remove one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import orjson

from hopline.errors import InvalidInput, NotFound
from hopline.models.documents import LAST_OFFSET
from producer.reports.outcomes import BATCH_KIND
from producer.service.metadata.edits import Meant, change_metadata, documents_of
from workers.core.graph.neighbourhood import MOST_CHARACTERS
from workers.core.ids import content_hash
from workers.core.jobs.params import DocumentParams, parse_params
from workers.core.jobs.work import Terms
from workers.core.scope import Scope, allowed_to, scope_for

if TYPE_CHECKING:
    from hopline.models.documents import Document
    from hopline.models.graph import Passage
    from hopline.models.metadata import Value
    from workers.adapters.neo4j.scoped.view import View
    from workers.core.jobs.records import JobRecord
    from workers.core.metadata.changes import MetadataChange
    from workers.core.metadata.filter import Filter
    from workers.ingest.profile.profile import Profile


import base64
import json
from typing import TYPE_CHECKING
from unicodedata import normalize

from producer.service.backend import Part
from workers.core.graph.document_pages import NUMBERS, Place
from workers.core.jobs.params import check_collection

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
        """Return a page of documents and the cursor of the next one; None at the end.

        Args:
            collection: collection of the documents; None for all, ordered by id.
            q: words that must all occur in the title or address, ignoring case.
            sort: the order.
            cursor: cursor from the previous page; "" for the first page.
            limit: maximum number of documents.
            prefix: prefix of ids; only without words and a filter, and in the order by id.
            where: filter on their metadata.
            principals: only live documents that these may see; None for all.

        Raises:
            InvalidInput: the cursor belongs to another order, or words, a filter or an order are given
                without a collection.
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
            collection: collection of the documents.
            where: filter on their metadata; None for all.
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


_FILTERED_PAGE = 2000  # every page reads all documents of the collection


class Then(NamedTuple):
    """A point in time, and whose rights apply when reading at it."""

    known_at: datetime
    collection: str  # of the document
    principals: Sequence[str] | None = None  # only what these may see; None for everything


class Documents(DocumentLists):
    """The documents of collections."""

    def submit_batch(
        self,
        documents: Sequence[DocumentParams],
        collection: str,
        key: str | None,
        *,
        label: str,
        terms: Terms | None = None,
    ) -> JobRecord:
        """Submit documents as one batch; the same key must come with the same list of documents.

        Raises:
            InvalidInput: a parameter is invalid; nothing was written.
        """
        from workers.ingest.batch import documents_phase

        digest = content_hash(
            orjson.dumps([document.model_dump(mode="json") for document in documents]).decode()
        )
        params = {"documents": len(documents), "label": label, "digest": digest}
        phase = documents_phase(documents, self._services.settings.documents_in_flight)
        return self._backend.submit(BATCH_KIND, collection, params, key=key, phase=phase, terms=terms)

    def keep_profile(self, profile: Profile) -> str:
        """Store a profile, so that it travels by reference; return the reference."""
        from workers.ingest.profile.profile import put_profile

        return put_profile(self._services.blobs, profile)

    def _meant(self, collection: str, where: Filter) -> Iterator[Document]:
        cursor: str | None = ""
        while cursor is not None:
            page, cursor = self.page(
                collection, q="", sort="id", cursor=cursor, limit=_FILTERED_PAGE, where=where
            )
            yield from page

    def visible(
        self, collection: str | Sequence[str], ids: Iterable[str], principals: Sequence[str]
    ) -> frozenset[str]:
        """Return the given ids of documents that the principals may see."""
        return self._services.scopes.among(collection, ids, Scope().seen_by(principals))

    def change_metadata(
        self, documents: Iterable[Document], change: MetadataChange, *, as_read: Document | None = None
    ) -> int:
        """Change fields of documents; see `producer.service.metadata.edits.change_metadata`.

        Args:
            documents: documents to change.
            change: the fields.
            as_read: the only document, as read; if it was changed since, nothing is changed.
        """
        services, meant = self._services, Meant()
        with self._audit.act("change", "metadata") as acted:
            read = services.metadata_schemas.read
            changed = change_metadata(services.graph.store, read, meant.noted(documents), change, as_read)
            acted.on(meant.only_id, meant.only_collection, changed)
        return changed

    def check_metadata(self, collection: str, metadata: Mapping[str, Value]) -> None:
        """Check the metadata that a command sets for all its documents.

        Raises:
            InvalidInput: a field does not fit the collection's schema.
        """
        if metadata:
            self._services.metadata_schemas.read(collection).check(metadata)

    def of(self, ids: Sequence[str]) -> dict[str, Document]:
        """Return the documents with the given ids, by id; unknown ids are left out."""
        return documents_of(self._services.graph.store, ids)

    def change_metadata_of(self, collection: str, where: Filter, change: MetadataChange) -> int:
        """Change fields of the documents of a collection that pass a filter; return how many changed."""
        return self.change_metadata(self._meant(collection, where), change)

    def find(self, document_id: str) -> Document | None:
        """Return a document; None if there is none with this id."""
        return self._services.graph.store.document(document_id)

    def seen(self, document_id: str, principals: Sequence[str]) -> Document | None:
        """Return a document if the principals may see it; one query, which reads nothing of others."""
        return self._services.graph.store.document_meant(document_id, allowed_to(principals))

    def get(self, document_id: str) -> Document:
        """Return a document.

        Raises:
            NotFound: there is no such document.
        """
        document = self.find(document_id)
        if document is None:
            raise _unknown(document_id)
        return document

    def text(self, document_id: str, start: int | None, end: int | None, then: Then | None = None) -> Passage:
        """Return part of a document's text; see `AsyncDocuments.text`.

        Raises:
            NotFound: there is no such document.
            InvalidInput: an offset is below 0, or the end before the start.
        """
        first = start or 0
        last = first + MOST_CHARACTERS if end is None else end
        for field, value, least in (("start", first, 0), ("end", last, first)):
            if not least <= value <= LAST_OFFSET:
                raise InvalidInput(field, value, f"an offset from {least} to {LAST_OFFSET}")
        last = min(last, first + MOST_CHARACTERS)
        if then is None:
            passage = self._services.graph.views.passage(document_id, first, last)
        else:
            passage = self._view(document_id, then).passage(document_id, first, last)
        if passage is None:
            raise _unknown(document_id)
        return passage

    def at(self, document_id: str, then: Then) -> Document:
        """Return a document as it was at a time.

        Raises:
            NotFound: there was no such document.
            InvalidInput: versions from that time are not kept.
        """
        document = self._view(document_id, then).document(document_id)
        if document is None:
            raise _unknown(document_id)
        return document

    def _view(self, document_id: str, then: Then) -> View:
        scope = scope_for(Scope(known_at=then.known_at, documents=(document_id,)), then.principals)
        return self._services.scopes.view(then.collection, scope or Scope())

    def home(self, document_id: str) -> str | None:
        """Return the collection of a document, even of a deleted one if a version of it is kept."""
        document = self.find(document_id)
        if document is not None:
            return document.collection
        kept = self._services.graph.kept.named(document_id=document_id)
        return kept[0].collection if kept else None


def read_moment(known_at: datetime | str) -> datetime:
    """Return a time in the form used by scopes.

    Raises:
        InvalidInput: it is not a time.
    """
    moment = parse_params(Scope, {"known_at": known_at}).known_at
    assert moment is not None  # noqa: S101 - it was given
    return moment


def label_of(names: Iterable[str | Path]) -> str:
    """Return the label of a batch, made from its first documents or paths."""
    joined = ", ".join(map(str, names))
    return joined if len(joined) <= 200 else joined[:199] + "…"  # noqa: PLR2004 - BatchParams.label


def _unknown(document_id: str) -> NotFound:
    return NotFound(f"no document {document_id}: `hopline documents` lists them")
