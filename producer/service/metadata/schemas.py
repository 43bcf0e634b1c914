"""The metadata schemas of collections: show, set, clear."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hopline.errors import InvalidInput
from hopline.words import counted
from producer.service.backend import Part
from workers.core.graph.document_pages import all_documents
from workers.core.jobs.params import check_collection
from workers.ledger.metadata_schemas import Check, no_check

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hopline.models.documents import Document
    from hopline.models.schemas import MetadataSchema

_KIND = "schema"
_PAGE = 1_000
_NAMED = 3  # documents of a refusal


class CollectionSchemas(Part):
    """Schemas for the metadata of collections."""

    def get(self, collection: str) -> MetadataSchema:
        """Return a collection's schema; an empty one if it has none."""
        return self._services.metadata_schemas.read(check_collection(collection))

    def put(self, collection: str, schema: MetadataSchema, *, anyway: bool, check: Check = no_check) -> int:
        """Set a collection's schema; return the number of documents that do not fit.

        Args:
            collection: name of the collection, which may have no documents yet.
            schema: replaces the previous schema completely.
            anyway: set it even if documents do not fit.
            check: raises EditConflict if the previous schema is not the expected one.

        Raises:
            EditConflict: from the check.
            InvalidInput: the rules are not valid, or documents do not fit (their number and some names are
                given); nothing was changed.
        """
        with self._audit.act("set", _KIND, collection, check_collection(collection)):
            check(self.get(collection))  # before documents are read for it
            misfits = self._check_documents(collection, schema, anyway=anyway)
            self._services.metadata_schemas.write(collection, schema, check)
        return misfits

    def _check_documents(self, collection: str, schema: MetadataSchema, *, anyway: bool) -> int:
        schema.check_rules()
        total = misfits = 0
        named: list[str] = []
        for document in self._documents(collection):
            total += 1
            try:
                schema.check_whole(document.metadata)
            except InvalidInput as error:
                misfits += 1
                if len(named) < _NAMED:
                    named.append(f"{document.title or document.uri} [{document.id}] ({error})")
        if misfits and not anyway:
            more = "; …" if misfits > _NAMED else ""
            verb = "does" if misfits == 1 else "do"
            message = f"{misfits} of {counted(total, 'document')} {verb} not fit: {'; '.join(named)}{more}; "
            message += "the schema was not set: change these documents, or set it `anyway`"
            raise InvalidInput("schema", misfits, "a schema that the documents fit", message=message)
        return misfits

    def clear(self, collection: str, *, check: Check = no_check) -> None:
        """Remove a collection's schema, if it has one.

        Raises:
            EditConflict: the check says so.
        """
        with self._audit.act("clear", _KIND, collection, check_collection(collection)):
            self._services.metadata_schemas.remove(collection, check)

    def _documents(self, collection: str) -> Iterator[Document]:
        """Yield the documents with a live version; others have no metadata yet."""
        documents = all_documents(self._services.graph.store, collection, _PAGE)
        return (document for document in documents if document.chunks)
