"""Documents from the asynchronous client."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from producer.client.asynchronous.threads import InThreads
from producer.client.link import DEFAULT_COLLECTION
from producer.reports import outcomes

if TYPE_CHECKING:
    from producer.reports.ingest import IngestReport, Submitted
    from producer.service.texts import TextDocument
    from workers.core.graph.census import GraphCensus
    from workers.core.jobs.work import Json, Priority
    from workers.core.model import Document
    from workers.ledger.records import JobRecord


class AsyncDocumentCalls(InThreads):
    """What `AsyncHopline` does with documents; see `producer.client.documents.DocumentCalls`."""

    @abstractmethod
    async def _ended(self, job_id: str, timeout: float | None) -> JobRecord:  # noqa: ASYNC109 - as for ingest
        """Wait until a job has ended; return its record."""

    async def ingest(
        self,
        paths: Sequence[str | Path],
        collection: str = DEFAULT_COLLECTION,
        *,
        profile: str | Path | None = None,
        chunk_tokens: int | None = None,
        chunk_overlap: int | None = None,
        key: str | None = None,
        priority: Priority = "normal",
        webhook: str = "",
        timeout: float | None = None,  # noqa: ASYNC109 - the deadline also reaches the waiting thread
    ) -> IngestReport:
        """Ingest files and folders; see `Hopline.ingest`."""
        submitted = await self.submit_documents(
            paths,
            collection,
            profile=profile,
            chunk_tokens=chunk_tokens,
            chunk_overlap=chunk_overlap,
            key=key,
            priority=priority,
            webhook=webhook,
        )
        return await self._report(submitted, timeout)

    async def submit_documents(
        self,
        paths: Sequence[str | Path],
        collection: str = DEFAULT_COLLECTION,
        *,
        profile: str | Path | None = None,
        chunk_tokens: int | None = None,
        chunk_overlap: int | None = None,
        key: str | None = None,
        priority: Priority = "normal",
        webhook: str = "",
    ) -> Submitted:
        """Submit documents; see `Hopline.submit_documents`."""
        told: Json = {
            "profile": profile,
            "chunk_tokens": chunk_tokens,
            "chunk_overlap": chunk_overlap,
            "key": key,
            "priority": priority,
            "webhook": webhook,
        }
        return await self._run(self._client.submit_documents, paths, collection, **told)

    async def ingest_texts(
        self,
        texts: Sequence[TextDocument | Json],
        collection: str = DEFAULT_COLLECTION,
        *,
        profile: str | Path | None = None,
        chunk_tokens: int | None = None,
        chunk_overlap: int | None = None,
        key: str | None = None,
        priority: Priority = "normal",
        webhook: str = "",
        timeout: float | None = None,  # noqa: ASYNC109 - the deadline also reaches the waiting thread
    ) -> IngestReport:
        """Ingest texts without files; see `Hopline.ingest_texts`."""
        submitted = await self.submit_texts(
            texts,
            collection,
            profile=profile,
            chunk_tokens=chunk_tokens,
            chunk_overlap=chunk_overlap,
            key=key,
            priority=priority,
            webhook=webhook,
        )
        return await self._report(submitted, timeout)

    async def submit_texts(
        self,
        texts: Sequence[TextDocument | Json],
        collection: str = DEFAULT_COLLECTION,
        *,
        profile: str | Path | None = None,
        chunk_tokens: int | None = None,
        chunk_overlap: int | None = None,
        key: str | None = None,
        priority: Priority = "normal",
        webhook: str = "",
    ) -> Submitted:
        """Submit texts; see `Hopline.submit_texts`."""
        told: Json = {
            "profile": profile,
            "chunk_tokens": chunk_tokens,
            "chunk_overlap": chunk_overlap,
            "key": key,
            "priority": priority,
            "webhook": webhook,
        }
        return await self._run(self._client.submit_texts, texts, collection, **told)

    async def documents(self, collection: str | None = None) -> list[Document]:
        """Return the documents of a collection, or of all; see `Hopline.documents`."""
        return await self._run(lambda: list(self._client.documents(collection)))

    async def document(self, document_id: str) -> Document:
        """Return a document; see `Hopline.document`."""
        return await self._run(self._client.document, document_id)

    async def collections(self) -> dict[str, int]:
        """Return each collection with its number of documents; see `Hopline.collections`."""
        return await self._run(self._client.collections)

    async def census(self, collection: str = DEFAULT_COLLECTION, *, lengths: bool = False) -> GraphCensus:
        """Return a collection's graph in numbers; see `Hopline.census`."""
        return await self._run(self._client.census, collection, lengths=lengths)

    async def delete_document(
        self,
        document_id: str,
        *,
        timeout: float | None = None,  # noqa: ASYNC109 - the deadline also reaches the waiting thread
    ) -> Document:
        """Remove a document; see `Hopline.delete_document`."""
        return await self._run(self._client.delete_document, document_id, timeout=timeout)

    async def reindex(
        self,
        collection: str = DEFAULT_COLLECTION,
        *,
        timeout: float | None = None,  # noqa: ASYNC109 - the deadline also reaches the waiting thread
    ) -> int:
        """Rebuild the collection's vectors; see `Hopline.reindex`."""
        return await self._run(self._client.reindex, collection, timeout=timeout)

    async def _report(self, submitted: Submitted, timeout: float | None) -> IngestReport:  # noqa: ASYNC109 - as for ingest
        records = [await self._ended(job_id, timeout) for job_id in submitted.job_ids]
        return outcomes.report_of_all(records, submitted.refused)
