"""Changes the metadata of many documents at once, without a job and without a model call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hopline.errors import InvalidInput
from hopline.models.metadata import bounded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from hopline.models.documents import Document
    from hopline.models.schemas import MetadataSchema
    from workers.core.metadata.changes import MetadataChange
    from workers.core.ports import DocumentGraph

_TOGETHER = 1_000  # documents of a transaction


class Meant:
    """The documents of an edit; with a filter they are known only once they have been read."""

    def __init__(self) -> None:
        self._collections = set[str]()
        self._ids = set[str]()  # of the first two

    def noted(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Yield the documents and record their ids."""
        for document in documents:
            self._collections.add(document.collection)
            if len(self._ids) < 2:  # noqa: PLR2004 - more than one
                self._ids.add(document.id)
            yield document

    @property
    def only_id(self) -> str:
        """The id of the document, if there is exactly one; else ""."""
        return next(iter(self._ids)) if len(self._ids) == 1 else ""

    @property
    def only_collection(self) -> str:
        """The collection of the documents, if there is exactly one; else ""."""
        return next(iter(self._collections)) if len(self._collections) == 1 else ""


def check_meant(documents: Sequence[str], collection: str | None, where: object) -> None:
    """Check that documents are selected either by ids or by a filter on a collection.

    Raises:
        InvalidInput: neither ids nor a filter are given, or both, or ids with a collection.
    """
    if bool(documents) == bool(where):
        raise InvalidInput("documents", list(documents), "ids, or a collection and a filter `where`")
    if documents and collection is not None:
        raise InvalidInput("collection", collection, "left out: the ids already select the documents")


def documents_of(store: DocumentGraph, ids: Sequence[str]) -> dict[str, Document]:
    """Return the documents with some ids, by id; unknown ids are left out."""
    ordered = sorted(set(ids))
    return {
        document.id: document
        for first in range(0, len(ordered), _TOGETHER)
        for document in store.documents_of(ordered[first : first + _TOGETHER])
    }


def change_metadata(
    store: DocumentGraph,
    schema_of: Callable[[str], MetadataSchema],
    documents: Iterable[Document],
    change: MetadataChange,
    as_read: Document | None = None,
) -> int:
    """Change metadata fields of documents; return how many changed. All are checked before the first change.

    Documents are changed in several transactions; repeating the call after an interruption does the rest. A
    document that is being deleted is left alone.

    Args:
        store: the store of the documents.
        schema_of: reads a collection's schema; called once for each collection.
        documents: the documents to change.
        change: the fields.
        as_read: the only document, as read; if it was changed since, nothing is changed.

    Raises:
        InvalidInput: there is nothing to change, a document would have too many or too long fields, or the
            change does not fit the schema of a document's collection.
    """
    if not change:
        raise InvalidInput("set", {}, "at least one field to set or unset")
    if both := set(change.values) & set(change.unset):
        raise InvalidInput("unset", min(both), "a field that is not set at the same time")
    ids = []
    checked = set[str]()  # collections
    for document in documents:
        if document.collection not in checked:
            checked.add(document.collection)
            schema = schema_of(document.collection)
            schema.check(change.values)
            schema.check_unset(change.unset)
        kept = {name: value for name, value in document.metadata.items() if name not in change.unset}
        try:
            bounded(kept | change.values)
        except InvalidInput as error:
            allowed = f"{error.allowed}, of document {document.id}; nothing was changed"
            raise InvalidInput(error.field, error.value, allowed) from error
        ids.append(document.id)
    ids.sort()  # the order of locks
    return sum(
        store.change_metadata(ids[first : first + _TOGETHER], change, as_read)
        for first in range(0, len(ids), _TOGETHER)
    )
