"""The client for asyncio: the same calls, awaited, each done by the synchronous client in a thread."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, ParamSpec, Self, TypeVar

from producer import outcomes, submission
from producer.client import DEFAULT_COLLECTION, Hopline

if TYPE_CHECKING:
    from producer.report import IngestReport, Submitted
    from workers.core.answer import Answer
    from workers.core.census import GraphCensus
    from workers.core.graph_schema import GraphSchema
    from workers.core.merging import Merge
    from workers.core.model import Document
    from workers.core.publishing import Publisher
    from workers.core.work import Event, Json
    from workers.ledger.records import DeadLetter, JobRecord
    from workers.search.found import Found
    from workers.services import Services
    from workers.settings import Settings
    from workers.tools.tool import ToolResult

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class AsyncHopline:
    """`Hopline` for asyncio; every method means the same and raises the same.

    A cancelled wait frees its thread within about a second and leaves the job running.

    Example:
        >>> async with AsyncHopline() as hopline:  # doctest: +SKIP
        ...     answers = await asyncio.gather(*(hopline.ask(question) for question in questions))

    Args:
        settings: as for `Hopline`.
        services: as for `Hopline`.
        publisher: as for `Hopline`.
        threads: how many calls and waits may be under way at a time.
    """

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        services: Services | None = None,
        publisher: Publisher | None = None,
        threads: int = 32,
    ) -> None:
        self._client = Hopline(settings, services=services, publisher=publisher)
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="hopline")

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close every connection and end the threads."""
        await self._run(self._client.close)
        self._threads.shutdown(wait=False)

    async def ask(
        self,
        question: str,
        collection: str = DEFAULT_COLLECTION,
        *,
        key: str | None = None,
        wait: bool = True,
        **params: Any,
    ) -> Answer:
        """Ask a question; see `Hopline.ask`."""
        job_id = await self.submit_question(question, collection, key=key, **params)
        if wait:
            await self._drain(job_id, submission.patience_of(params))
        return outcomes.answer_of(await self.job(job_id))

    async def submit_question(
        self, question: str, collection: str = DEFAULT_COLLECTION, *, key: str | None = None, **params: Any
    ) -> str:
        """Hand a question over; see `Hopline.submit_question`."""
        return await self._run(self._client.submit_question, question, collection, key=key, **params)

    async def search(self, question: str, collection: str = DEFAULT_COLLECTION, limit: int = 10) -> Found:
        """Return the chunks that a question leads to; see `Hopline.search`."""
        return await self._run(self._client.search, question, collection, limit)

    async def ingest(
        self,
        paths: Sequence[str | Path],
        collection: str = DEFAULT_COLLECTION,
        *,
        profile: str | Path | None = None,
        key: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - the deadline also reaches the waiting thread
    ) -> IngestReport:
        """Ingest files and folders; see `Hopline.ingest`."""
        submitted = await self.submit_documents(paths, collection, profile=profile, key=key)
        await self._drain(submitted.job_id, timeout)
        return outcomes.report_of(await self.job(submitted.job_id), submitted.refused)

    async def submit_documents(
        self,
        paths: Sequence[str | Path],
        collection: str = DEFAULT_COLLECTION,
        *,
        profile: str | Path | None = None,
        key: str | None = None,
    ) -> Submitted:
        """Hand documents over; see `Hopline.submit_documents`."""
        return await self._run(self._client.submit_documents, paths, collection, profile=profile, key=key)

    async def documents(self, collection: str | None = None) -> list[Document]:
        """Return the documents of a collection, or of all; see `Hopline.documents`."""
        return await self._run(lambda: list(self._client.documents(collection)))

    async def census(self, collection: str = DEFAULT_COLLECTION) -> GraphCensus:
        """Return a collection's graph in numbers; see `Hopline.census`."""
        return await self._run(self._client.census, collection)

    async def schema(self, *, internal: bool = False, refresh: bool = False) -> GraphSchema:
        """Return what the database is made of; see `Hopline.schema`."""
        return await self._run(self._client.schema, internal=internal, refresh=refresh)

    async def tools(self) -> list[Json]:
        """Return the tools that there are; see `Hopline.tools`."""
        return await self._run(self._client.tools)

    async def tool(self, name: str, /, collection: str = DEFAULT_COLLECTION, **arguments: Any) -> ToolResult:
        """Run a tool; see `Hopline.tool`."""
        return await self._run(lambda: self._client.tool(name, collection, **arguments))

    async def merge_elements(
        self,
        collection: str = DEFAULT_COLLECTION,
        *,
        dry_run: bool = False,
        timeout: float | None = None,  # noqa: ASYNC109 - as for ingest
    ) -> Json:
        """Merge the key elements that name one thing; see `Hopline.merge_elements`."""
        return await self._run(self._client.merge_elements, collection, dry_run=dry_run, timeout=timeout)

    async def submit_merge(self, collection: str = DEFAULT_COLLECTION, *, dry_run: bool = False) -> str:
        """Hand a merging over; see `Hopline.submit_merge`."""
        return await self._run(self._client.submit_merge, collection, dry_run=dry_run)

    async def merge_outcome(
        self,
        job_id: str,
        *,
        timeout: float | None = None,  # noqa: ASYNC109 - as for ingest
    ) -> Json:
        """Wait for a merging, or an undoing; see `Hopline.merge_outcome`."""
        return await self._run(self._client.merge_outcome, job_id, timeout=timeout)

    async def merges(self, collection: str | None = None) -> list[Merge]:
        """Return the merges of a collection, or of all; see `Hopline.merges`."""
        return await self._run(lambda: list(self._client.merges(collection)))

    async def undo_merge(
        self,
        merge: str,
        *,
        timeout: float | None = None,  # noqa: ASYNC109 - as for ingest
    ) -> Json:
        """Undo a merge; see `Hopline.undo_merge`."""
        return await self._run(self._client.undo_merge, merge, timeout=timeout)

    async def submit_undo(self, merge: str) -> str:
        """Hand an undoing over; see `Hopline.submit_undo`."""
        return await self._run(self._client.submit_undo, merge)

    async def delete_document(
        self,
        document_id: str,
        *,
        timeout: float | None = None,  # noqa: ASYNC109 - as for ingest
    ) -> Document:
        """Remove a document; see `Hopline.delete_document`."""
        return await self._run(self._client.delete_document, document_id, timeout=timeout)

    async def reindex(
        self,
        collection: str = DEFAULT_COLLECTION,
        *,
        timeout: float | None = None,  # noqa: ASYNC109 - as for ingest
    ) -> int:
        """Build the collection's vectors anew; see `Hopline.reindex`."""
        return await self._run(self._client.reindex, collection, timeout=timeout)

    async def watch(
        self,
        job_id: str,
        *,
        timeout: float | None = None,  # noqa: ASYNC109 - as for ingest
    ) -> AsyncIterator[Event]:
        """Yield the job's events until it has ended; see `Hopline.watch`."""
        follow = await self._run(self._client.follow, job_id, timeout=timeout)
        while not follow.ended:
            for event in await self._run(follow.poll):
                yield event

    async def wait(
        self,
        job_id: str,
        timeout: float | None = None,  # noqa: ASYNC109 - as for ingest
    ) -> Answer | IngestReport:
        """Wait until the job has ended; see `Hopline.wait`."""
        await self._drain(job_id, timeout)
        return outcomes.outcome_of(await self.job(job_id))

    async def job(self, job_id: str) -> JobRecord:
        """Return what is recorded of a job; see `Hopline.job`."""
        return await self._run(self._client.job, job_id)

    async def jobs(self, limit: int = 50) -> list[JobRecord]:
        """Return the newest jobs; see `Hopline.jobs`."""
        return await self._run(self._client.jobs, limit)

    async def dead_letters(self, job_id: str) -> list[DeadLetter]:
        """Return the items that were given up; see `Hopline.dead_letters`."""
        return await self._run(self._client.dead_letters, job_id)

    async def cancel(self, job_id: str) -> JobRecord:
        """End a job now; see `Hopline.cancel`."""
        return await self._run(self._client.cancel, job_id)

    async def retry(self, job_id: str) -> JobRecord:
        """Do a job's dead letters again; see `Hopline.retry`."""
        return await self._run(self._client.retry, job_id)

    async def _drain(self, job_id: str, timeout: float | None) -> None:  # noqa: ASYNC109 - as for ingest
        async for _ in self.watch(job_id, timeout=timeout):
            pass

    async def _run(
        self, call: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._threads, partial(call, *args, **kwargs))
