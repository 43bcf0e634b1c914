"""The Python client: submits questions and documents, watches jobs, reads results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from producer.client.address import is_remote, link_to, service_of
from producer.client.concepts import Concepts
from producer.client.documents import Documents
from producer.client.elements import Elements
from producer.client.graph import Graph
from producer.client.history import History
from producer.client.ingestion.batches import Batches
from producer.client.ingestion.estimates import Estimates
from producer.client.ingestion.schedules import Schedules
from producer.client.ingestion.sources import Sources
from producer.client.ingestion.syncs import Syncs
from producer.client.jobs import Jobs
from producer.client.part import Part, call, call_to_end
from producer.client.questions import Questions
from producer.client.schemas import Schemas
from producer.client.tools import Tools
from workers.logs import leave_to_logging

if TYPE_CHECKING:
    from producer.client.link import Link
    from producer.service.service import Service
    from workers.core.jobs.messages import Publisher
    from workers.services import Services
    from workers.settings import Settings

_INGESTION = (Documents, Batches, Estimates, Sources, Syncs, Schedules)
_PARTS = (Questions, Jobs, History, *_INGESTION, Elements, Tools, Graph, Concepts, Schemas)


class Hopline:
    """A connection to hopline: to its servers themselves, or to its HTTP API.

    Nothing is connected before the first call that needs it. Use it as a context manager, or `close` it.
    It may be shared by threads. Every call means the same and raises the same either way. It prints nothing:
    what it logs goes to Python's `logging`, by module, unless structlog is configured.

    Example:
        >>> with Hopline() as hopline:  # doctest: +SKIP
        ...     hopline.ingest(["reports/"], collection="reports")
        ...     answer = hopline.ask("Who built the bridge?", collection="reports", max_depth=2)
        ...     print(answer.status, answer.text)
        ...     for citation in answer.citations:
        ...         print(citation.n, citation.document.title, citation.quote)

        >>> with Hopline("https://hopline.example", api_key="hop_…") as hopline:  # doctest: +SKIP
        ...     print(hopline.ask("Who built the bridge?", collection="reports").text)

    Args:
        url: the address of an HTTP API; without one the client works on the servers themselves. It may be
            the settings instead.
        api_key: as `hopline keys create` printed it; only for an API.
        act_as: principals such as user:ann, group:legal, in whose name every request is made; only for an
            API, and with a key that may (docs/access.md).
        settings: where the servers are; read from the environment unless given.
        services: adapters already built; made from the settings unless given.
        publisher: sends the messages of new jobs; Celery's unless given.
        link: a way to hopline of one's own, instead of all the others.

    Raises:
        InvalidInput: the url is not valid, or what is given belongs to the other way.
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
        link: Link | None = None,
    ) -> None:
        leave_to_logging()
        self._link = link or link_to(
            url,
            api_key=api_key,
            act_as=act_as,
            settings=settings,
            services=services,
            publisher=publisher,
        )
        self._parts: dict[str, Part] = {kind.__name__: kind(self._link) for kind in _PARTS}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close every connection; the next call opens them again."""
        self._link.close()

    def _part(self, method: Callable[..., Any]) -> Part:
        """Return the part that a method belongs to."""
        return self._parts[method.__qualname__.partition(".")[0]]

    @property
    def is_remote(self) -> bool:
        """Whether it works over HTTP, so that `service`, `services` and `publisher` are not here."""
        return is_remote(self._link)

    @property
    def service(self) -> Service:
        """The service behind this client.

        Raises:
            Permanent: it works over HTTP.
        """
        return service_of(self._link)

    @property
    def services(self) -> Services:
        """The adapters behind this client.

        Raises:
            Permanent: it works over HTTP.
        """
        return self.service.services

    @property
    def publisher(self) -> Publisher:
        """What sends the messages of new jobs.

        Raises:
            Permanent: it works over HTTP.
        """
        return self.service.publisher

    ask = call_to_end(Questions.ask)
    submit_question = call(Questions.submit_question)
    search = call(Questions.search)

    follow = call(Jobs.follow)
    watch = call(Jobs.watch)
    wait = call_to_end(Jobs.wait)
    job = call(Jobs.job)
    jobs = call(Jobs.jobs)
    waits_for = call(Jobs.waits_for)
    dead_letters = call(Jobs.dead_letters)
    cancel = call(Jobs.cancel)
    act_on_jobs = call(Jobs.act_on_jobs)
    retry = call(Jobs.retry)
    replay = call_to_end(Jobs.replay)
    submit_replay = call(Jobs.submit_replay)
    pauses = call(Jobs.pauses)
    pause_work = call(Jobs.pause_work)
    resume_work = call(Jobs.resume_work)
    weights = call(Jobs.weights)
    set_weight = call(Jobs.set_weight)

    history = call(History.history)
    history_costs = call(History.history_costs)
    audit = call(History.audit)

    ingest = call_to_end(Documents.ingest)
    submit_documents = call(Documents.submit_documents)
    ingest_texts = call_to_end(Documents.ingest_texts)
    submit_texts = call(Documents.submit_texts)
    documents = call(Documents.documents)
    document = call(Documents.document)
    change_metadata = call(Documents.change_metadata)
    document_text = call(Graph.document_text)
    delete_document = call_to_end(Documents.delete_document)
    collections = call(Documents.collections)
    collection_schema = call(Schemas.collection_schema)
    set_collection_schema = call(Schemas.set_collection_schema)
    clear_collection_schema = call(Schemas.clear_collection_schema)
    census = call(Documents.census)
    reindex = call_to_end(Documents.reindex)

    submit_batch = call(Batches.submit_batch)
    batch = call(Batches.batch)
    batches = call(Batches.batches)
    pause_batch = call(Batches.pause_batch)
    resume_batch = call(Batches.resume_batch)
    cancel_batch = call(Batches.cancel_batch)
    retry_batch = call(Batches.retry_batch)
    batch_report = call(Batches.batch_report)
    estimate = call(Estimates.estimate)
    sources = call(Sources.sources)

    sync = call_to_end(Syncs.sync)
    submit_sync = call(Syncs.submit_sync)
    resume_sync = call(Syncs.resume_sync)
    schedules = call(Schedules.schedules)
    schedule_runs = call(Schedules.schedule_runs)
    set_schedule = call(Schedules.set_schedule)
    pause_schedule = call(Schedules.pause_schedule)
    resume_schedule = call(Schedules.resume_schedule)
    delete_schedule = call(Schedules.delete_schedule)

    neighbourhood = call(Graph.neighbourhood)
    topics = call(Graph.topics)
    build_topics = call_to_end(Graph.build_topics)
    submit_topics = call(Graph.submit_topics)
    topics_outcome = call_to_end(Graph.topics_outcome)
    schema = call(Tools.schema)
    tools = call(Tools.tools)
    tool_packs = call(Tools.tool_packs)
    tool = call(Tools.tool)
    run_tool = call(Tools.run_tool)

    merge_elements = call_to_end(Elements.merge_elements)
    submit_merge = call(Elements.submit_merge)
    merge_outcome = call_to_end(Elements.merge_outcome)
    merges = call(Elements.merges)
    name_candidates = call(Elements.name_candidates)
    undo_merge = call_to_end(Elements.undo_merge)
    submit_undo = call(Elements.submit_undo)

    concept = call_to_end(Concepts.concept)
    submit_concept = call(Concepts.submit_concept)
    concept_outcome = call_to_end(Concepts.concept_outcome)
    concept_map = call(Concepts.concept_map)
    concept_versions = call(Concepts.concept_versions)
    edit_relation = call(Concepts.edit_relation)
