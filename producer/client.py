"""The Python client: submit questions and documents, watch them, read what they ended with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from producer import outcomes, searching, submission
from producer.documents import ended_well, find_document, list_documents
from producer.elements import ElementCalls
from producer.tooling import ToolCalls
from producer.watch import JobWatch
from workers import submit
from workers.core.errors import Gone

if TYPE_CHECKING:
    from producer.report import IngestReport, Submitted
    from workers.core.answer import Answer
    from workers.core.census import GraphCensus
    from workers.core.model import Document
    from workers.core.publishing import Publisher
    from workers.core.work import Event, Json
    from workers.ledger.records import DeadLetter, JobRecord
    from workers.search.found import Found
    from workers.services import Services
    from workers.settings import Settings

DEFAULT_COLLECTION = "default"


class Hopline(ElementCalls, ToolCalls):
    """A connection to hopline's servers.

    Nothing is connected before the first call that needs it. Use it as a context manager, or `close` it.
    It may be shared by threads.

    Example:
        >>> with Hopline() as hopline:  # doctest: +SKIP
        ...     hopline.ingest(["reports/"], collection="reports")
        ...     answer = hopline.ask("Who built the bridge?", collection="reports", max_depth=2)
        ...     print(answer.status, answer.text)
        ...     for citation in answer.citations:
        ...         print(citation.n, citation.document.title, citation.quote)

    Args:
        settings: where the servers are; read from the environment unless given.
        services: adapters already built; made from the settings unless given.
        publisher: sends the messages of new jobs; Celery's unless given.
    """

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        services: Services | None = None,
        publisher: Publisher | None = None,
    ) -> None:
        self._settings = settings
        self._services = services
        self._publisher = publisher

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close every connection; the next call opens them again."""
        services, self._services = self._services, None
        if services is not None:
            services.close()

    @property
    def services(self) -> Services:
        """The adapters behind this client."""
        if self._services is None:
            from workers.services import Services  # noqa: PLC0415 - drivers only where they are used
            from workers.settings import load_settings  # noqa: PLC0415 - as above

            self._services = Services(self._settings or load_settings())
        return self._services

    @property
    def publisher(self) -> Publisher:
        """What sends the messages of new jobs."""
        if self._publisher is None:
            from workers.app import CeleryPublisher, application_for  # noqa: PLC0415 - only for who submits

            self._publisher = CeleryPublisher(application_for(self.services.settings))
        return self._publisher

    # questions ------------------------------------------------------------------------------------

    def ask(
        self,
        question: str,
        collection: str = DEFAULT_COLLECTION,
        *,
        key: str | None = None,
        wait: bool = True,
        **params: Any,
    ) -> Answer:
        """Ask a question; return its answer, or with wait=False what is known at once (status running).

        Args:
            question: up to 4,000 characters.
            collection: whose documents to answer from.
            key: idempotency key: asking again with it returns the first job's answer.
            wait: block until the job has ended.
            **params: fields of `workers.core.params.QueryParams`, such as max_depth or decay_rate.

        Raises:
            InvalidInput: names the field, what was given and what is allowed.
            TimeoutError: no worker has ended the job well after its own timeout.
        """
        job_id = self.submit_question(question, collection, key=key, **params)
        if not wait:
            return outcomes.answer_of(self.job(job_id))
        self._drain(job_id, submission.patience_of(params))
        return outcomes.answer_of(self.job(job_id))

    def submit_question(
        self, question: str, collection: str = DEFAULT_COLLECTION, *, key: str | None = None, **params: Any
    ) -> str:
        """Hand a question over; return its job's id at once. Arguments and errors are those of `ask`."""
        return submission.submit_question(
            self.services, self.publisher, question, collection, key, params
        ).job.id

    def search(self, question: str, collection: str = DEFAULT_COLLECTION, limit: int = 10) -> Found:
        """Return the chunks that a question leads to, best first, at once: no job, no language model.

        Args:
            question: up to 4,000 characters.
            collection: whose documents to search.
            limit: chunks at most, up to 100.

        Raises:
            InvalidInput: names the field, what was given and what is allowed.
        """
        return searching.search_collection(self.services, question, collection, limit)

    # documents ------------------------------------------------------------------------------------

    def ingest(
        self,
        paths: Sequence[str | Path],
        collection: str = DEFAULT_COLLECTION,
        *,
        profile: str | Path | None = None,
        key: str | None = None,
        timeout: float | None = None,
    ) -> IngestReport:
        """Ingest files and folders; return what became of each document.

        Args:
            paths: files, folders (searched through), or fsspec addresses such as s3://bucket/folder.
            collection: where the documents go; made when it does not exist.
            profile: which entities, relations and events to look for: "narrative", or a TOML file
                (docs/profiles.md); facts alone unless given.
            key: idempotency key.
            timeout: seconds to wait; None waits until the last document has ended.

        Raises:
            InvalidInput: a path does not exist, nothing that can be read lies there, or the profile is wrong.
            TimeoutError: not all documents have ended; the job goes on.
        """
        submitted = self.submit_documents(paths, collection, profile=profile, key=key)
        self._drain(submitted.job_id, timeout)
        return outcomes.report_of(self.job(submitted.job_id), submitted.refused)

    def submit_documents(
        self,
        paths: Sequence[str | Path],
        collection: str = DEFAULT_COLLECTION,
        *,
        profile: str | Path | None = None,
        key: str | None = None,
    ) -> Submitted:
        """Hand documents over; return their job's id, and what was no document, at once.

        Arguments and errors are those of `ingest`.
        """
        return submission.submit_documents(
            self.services, self.publisher, paths, collection, key, profile=profile
        )

    def documents(self, collection: str | None = None) -> Iterator[Document]:
        """Yield the documents of a collection, or of all, ordered by id."""
        return list_documents(self.services, collection)

    def census(self, collection: str = DEFAULT_COLLECTION) -> GraphCensus:
        """Return a collection's graph in numbers; takes some seconds where it is large."""
        return searching.count_collection(self.services, collection)

    def delete_document(self, document_id: str, *, timeout: float | None = None) -> Document:
        """Remove a document and all that no other document holds; return what it was.

        Raises:
            Gone: there is no such document.
            Permanent: it could not be removed.
        """
        document = find_document(self.services, document_id)
        self._run("delete", document.collection, {"document_id": document_id}, timeout)
        return document

    def reindex(self, collection: str = DEFAULT_COLLECTION, *, timeout: float | None = None) -> int:
        """Build the collection's vectors anew from the graph; return how many there are now.

        Raises:
            Permanent: it could not be done.
        """
        record = self._run("reindex", collection, {}, timeout)
        return int((record.outcome or {}).get("vectors", 0))

    # jobs -----------------------------------------------------------------------------------------

    def follow(self, job_id: str, *, timeout: float | None = None) -> JobWatch:
        """Return a position in the job's events, for callers that poll on their own."""
        return JobWatch(self.services.ledger, job_id, timeout=timeout)

    def watch(self, job_id: str, *, timeout: float | None = None) -> Iterator[Event]:
        """Yield the job's events from its beginning until it has ended; a restart of Redis is survived.

        Raises:
            Gone: the job is unknown, or has expired.
            TimeoutError: still running after `timeout` seconds; the job goes on.
        """
        return iter(self.follow(job_id, timeout=timeout))

    def wait(self, job_id: str, timeout: float | None = None) -> Answer | IngestReport:
        """Block until the job has ended; return its answer, or its report where it was an ingestion.

        Raises: as `watch`.
        """
        self._drain(job_id, timeout)
        return outcomes.outcome_of(self.job(job_id))

    def job(self, job_id: str) -> JobRecord:
        """Return what is recorded of a job.

        Raises:
            Gone: the job is unknown, or has expired.
        """
        record = self.services.ledger.job(job_id)
        if record is None:
            raise Gone(f"no job {job_id}: it never was, or its record has expired; `hopline jobs` lists them")
        return record

    def jobs(self, limit: int = 50) -> list[JobRecord]:
        """Return the newest jobs, newest first."""
        return self.services.ledger.jobs(limit=limit)

    def dead_letters(self, job_id: str) -> list[DeadLetter]:
        """Return the items that were given up, each with its input and error."""
        return self.services.ledger.dead_letters(job_id)

    def cancel(self, job_id: str) -> JobRecord:
        """End a job now; one that has ended already stays as it is. Return what is recorded of it."""
        submit.cancel_job(self.services, self.job(job_id).job.id)
        return self.job(job_id)

    def retry(self, job_id: str) -> JobRecord:
        """Do a job's dead letters again; a query becomes a new job. Return the job that runs now."""
        return submit.retry_job(self.services, self.publisher, self.job(job_id).job.id)

    def _run(self, kind: str, collection: str, params: Json, timeout: float | None) -> JobRecord:
        """Submit a job that must end done; return its record."""
        return ended_well(self._ended(self._submit(kind, collection, params), timeout))

    def _submit(self, kind: str, collection: str, params: Json) -> str:
        return submit.submit_job(self.services, self.publisher, kind, collection, params).job.id

    def _ended(self, job_id: str, timeout: float | None) -> JobRecord:
        self._drain(job_id, timeout)
        return self.job(job_id)

    def _drain(self, job_id: str, timeout: float | None) -> None:
        for _ in self.watch(job_id, timeout=timeout):
            pass
