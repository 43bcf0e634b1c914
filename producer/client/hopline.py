"""The Python client: submits questions and documents, watches jobs, reads results."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from producer.client.address import broker_of, is_remote, link_to
from producer.client.batches import BatchCalls
from producer.client.concepts import ConceptCalls
from producer.client.documents import DocumentCalls
from producer.client.elements import ElementCalls
from producer.client.graph import GraphViews
from producer.client.jobs import JobCalls
from producer.client.link import DEFAULT_COLLECTION, Link
from producer.client.syncs import SyncCalls
from producer.client.terms import patience_of, terms_of
from producer.client.tools import ToolCalls
from producer.reports import outcomes
from workers.core.jobs.work import Priority

if TYPE_CHECKING:
    from workers.core.answers.answer import Answer
    from workers.core.jobs.messages import Publisher
    from workers.search.models import Found
    from workers.services import Services
    from workers.settings import Settings


class Hopline(
    JobCalls, DocumentCalls, BatchCalls, SyncCalls, ElementCalls, ToolCalls, GraphViews, ConceptCalls
):
    """A connection to hopline: to its servers themselves, or to its HTTP API.

    Nothing is connected before the first call that needs it. Use it as a context manager, or `close` it.
    It may be shared by threads. Every call means the same and raises the same either way.

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
        settings: Settings | None = None,
        services: Services | None = None,
        publisher: Publisher | None = None,
        link: Link | None = None,
    ) -> None:
        self._own_link = link or link_to(
            url, api_key=api_key, settings=settings, services=services, publisher=publisher
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close every connection; the next call opens them again."""
        self._link.close()

    @property
    def _link(self) -> Link:
        return self._own_link

    @property
    def is_remote(self) -> bool:
        """Whether it works over HTTP, so that `services` and `publisher` are not here."""
        return is_remote(self._link)

    @property
    def services(self) -> Services:
        """The adapters behind this client.

        Raises:
            Permanent: it works over HTTP.
        """
        return broker_of(self._link).services

    @property
    def publisher(self) -> Publisher:
        """What sends the messages of new jobs.

        Raises:
            Permanent: it works over HTTP.
        """
        return broker_of(self._link).publisher

    # questions ------------------------------------------------------------------------------------

    def ask(
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
        """Ask a question; return its answer, or with wait=False what is known at once (status running).

        Args:
            question: up to 4,000 characters.
            collection: whose documents to answer from.
            key: idempotency key: asking again with it returns the first job's answer.
            wait: block until the job has ended.
            priority: high, normal or low, among what waits.
            webhook: an address that is told of the job's end.
            **params: fields of `workers.core.jobs.params.QueryParams`, such as max_depth or decay_rate.

        Raises:
            InvalidInput: names the field, what was given and what is allowed.
            TimeoutError: no worker has ended the job well after its own timeout.
        """
        job_id = self.submit_question(
            question, collection, key=key, priority=priority, webhook=webhook, **params
        )
        if not wait:
            return outcomes.answer_of(self.job(job_id))
        self._drain(job_id, patience_of(params))
        return outcomes.answer_of(self.job(job_id))

    def submit_question(
        self,
        question: str,
        collection: str = DEFAULT_COLLECTION,
        *,
        key: str | None = None,
        priority: Priority = "normal",
        webhook: str = "",
        **params: Any,
    ) -> str:
        """Submit a question; return its job's id at once. Arguments and errors are those of `ask`."""
        terms = terms_of(priority, webhook)
        return self._link.submit_question(question, collection, key, params, terms)

    def search(self, question: str, collection: str = DEFAULT_COLLECTION, limit: int = 10) -> Found:
        """Return the chunks that a question leads to, best first, at once: no job, no language model.

        Args:
            question: up to 4,000 characters.
            collection: whose documents to search.
            limit: chunks at most, up to 100.

        Raises:
            InvalidInput: names the field, what was given and what is allowed.
        """
        return self._link.search(question, collection, limit)
