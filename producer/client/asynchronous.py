"""The client for asyncio: the same calls, awaited, each done by the same parts in a thread."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial, wraps
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from producer.client.concepts import Concepts
from producer.client.documents import Documents
from producer.client.elements import Elements
from producer.client.graph import Graph
from producer.client.history import History
from producer.client.hopline import Hopline
from producer.client.ingestion.batches import Batches
from producer.client.ingestion.estimates import Estimates
from producer.client.ingestion.schedules import Schedules
from producer.client.ingestion.sources import Sources
from producer.client.ingestion.syncs import Syncs
from producer.client.jobs import Jobs
from producer.client.part import Arguments, Method, Part, Pending, owned_by, returning
from producer.client.questions import Questions
from producer.client.schemas import Schemas
from producer.client.tools import Tools

if TYPE_CHECKING:
    from workers.core.jobs.messages import Publisher
    from workers.core.jobs.work import Event
    from workers.ledger.records import JobRecord
    from workers.services import Services
    from workers.settings import Settings

Result = TypeVar("Result")
Awaited = Coroutine[Any, Any, Result]
_ASYNC_HOPLINE = f"{__name__}.AsyncHopline"


def in_thread(method: Method[Arguments, Result]) -> Method[Arguments, Awaited[Result]]:
    """Make a method of a part's method; a thread calls it."""

    @wraps(method)
    async def called(self: AsyncHopline, /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        return await self._run(method, self._part(method), *args, **kwargs)

    return owned_by(_ASYNC_HOPLINE, called)


def listed(method: Method[Arguments, Iterator[Result]]) -> Method[Arguments, Awaited[list[Result]]]:
    """Turn a part's generator method into an asynchronous one that returns a list."""

    @wraps(method)
    async def called(
        self: AsyncHopline, /, *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> list[Result]:
        return await self._run(lambda: list(method(self._part(method), *args, **kwargs)))

    return owned_by(_ASYNC_HOPLINE, returning(called, method, "Iterator[", "list["))


def to_end(method: Method[Arguments, Pending[Result]]) -> Method[Arguments, Awaited[Result]]:
    """Turn a part's submitting method into an asynchronous one; no thread is held while jobs run."""

    @wraps(method)
    async def called(self: AsyncHopline, /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        pending = await self._run(method, self._part(method), *args, **kwargs)
        records: list[JobRecord] = []
        for job_id in pending.job_ids:
            if pending.wait:
                async for _ in self.watch(job_id, timeout=pending.timeout):
                    pass
            records.append(await self.job(job_id))
        return pending.finish(records)

    return owned_by(_ASYNC_HOPLINE, returning(called, method, "Pending[", ""))


class AsyncHopline:
    """`Hopline` for asyncio; every method means the same and raises the same.

    A cancelled wait frees its thread within about a second and leaves the job running.

    Example:
        >>> async with AsyncHopline() as hopline:  # doctest: +SKIP
        ...     answers = await asyncio.gather(*(hopline.ask(question) for question in questions))

    Args:
        url: as for `Hopline`.
        api_key: as for `Hopline`.
        act_as: as for `Hopline`.
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
        act_as: str | Sequence[str] | None = None,
        settings: Settings | None = None,
        services: Services | None = None,
        publisher: Publisher | None = None,
        threads: int = 32,
    ) -> None:
        self._hopline = Hopline(
            url,
            api_key=api_key,
            act_as=act_as,
            settings=settings,
            services=services,
            publisher=publisher,
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
        await self._run(self._hopline.close)
        self._threads.shutdown(wait=False)

    async def _run(
        self, call: Callable[Arguments, Result], /, *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> Result:
        """Return what a call returns, done in one of this client's threads, in the trace of who awaits it."""
        within = partial(copy_context().run, call, *args, **kwargs)
        return await asyncio.get_running_loop().run_in_executor(self._threads, within)

    def _part(self, method: Callable[..., Any]) -> Part:
        return self._hopline._part(method)  # noqa: SLF001 - both clients are made of the same parts

    async def watch(
        self,
        job_id: str,
        *,
        timeout: float | None = None,  # noqa: ASYNC109 - the deadline also reaches the waiting thread
    ) -> AsyncIterator[Event]:
        """Yield the job's events until it has ended; see `Hopline.watch`."""
        follow = await self._run(self._hopline.follow, job_id, timeout=timeout)
        while not follow.ended:
            for event in await self._run(follow.poll):
                yield event

    ask = to_end(Questions.ask)
    submit_question = in_thread(Questions.submit_question)
    search = in_thread(Questions.search)

    wait = to_end(Jobs.wait)
    job = in_thread(Jobs.job)
    jobs = in_thread(Jobs.jobs)
    waits_for = in_thread(Jobs.waits_for)
    dead_letters = in_thread(Jobs.dead_letters)
    cancel = in_thread(Jobs.cancel)
    act_on_jobs = in_thread(Jobs.act_on_jobs)
    retry = in_thread(Jobs.retry)
    replay = to_end(Jobs.replay)
    submit_replay = in_thread(Jobs.submit_replay)
    pauses = in_thread(Jobs.pauses)
    pause_work = in_thread(Jobs.pause_work)
    resume_work = in_thread(Jobs.resume_work)
    weights = in_thread(Jobs.weights)
    set_weight = in_thread(Jobs.set_weight)

    history = in_thread(History.history)
    history_costs = in_thread(History.history_costs)
    audit = in_thread(History.audit)

    ingest = to_end(Documents.ingest)
    submit_documents = in_thread(Documents.submit_documents)
    ingest_texts = to_end(Documents.ingest_texts)
    submit_texts = in_thread(Documents.submit_texts)
    documents = listed(Documents.documents)
    document = in_thread(Documents.document)
    change_metadata = in_thread(Documents.change_metadata)
    document_text = in_thread(Graph.document_text)
    delete_document = to_end(Documents.delete_document)
    collections = in_thread(Documents.collections)
    collection_schema = in_thread(Schemas.collection_schema)
    set_collection_schema = in_thread(Schemas.set_collection_schema)
    clear_collection_schema = in_thread(Schemas.clear_collection_schema)
    census = in_thread(Documents.census)
    reindex = to_end(Documents.reindex)

    submit_batch = in_thread(Batches.submit_batch)
    batch = in_thread(Batches.batch)
    batches = in_thread(Batches.batches)
    pause_batch = in_thread(Batches.pause_batch)
    resume_batch = in_thread(Batches.resume_batch)
    cancel_batch = in_thread(Batches.cancel_batch)
    retry_batch = in_thread(Batches.retry_batch)
    batch_report = in_thread(Batches.batch_report)
    estimate = in_thread(Estimates.estimate)
    sources = in_thread(Sources.sources)

    sync = to_end(Syncs.sync)
    submit_sync = in_thread(Syncs.submit_sync)
    resume_sync = in_thread(Syncs.resume_sync)
    schedules = in_thread(Schedules.schedules)
    schedule_runs = in_thread(Schedules.schedule_runs)
    set_schedule = in_thread(Schedules.set_schedule)
    pause_schedule = in_thread(Schedules.pause_schedule)
    resume_schedule = in_thread(Schedules.resume_schedule)
    delete_schedule = in_thread(Schedules.delete_schedule)

    neighbourhood = in_thread(Graph.neighbourhood)
    topics = in_thread(Graph.topics)
    build_topics = to_end(Graph.build_topics)
    submit_topics = in_thread(Graph.submit_topics)
    topics_outcome = to_end(Graph.topics_outcome)
    schema = in_thread(Tools.schema)
    tools = in_thread(Tools.tools)
    tool_packs = in_thread(Tools.tool_packs)
    tool = in_thread(Tools.tool)
    run_tool = in_thread(Tools.run_tool)

    merge_elements = to_end(Elements.merge_elements)
    submit_merge = in_thread(Elements.submit_merge)
    merge_outcome = to_end(Elements.merge_outcome)
    merges = listed(Elements.merges)
    name_candidates = listed(Elements.name_candidates)
    undo_merge = to_end(Elements.undo_merge)
    submit_undo = in_thread(Elements.submit_undo)

    concept = to_end(Concepts.concept)
    submit_concept = in_thread(Concepts.submit_concept)
    concept_outcome = to_end(Concepts.concept_outcome)
    concept_map = in_thread(Concepts.concept_map)
    concept_versions = in_thread(Concepts.concept_versions)
    edit_relation = in_thread(Concepts.edit_relation)
