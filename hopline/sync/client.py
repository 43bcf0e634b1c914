# Written from hopline/aio by `python -m infra.client_code`: edit it there.
"""The client."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import EllipsisType, TracebackType
from typing import TYPE_CHECKING, Any, ParamSpec, Self, TypeVar, Unpack, cast

import httpx2

from hopline.local import URL, find_application
from hopline.models.answers import Answer
from hopline.models.collections import CollectionNames
from hopline.models.fields import QueryBoundsFields
from hopline.models.ingest_reports import IngestReport, Submitted
from hopline.models.params import QueryBounds, patience_of
from hopline.models.questions import QuestionOptions, QuestionScope, Strategy
from hopline.operation import Method, Sent, operation_of
from hopline.sync.session import Connection, Session
from hopline.transport import RETRIES, TIMEOUT, Endpoint, Options, Raw

if TYPE_CHECKING:
    from hopline.sync.audit import Audit
    from hopline.sync.batches import Batches
    from hopline.sync.collections import Collections
    from hopline.sync.concepts import Concepts
    from hopline.sync.conversations import Conversations
    from hopline.sync.documents import Documents, IntakeOptions
    from hopline.sync.estimates import Estimates
    from hopline.sync.graph import Graph
    from hopline.sync.history import History
    from hopline.sync.ingest import Progress, Source
    from hopline.sync.jobs import Jobs
    from hopline.sync.keys import Keys
    from hopline.sync.merges import Merges
    from hopline.sync.messages import Messages
    from hopline.sync.pauses import Pauses
    from hopline.sync.queries import Queries
    from hopline.sync.schedules import Schedules
    from hopline.sync.server import Server
    from hopline.sync.sessions import Sessions
    from hopline.sync.sources import Sources
    from hopline.sync.syncs import Syncs
    from hopline.sync.tools import Tools
    from hopline.sync.topics import Topics
    from hopline.sync.uploads import Uploads
    from hopline.sync.weights import Weights

P = ParamSpec("P")
Result = TypeVar("Result")


class Hopline:
    """A client of hopline's API; its attributes are the nouns.

    Nothing is opened before the first request. Requests that may be repeated are sent again while the API is
    away or has no room, for at most 20 seconds.

    Args:
        url: of the API; without it, HOPLINE_API_URL, or else the API of this machine, if one runs.
        api_key: without it, HOPLINE_API_KEY; an API may need none.
        act_as: the principals for whom requests are made, such as user:ann; one text may hold several,
            separated by commas. The key needs the scope act-as.
        timeout: seconds without a byte of a reply; None waits without limit.
        retries: maximum number of times that a request is sent again.
        transport: carries the requests, if they do not go over a socket.

    Raises:
        InvalidInput: there is no address, or a value is not valid.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        api_key: str | None = None,
        act_as: str | Sequence[str] | None = None,
        timeout: float | None = TIMEOUT,
        retries: int = RETRIES,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        connection = Connection(Endpoint(url, api_key), transport)
        self._session = Session(connection, Options.of(timeout, retries, act_as))

    @classmethod
    def local(
        cls,
        settings: Any = None,
        *,
        act_as: str | Sequence[str] | None = None,
        timeout: float | None = TIMEOUT,
        via: str = "client",
    ) -> Self:
        """Return a client of the application in this process, which works on the servers themselves.

        It needs the distribution hopline-server, but no API key: anyone who reaches the servers may do
        everything.

        Args:
            settings: where the servers are; read from the environment unless given.
            act_as: the principals in whose name requests are made.
            timeout: seconds without a byte of a reply; None waits without limit.
            via: the interface that the audit records: client, cli or mcp.

        Raises:
            InvalidInput: the server's distribution is not installed, or a value is not valid.
        """
        transport = find_application(settings, via).transport()
        return cls(URL, api_key="", act_as=act_as, timeout=timeout, transport=transport)

    @property
    def url(self) -> str:
        """The API's address."""
        return self._session.connection.endpoint.url

    @property
    def batches(self) -> Batches:
        """Named batches of documents."""
        from hopline.sync.batches import Batches

        return Batches(self._session)

    @property
    def estimates(self) -> Estimates:
        """Estimates of what documents would take."""
        from hopline.sync.estimates import Estimates

        return Estimates(self._session)

    @property
    def collections(self) -> Collections:
        """Collections of documents."""
        from hopline.sync.collections import Collections

        return Collections(self._session)

    @property
    def concepts(self) -> Concepts:
        """Concept maps."""
        from hopline.sync.concepts import Concepts

        return Concepts(self._session)

    @property
    def conversations(self) -> Conversations:
        """Kept questions and answers."""
        from hopline.sync.conversations import Conversations

        return Conversations(self._session)

    @property
    def documents(self) -> Documents:
        """Documents."""
        from hopline.sync.documents import Documents

        return Documents(self._session)

    @property
    def graph(self) -> Graph:
        """The graph of facts, and the tools' database."""
        from hopline.sync.graph import Graph

        return Graph(self._session)

    @property
    def audit(self) -> Audit:
        """The record of who changed what."""
        from hopline.sync.audit import Audit

        return Audit(self._session)

    @property
    def history(self) -> History:
        """The history of ended jobs."""
        from hopline.sync.history import History

        return History(self._session)

    @property
    def jobs(self) -> Jobs:
        """Jobs."""
        from hopline.sync.jobs import Jobs

        return Jobs(self._session)

    @property
    def keys(self) -> Keys:
        """API keys."""
        from hopline.sync.keys import Keys

        return Keys(self._session)

    @property
    def merges(self) -> Merges:
        """Merges of key elements."""
        from hopline.sync.merges import Merges

        return Merges(self._session)

    @property
    def messages(self) -> Messages:
        """Messages in the broker that no worker could process."""
        from hopline.sync.messages import Messages

        return Messages(self._session)

    @property
    def pauses(self) -> Pauses:
        """Pauses of queues, steps, models and API keys."""
        from hopline.sync.pauses import Pauses

        return Pauses(self._session)

    @property
    def schedules(self) -> Schedules:
        """Schedules of syncs."""
        from hopline.sync.schedules import Schedules

        return Schedules(self._session)

    @property
    def server(self) -> Server:
        """The server: version, limits, health."""
        from hopline.sync.server import Server

        return Server(self._session)

    @property
    def sessions(self) -> Sessions:
        """Sessions, in which follow-up questions are understood."""
        from hopline.sync.sessions import Sessions

        return Sessions(self._session)

    @property
    def sources(self) -> Sources:
        """Places that batches, syncs and schedules may name."""
        from hopline.sync.sources import Sources

        return Sources(self._session)

    @property
    def syncs(self) -> Syncs:
        """Syncs of collections with places."""
        from hopline.sync.syncs import Syncs

        return Syncs(self._session)

    @property
    def tools(self) -> Tools:
        """Tools over a collection's graph."""
        from hopline.sync.tools import Tools

        return Tools(self._session)

    @property
    def uploads(self) -> Uploads:
        """Uploads of this machine's files for batches and estimates."""
        from hopline.sync.uploads import Uploads

        return Uploads(self._session)

    @property
    def topics(self) -> Topics:
        """Topics of collections."""
        from hopline.sync.topics import Topics

        return Topics(self._session)

    @property
    def queries(self) -> Queries:
        """Questions, and searches without an answer."""
        from hopline.sync.queries import Queries

        return Queries(self._session)

    @property
    def weights(self) -> Weights:
        """Weights of API keys and collections."""
        from hopline.sync.weights import Weights

        return Weights(self._session)

    def ask(
        self,
        question: str,
        *,
        collection: CollectionNames = "default",
        strategy: Strategy = "auto",
        session: str | None = None,
        conversation: str | None = None,
        key: str | None = None,
        **about: Unpack[QuestionOptions],
    ) -> Answer:
        """Ask a question, wait for the end of its job, and return the answer.

        A failed question raises no error: the answer's status and reason describe the failure.

        Args:
            question: up to 4,000 characters.
            collection: the collection to read; several are read as one.
            strategy: how to look for the answer.
            session: name of a session, in which follow-up questions are understood.
            conversation: id of a conversation, instead of a session, to keep the questions and answers; 32
                hexadecimal digits.
            key: idempotency key: asking again with it returns the first job's answer.
            **about: the scope (where, documents, as_of, known_at) and the bounds, such as max_depth, or
                timeout, the seconds after which the job ends with what it has.

        Raises:
            InvalidInput: a value is not valid, or the scope is empty.
            NotFound: a collection has no documents.
            TooManyJobs: too much work is waiting.
            TimeoutError: the job has not ended well after its own timeout; it continues.
        """
        bounds = {name: value for name, value in about.items() if name in QueryBoundsFields.__annotations__}
        scope = {name: value for name, value in about.items() if name not in bounds}
        job = self.queries.submit(
            question,
            collection=collection,
            strategy=strategy,
            session=session,
            conversation=conversation,
            parameters=cast("QueryBounds", bounds),  # the operation checks them
            key=key,
            **cast("QuestionScope", scope),
        )
        return Answer.of(self.jobs.wait(job.id, timeout=patience_of(about.get("timeout"))))

    def hand_over(
        self,
        sources: Sequence[Source],
        collection: str = "default",
        *,
        key: str | None = None,
        progress: Progress | None = None,
        **intake: Unpack[IntakeOptions],
    ) -> Submitted:
        """Submit documents from paths, addresses and texts; return the job ids and the refused documents.

        Args:
            sources: files, folders (searched through), patterns, addresses such as s3://bucket/folder, and
                texts. An API elsewhere gets the files themselves, in as many requests as its limits need; one
                on this machine reads them in place, and the call waits until it has done so.
            collection: collection to add them to, created if it does not exist.
            key: idempotency key for all these requests: repeating the call with the same files submits
                nothing twice and continues after an interruption.
            progress: called after each request with the number of documents sent so far and their total.
            **intake: options of `documents.submit`: profile, metadata, priority …

        Raises:
            InvalidInput: no document can be accepted, or a value is not valid.
            KeyReused: the key was used for other documents.
            TooManyJobs: too much work is waiting.
            DependencyAway: the API is away; repeating the call with a key continues it.
            If some requests were accepted before an error, a note on it names their jobs.
        """
        from hopline.sync.ingest import Handover

        about = self.server.about()
        patient = self.with_options(timeout=None) if about.caller.reads_paths else self  # listing takes long
        handover = Handover(patient.documents, about, key=key, progress=progress, intake=intake)
        return handover.submit(sources, collection)

    def ingest(
        self,
        sources: Sequence[Source],
        collection: str = "default",
        *,
        key: str | None = None,
        timeout: float | None = None,
        **intake: Unpack[IntakeOptions],
    ) -> IngestReport:
        """Submit documents from paths, addresses and texts, wait for the last one, and return the report.

        A failed document raises no error: the report says why it failed.

        Args:
            sources: as for `hand_over`.
            collection: as for `hand_over`.
            key: as for `hand_over`.
            timeout: seconds to wait for each job; None waits until the last document has ended.
            **intake: as for `hand_over`.

        Raises:
            HoplineError: as `hand_over`.
            TimeoutError: not all documents have ended; the jobs continue.
        """
        submitted = self.hand_over(sources, collection, key=key, **intake)
        jobs = [self.jobs.wait(job_id, timeout=timeout) for job_id in submitted.job_ids]
        return IngestReport.of_all(jobs, submitted.refused)

    def with_options(
        self,
        *,
        timeout: float | EllipsisType | None = ...,
        retries: int | None = None,
        act_as: str | Sequence[str] | EllipsisType | None = ...,
    ) -> Self:
        """Return a client with other options, which shares the connections of this one.

        Args:
            timeout: seconds without a byte of a reply; None waits without limit.
            retries: maximum number of times that a request is sent again.
            act_as: the principals for whom requests are made; None uses the key's own rights.

        Raises:
            InvalidInput: a value is not valid.
        """
        old = self._session.options
        options = Options.of(
            old.timeout if isinstance(timeout, EllipsisType) else timeout,
            old.retries if retries is None else retries,
            old.act_as if isinstance(act_as, EllipsisType) else act_as,
        )
        other = type(self).__new__(type(self))
        other._session = replace(self._session, options=options)  # noqa: SLF001 - its own
        return other

    def raw(self, method: Callable[P, Result], *args: P.args, **kwargs: P.kwargs) -> Raw[Result]:
        """Call an operation of this client and return its result with status, headers and request id.

        Args:
            method: such as `client.weights.list`.
            *args: of the method.
            **kwargs: of the method.

        Raises:
            HoplineError: as the method.
        """
        operation = operation_of(method)
        return self._session.send_raw(operation, operation.bind(args, kwargs))

    def request(
        self, method: Method, path: str, *, query: Mapping[str, Any] | None = None, body: Any = None
    ) -> httpx2.Response:
        """Send a request for which the client has no method; return the reply, whatever its status.

        Args:
            method: of HTTP.
            path: below the API's address: /v1/jobs.
            query: values by name; a list is sent as several parameters of one name.
            body: sent as JSON; None sends none.

        Raises:
            DependencyAway: the API does not answer.
            OtherVersion: its major version differs from the client's.
        """
        return self._session.exchange(Sent.of(method, path, query or {}, body))

    def close(self) -> None:
        """Close the connections, also for clients that share them; the next request reopens them."""
        self._session.connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
