"""Client calls for documents and collections: ingest, list, delete."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hopline.errors import NotFound
from hopline.models.documents import TextDocument
from hopline.models.jobs import Priority
from hopline.models.metadata import checked_name, checked_values
from producer.client.link import DEFAULT_COLLECTION
from producer.client.part import Part, Pending
from producer.client.terms import filter_of, intake_of
from producer.reports import outcomes
from producer.service.metadata.edits import check_meant
from producer.service.texts import checked_texts
from workers.core.metadata.changes import MetadataChange

if TYPE_CHECKING:
    from hopline.models.census import GraphCensus
    from hopline.models.documents import Document
    from hopline.models.ingest_reports import IngestReport, Submitted
    from hopline.models.jobs import Json
    from workers.ledger.records import JobRecord


class Documents(Part):
    """Client calls for documents and collections."""

    def ingest(
        self,
        paths: Sequence[str | Path],
        collection: str = DEFAULT_COLLECTION,
        *,
        profile: str | Path | None = None,
        chunk_tokens: int | None = None,
        chunk_overlap: int | None = None,
        metadata: Mapping[str, Any] | None = None,
        key: str | None = None,
        priority: Priority = "normal",
        webhook: str = "",
        tags: Mapping[str, str] | None = None,
        timeout: float | None = None,
    ) -> Pending[IngestReport]:
        """Ingest files and folders; return what became of each document.

        Args:
            paths: files, folders (searched through), or fsspec addresses such as s3://bucket/folder.
            collection: where the documents go; made when it does not exist.
            profile: which entities, relations and events to look for: "narrative", or a TOML file
                (docs/profiles.md); facts alone unless given.
            chunk_tokens: tokens of a chunk at most, 50 to 4,000; the settings' unless given (docs/models.md).
            chunk_overlap: tokens at most that a chunk repeats of the one before; half of them at most.
            metadata: fields of all these documents: {"author": "Ann", "tags": ["contract"]}; they go before
                what each document brings itself (docs/metadata.md).
            key: idempotency key.
            priority: high, normal or low, among what waits.
            webhook: an address that is told of the job's end.
            tags: of the job, to find it by: {"team": "legal"}; the documents' own are among `metadata`.
            timeout: seconds to wait; None waits until the last document has ended.

        Raises:
            InvalidInput: a path does not exist, nothing that can be read lies there, or the profile
                or a size is wrong.
            TimeoutError: not all documents have ended; the job goes on.
        """
        submitted = self.submit_documents(
            paths,
            collection,
            profile=profile,
            chunk_tokens=chunk_tokens,
            chunk_overlap=chunk_overlap,
            metadata=metadata,
            key=key,
            priority=priority,
            webhook=webhook,
            tags=tags,
        )
        return _report(submitted, timeout)

    def submit_documents(
        self,
        paths: Sequence[str | Path],
        collection: str = DEFAULT_COLLECTION,
        *,
        profile: str | Path | None = None,
        chunk_tokens: int | None = None,
        chunk_overlap: int | None = None,
        metadata: Mapping[str, Any] | None = None,
        key: str | None = None,
        priority: Priority = "normal",
        webhook: str = "",
        tags: Mapping[str, str] | None = None,
    ) -> Submitted:
        """Submit documents; return their job's id, and what was refused, at once.

        Arguments and errors are those of `ingest`.
        """
        intake = intake_of(
            profile=profile,
            chunk_tokens=chunk_tokens,
            chunk_overlap=chunk_overlap,
            metadata=metadata,
            key=key,
            priority=priority,
            webhook=webhook,
            tags=tags,
        )
        return self._link.documents.submit(paths, collection, intake)

    def ingest_texts(
        self,
        texts: Sequence[TextDocument | Json],
        collection: str = DEFAULT_COLLECTION,
        *,
        profile: str | Path | None = None,
        chunk_tokens: int | None = None,
        chunk_overlap: int | None = None,
        metadata: Mapping[str, Any] | None = None,
        key: str | None = None,
        priority: Priority = "normal",
        webhook: str = "",
        tags: Mapping[str, str] | None = None,
        timeout: float | None = None,
    ) -> Pending[IngestReport]:
        """Ingest texts without files; return each one's report.

        Args:
            texts: {name, text, title?, format?: txt, md or html, metadata?}; the same name again replaces a
                document.
            collection: as for `ingest`.
            profile: as for `ingest`.
            chunk_tokens: as for `ingest`.
            chunk_overlap: as for `ingest`.
            metadata: as for `ingest`.
            key: idempotency key.
            priority: high, normal or low, among what waits.
            webhook: an address that is told of the job's end.
            tags: as for `ingest`.
            timeout: seconds to wait.

        Raises: as `ingest`.
        """
        submitted = self.submit_texts(
            texts,
            collection,
            profile=profile,
            chunk_tokens=chunk_tokens,
            chunk_overlap=chunk_overlap,
            metadata=metadata,
            key=key,
            priority=priority,
            webhook=webhook,
            tags=tags,
        )
        return _report(submitted, timeout)

    def submit_texts(
        self,
        texts: Sequence[TextDocument | Json],
        collection: str = DEFAULT_COLLECTION,
        *,
        profile: str | Path | None = None,
        chunk_tokens: int | None = None,
        chunk_overlap: int | None = None,
        metadata: Mapping[str, Any] | None = None,
        key: str | None = None,
        priority: Priority = "normal",
        webhook: str = "",
        tags: Mapping[str, str] | None = None,
    ) -> Submitted:
        """Submit texts; arguments and errors are those of `ingest_texts`."""
        intake = intake_of(
            profile=profile,
            chunk_tokens=chunk_tokens,
            chunk_overlap=chunk_overlap,
            metadata=metadata,
            key=key,
            priority=priority,
            webhook=webhook,
            tags=tags,
        )
        return self._link.documents.submit_texts(checked_texts(texts), collection, intake)

    def documents(
        self, collection: str | None = None, *, where: str | Json | None = None
    ) -> Iterator[Document]:
        """Yield the documents of a collection, or of all, ordered by id.

        Args:
            collection: whose documents; needed where a filter is given.
            where: a filter on their metadata: 'tags has "contract" and date >= 2024-01-01', or the same as
                JSON (docs/metadata.md).

        Raises:
            InvalidInput: the filter is not valid: says where, and what was expected.
        """
        text = where if isinstance(where, str) else ""
        return self._link.documents.all(collection, filter_of(where), text)

    def change_metadata(
        self,
        documents: Sequence[str] = (),
        collection: str | None = None,
        *,
        where: str | Json | None = None,
        values: Mapping[str, Any] | None = None,
        unset: Sequence[str] = (),
    ) -> int:
        """Change fields of documents at once, and return of how many; no model is called.

        All is checked before the first is changed. The same call again after an interruption does the rest.

        Args:
            documents: ids.
            collection: with a filter instead: whose documents.
            where: which of them, as for `documents`.
            values: fields to set: {"tags": ["signed"], "priority": 2}.
            unset: fields to take away.

        Raises:
            InvalidInput: neither ids nor a collection and a filter are given, or both; or a field or the
                filter is not valid.
            NotFound: there is no document of an id.
        """
        check_meant(documents, collection, where)
        names = tuple(checked_name(name) for name in unset)
        change = MetadataChange(values=checked_values(values or {}), unset=names)
        return self._link.documents.change_metadata_of(documents, collection, filter_of(where), change)

    def document(self, document_id: str) -> Document:
        """Return a document.

        Raises:
            NotFound: there is no such document.
        """
        return self._link.documents.get(document_id)

    def collections(self) -> dict[str, int]:
        """Return each collection with its number of documents."""
        return self._link.graph.collections()

    def census(self, collection: str = DEFAULT_COLLECTION, *, lengths: bool = False) -> GraphCensus:
        """Return a collection's graph in numbers; takes some seconds if it is large.

        Args:
            collection: whose graph.
            lengths: also how long facts are: every text is read for it.
        """
        return self._link.graph.census(collection, lengths=lengths)

    def delete_document(
        self, document_id: str, *, erase: bool = False, timeout: float | None = None
    ) -> Pending[Document | None]:
        """Delete a document and everything that only it holds.

        Args:
            document_id: as `documents` tells it.
            erase: with all of its versions that are kept, also where it was deleted before; else the one that
                was live is kept too, if any is.
            timeout: seconds to wait for it.

        Returns:
            The deleted document; None where only versions that are kept were left of it.

        Raises:
            NotFound: there is no such document, nor, with `erase`, a version that is kept.
            Permanent: it could not be removed.
        """
        document = self._live(document_id) if erase else self.document(document_id)

        def removed(record: JobRecord) -> Document | None:
            outcomes.ended_well(record)
            return document

        job = self._link.documents.submit_delete(document_id, erase=erase).job
        return Pending.job(job.id, removed, timeout)

    def _live(self, document_id: str) -> Document | None:
        try:
            return self.document(document_id)
        except NotFound:
            return None

    def reindex(self, collection: str = DEFAULT_COLLECTION, *, timeout: float | None = None) -> Pending[int]:
        """Rebuild the collection's vectors from the graph; return how many there are.

        Raises:
            Permanent: it could not be done.
        """
        job_id = self._link.graph.submit_reindex(collection).job.id
        return Pending.job(job_id, _vectors, timeout)


def _report(submitted: Submitted, timeout: float | None) -> Pending[IngestReport]:
    return Pending(
        submitted.job_ids, lambda records: outcomes.report_of_all(records, submitted.refused), timeout
    )


def _vectors(record: JobRecord) -> int:
    return int((outcomes.ended_well(record).outcome or {}).get("vectors", 0))
