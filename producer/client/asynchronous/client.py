"""The asyncio client: the same calls, each done by the synchronous client in a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from producer.client.asynchronous.batches import AsyncBatchCalls
from producer.client.asynchronous.concepts import AsyncConceptCalls
from producer.client.asynchronous.documents import AsyncDocumentCalls
from producer.client.asynchronous.graph import AsyncGraphCalls
from producer.client.asynchronous.jobs import AsyncJobCalls
from producer.client.asynchronous.threads import Arguments, Result
from producer.client.hopline import Hopline
from producer.client.link import DEFAULT_COLLECTION
from producer.client.terms import patience_of
from producer.reports import outcomes

if TYPE_CHECKING:
    from workers.core.answers.answer import Answer
    from workers.core.jobs.messages import Publisher
    from workers.core.jobs.work import Json, Priority
    from workers.search.models import Found
    from workers.services import Services
    from workers.settings import Settings


class AsyncHopline(AsyncJobCalls, AsyncDocumentCalls, AsyncGraphCalls, AsyncConceptCalls, AsyncBatchCalls):
    """`Hopline` for asyncio; every method means the same and raises the same.

    A cancelled wait frees its thread within about a second and leaves the job running.

    Example:
        >>> async with AsyncHopline() as hopline:  # doctest: +SKIP
        ...     answers = await asyncio.gather(*(hopline.ask(question) for question in questions))

    Args:
        url: as for `Hopline`.
        api_key: as for `Hopline`.
        settings: as for `Hopline`.
        services: as for `Hopline`.
        publisher: as for `Hopline`.
        threads: how many calls and waits may be under way at a time.
    """

    def __init__(
        self,
        url: str | Settings | None = None,
        *,
        api_key: str | None = None,
        settings: Settings | None = None,
        services: Services | None = None,
        publisher: Publisher | None = None,
        threads: int = 32,
    ) -> None:
        self._client = Hopline(
            url, api_key=api_key, settings=settings, services=services, publisher=publisher
        )
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
        priority: Priority = "normal",
        webhook: str = "",
        **params: Any,
    ) -> Answer:
        """Ask a question; see `Hopline.ask`."""
        told: Json = {"key": key, "priority": priority, "webhook": webhook}
        job_id = await self.submit_question(question, collection, **told, **params)
        if wait:
            await self._drain(job_id, patience_of(params))
        return outcomes.answer_of(await self.job(job_id))

    async def submit_question(
        self,
        question: str,
        collection: str = DEFAULT_COLLECTION,
        *,
        key: str | None = None,
        priority: Priority = "normal",
        webhook: str = "",
        **params: Any,
    ) -> str:
        """Submit a question; see `Hopline.submit_question`."""
        told: Json = {"key": key, "priority": priority, "webhook": webhook}
        return await self._run(self._client.submit_question, question, collection, **told, **params)

    async def search(self, question: str, collection: str = DEFAULT_COLLECTION, limit: int = 10) -> Found:
        """Return the chunks that a question leads to; see `Hopline.search`."""
        return await self._run(self._client.search, question, collection, limit)

    async def _run(
        self, call: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._threads, partial(call, *args, **kwargs))
