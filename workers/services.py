"""Builds the adapters, once per process, and passes them to steps."""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, cast

import redis

from hopline.errors import InvalidInput, Permanent
from hopline.events.questions import AnswerRestarted
from workers.adapters.blob_marker import StoreMarker
from workers.core.concepts.disciplines import Discipline, parse_disciplines
from workers.core.concepts.maps import ConceptStore
from workers.core.graph.kept_versions import kept_store
from workers.core.graph.vectors import Vectors
from workers.core.jobs.records import Claim
from workers.core.jobs.webhooks import WebhookSender
from workers.core.jobs.work import Job
from workers.core.models.metered_model import Meter
from workers.core.models.permits import Permits
from workers.core.models.prices import read_prices
from workers.core.models.provider import Provider, no_provider, uses_provider
from workers.core.models.replies import Replies
from workers.core.models.tools import AtOnce, NoTools, Tools
from workers.core.ports import Graph, Model, Ports, Tell, untold
from workers.core.scope import Scope, check_reads_less, scope_for
from workers.core.server_address import check_graph_address
from workers.ledger.budget import JobMeter
from workers.ledger.item_events import ItemTelling
from workers.ledger.reads import JobReads
from workers.ledger.scripts import Scripts
from workers.ledger.stores import Records
from workers.limits.learnt_forms import LearntForms
from workers.limits.permits import ItemPermits
from workers.limits.work_pauses import PausablePermits, WorkPauses
from workers.settings import wants_traces
from workers.telemetry.metrics import COUNTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hopline.models.audit import AuditEvent
    from hopline.models.history import HistoryRow
    from workers.adapters.blobs import BlobStore
    from workers.adapters.named_files import NamedFiles
    from workers.adapters.neo4j.connection import Connection
    from workers.adapters.neo4j.graph import Neo4jGraph
    from workers.adapters.neo4j.scoped.keeper import ScopeKeeper
    from workers.core.graph.cypher import CypherReader
    from workers.core.graph.schema import SchemaSource
    from workers.core.originals import Originals
    from workers.history.audit_book import AuditBook
    from workers.history.audit_search import AuditSearch
    from workers.history.keeper import HistoryKeeper
    from workers.history.search import HistorySearch
    from workers.telemetry.traces.tracer import Tracer
    from workers.tools.tool import ToolPorts
    from workers.tools.toolbox import Toolbox

# Of a call's time limit: an attempt with its retries takes one and a half; one not settled then never is.
_CALL_LOST = 2.0
QUERY_KIND = "query"  # the only jobs that may read for some principals
_SCHEMA_SECONDS = 30.0  # of a query for the schema


class Within(NamedTuple):
    """The documents that a question or a search may read."""

    graph: Graph
    vectors: Vectors
    tools: Tools | None = None  # all, unless given


class Services(Records):
    """Everything outside the process, each part opened when first used.

    Adapters are imported where they are built, so that a command that only reads the ledger starts quickly.
    """

    @cached_property
    def webhooks(self) -> WebhookSender:
        """Sender of webhooks."""
        from workers.adapters.webhook.http import HttpWebhooks  # noqa: PLC0415
        from workers.adapters.webhook.secret import webhook_secret  # noqa: PLC0415

        settings = self.settings
        return HttpWebhooks(
            lambda caller: webhook_secret(self.redis, settings, caller),
            seconds=settings.webhook_seconds,
            private=settings.webhook_private,
            insecure=settings.webhook_http,
            ca_file=settings.ca_file,
        )

    @cached_property
    def graph(self) -> Neo4jGraph:
        """The graph."""
        from workers.adapters.neo4j.graph import Neo4jGraph  # noqa: PLC0415

        settings = self.settings
        held = settings.search_memory_facts
        return Neo4jGraph(*settings.own_login, in_memory=held, ca_file=settings.ca_file)

    @cached_property
    def vectors(self) -> Vectors:
        """The vector store."""
        from workers.adapters.qdrant.vectors import QdrantVectors  # noqa: PLC0415

        settings, key = self.settings, self.settings.qdrant_api_key
        return QdrantVectors(
            settings.qdrant_url,
            key.get_secret_value() if key else None,
            weight=settings.vector_weight,
            ca_file=settings.ca_file,
        )

    @cached_property
    def model(self) -> Model:
        """The model endpoint."""
        from workers.adapters.openai.model import OpenAIModel  # noqa: PLC0415

        learnt = LearntForms(self.redis, self.settings.model_learnt_hours)
        return OpenAIModel.from_settings(self.settings, learnt)

    @cached_property
    def blobs(self) -> BlobStore:
        """The blob store."""
        from workers.adapters.blobs import BlobStore  # noqa: PLC0415

        return BlobStore(self._blob_url)

    @cached_property
    def history(self) -> HistoryKeeper[HistoryRow]:
        """Writes and erases the history of ended jobs."""
        from workers.history.books import JOBS  # noqa: PLC0415
        from workers.history.keeper import HistoryKeeper  # noqa: PLC0415

        return HistoryKeeper(self.redis, self._files, self.settings.history_days, JOBS)

    @cached_property
    def history_search(self) -> HistorySearch:
        """Searches the history of ended jobs."""
        from workers.history.search import HistorySearch  # noqa: PLC0415

        return HistorySearch(self.history.pending, self._files)

    @cached_property
    def audit(self) -> AuditBook:
        """Records who changes what."""
        from workers.history.audit_book import AuditBook  # noqa: PLC0415

        return AuditBook(self.redis, kept=self.settings.history_days > 0)

    @cached_property
    def audit_keeper(self) -> HistoryKeeper[AuditEvent]:
        """Writes and erases audit events, like the history of ended jobs."""
        from workers.history.books import EVENTS  # noqa: PLC0415
        from workers.history.keeper import HistoryKeeper  # noqa: PLC0415

        return HistoryKeeper(self.redis, self._files, self.settings.history_days, EVENTS)

    @cached_property
    def audit_search(self) -> AuditSearch:
        """Searches the audit."""
        from workers.history.audit_search import AuditSearch  # noqa: PLC0415

        return AuditSearch(self.audit_keeper.pending, self._files)

    @property
    def _files(self) -> NamedFiles:
        from workers.adapters.named_files import NamedFiles  # noqa: PLC0415

        return NamedFiles(self._blob_url)

    @property
    def _blob_url(self) -> str:
        return self.settings.blob_url or str((self.settings.var / "blobs").resolve())

    @cached_property
    def store_marker(self) -> StoreMarker:
        """Tracks whether this process, a worker, sees the blob store that the others use."""
        marker = StoreMarker(self.redis, self.blobs)
        self.blobs.is_common = lambda now: marker.is_seen(now=now)
        return marker

    @property
    def unpaid_model(self) -> Model:
        """The model for calls that no job pays for; limits and breakers count them too."""
        from workers.adapters.openai.calls import Unmetered  # noqa: PLC0415

        own = ItemPermits(self.limiter, self.breakers, lambda _limiter, _seconds: None, bulk=False)
        return self.model.metered(Unmetered(), own)

    @cached_property
    def provider(self) -> Provider:
        """The batch mode of the model's endpoint."""
        from workers.adapters.openai.batches import OpenAIBatches  # noqa: PLC0415
        from workers.adapters.openai.model import OpenAIModel  # noqa: PLC0415

        model = cast("OpenAIModel", self.model)
        return OpenAIBatches.from_settings(
            self.settings, model, heard=lambda: self.breakers.passed(("model",))
        )

    @cached_property
    def replies(self) -> Replies:
        """The response cache."""
        from workers.adapters.replies import open_replies  # noqa: PLC0415

        return open_replies(self.settings)

    @cached_property
    def recognised(self) -> Replies:
        """Lines recognised by OCR on pages that are pictures."""
        from workers.adapters.replies import open_recognised  # noqa: PLC0415

        return open_recognised(self.settings)

    @cached_property
    def originals(self) -> Originals:
        """The files that documents were read from."""
        from workers.adapters.originals import OriginalStore  # noqa: PLC0415

        settings = self.settings
        return OriginalStore(
            self._files,
            self.redis,
            most_bytes=settings.original_bytes,
            all_bytes=settings.originals_bytes,
            blobs=self.blobs,
        )

    @cached_property
    def concepts(self) -> ConceptStore:
        """The concept maps, in hopline's own graph."""
        from workers.adapters.neo4j.concepts import Neo4jConcepts  # noqa: PLC0415

        return Neo4jConcepts(self.graph.connection)

    @cached_property
    def disciplines(self) -> tuple[Discipline, ...]:
        """The disciplines of concept maps."""
        return parse_disciplines(self.settings.concept_disciplines)

    @cached_property
    def schema(self) -> SchemaSource:
        """The schema of the database that tools query."""
        from workers.adapters.neo4j.schema import Neo4jSchema  # noqa: PLC0415

        return Neo4jSchema(self.tools_connection) if self.settings.tools_neo4j_url else self.own_schema

    @cached_property
    def own_schema(self) -> SchemaSource:
        """The schema of hopline's own graph."""
        from workers.adapters.neo4j.schema import Neo4jSchema  # noqa: PLC0415

        return Neo4jSchema(self.graph.connection)

    @cached_property
    def tools_connection(self) -> Connection:
        """The tools' database, if it is not hopline's own."""
        from workers.adapters.neo4j.connection import Connection  # noqa: PLC0415
        from workers.adapters.neo4j.errors import OF_TOOLS  # noqa: PLC0415

        login, ca_file = self.settings.tools_login, self.settings.ca_file
        return Connection(*login, timeout=_SCHEMA_SECONDS, settings=OF_TOOLS, ca_file=ca_file)

    @cached_property
    def reader(self) -> CypherReader:
        """Runs read-only Cypher on the database that tools query."""
        from workers.adapters.neo4j.errors import OF_TOOLS  # noqa: PLC0415
        from workers.adapters.neo4j.untrusted_cypher import GuardedReader  # noqa: PLC0415

        if not self.settings.tools_neo4j_url:
            return self.own_reader
        return GuardedReader(*self.settings.tools_login, OF_TOOLS, ca_file=self.settings.ca_file)

    @cached_property
    def own_reader(self) -> CypherReader:
        """Runs read-only Cypher on hopline's own graph."""
        from workers.adapters.neo4j.errors import OWN  # noqa: PLC0415
        from workers.adapters.neo4j.untrusted_cypher import GuardedReader  # noqa: PLC0415

        return GuardedReader(*self.settings.own_login, OWN, ca_file=self.settings.ca_file)

    @cached_property
    def toolbox(self) -> Toolbox:
        """The tools, including those of packs."""
        from workers.text2cypher.guide import load_guide  # noqa: PLC0415
        from workers.tools.builtin.text2cypher import text2cypher_tool  # noqa: PLC0415
        from workers.tools.packs import load_toolbox  # noqa: PLC0415

        settings = self.settings
        guide = load_guide(settings.text2cypher_terms, settings.text2cypher_examples)
        own = settings.text2cypher == "on"
        return load_toolbox(settings.tool_packs, text2cypher_tool(guide, own=own))

    def tool_ports(self, collection: str, model: Model | None = None, *, limited: bool = False) -> ToolPorts:
        """Return the ports of a tool: the graph of a collection's documents, or else the tools' database.

        Args:
            collection: collection whose nodes the tool may show.
            model: a model whose calls are charged to a job's meter, if a job runs the tool.
            limited: whether the caller may not see other collections.
        """
        own = bool(self.settings.tools_neo4j_url and self.own_schema.of_collection(collection).nodes)
        return self._tool_ports(collection, model or self.model, own=own, limited=limited)

    def foreign_ports(self) -> ToolPorts | None:
        """Return a tool's ports to the tools' own database; None if none is configured."""
        if not self.settings.tools_neo4j_url:
            return None
        return self._tool_ports("", self.model, own=False, limited=False)

    def _tool_ports(self, collection: str, model: Model, *, own: bool, limited: bool) -> ToolPorts:
        from workers.tools.tool import ToolPorts  # noqa: PLC0415

        return ToolPorts(
            collection=collection,
            schema_source=self.own_schema if own else self.schema,
            reader=self.own_reader if own else self.reader,
            graph=self.graph,
            vectors=self.vectors,
            model=model,
            limited=limited,
        )

    def check_tools(self) -> None:
        """Check the settings of tools, disciplines and prices, without connecting to anything.

        Raises:
            InvalidInput: names the file or setting, its value, and what is allowed.
        """
        url = self.settings.tools_neo4j_url
        try:
            check_graph_address(url)
        except ValueError as error:
            raise InvalidInput("tools_neo4j_url", url, str(error).removeprefix("must be ")) from error
        _ = self.toolbox, self.disciplines, read_prices(self.settings.prices)

    @cached_property
    def tracer(self) -> Tracer | None:
        """The traces of this process; None unless OpenTelemetry is configured."""
        from workers.telemetry.traces.tracer import open_tracer  # noqa: PLC0415

        return open_tracer(texts=self.settings.trace_texts) if wants_traces() else None

    def telling(self, claim: Claim) -> ItemTelling:
        """Return the publisher of an item's provisional events."""
        return ItemTelling(Scripts(self.hasty_redis), claim, str(AnswerRestarted.event))

    def ports(self, job: Job, meter: Meter, tell: Tell = untold, permits: Permits | None = None) -> Ports:
        """Return the ports for a step of this job; its model calls are metered and wait for permits."""
        from workers.tools.session import GraphTools  # noqa: PLC0415

        job = self._as_allowed_now(job)
        model = self.model.metered(meter, permits)
        tools = GraphTools(
            lambda: (self.toolbox, self.tool_ports(job.collection, model, limited=job.limited))
        )
        scope = Scope.of(job.params) if job.kind == QUERY_KIND else None
        within = self.within(job.collections, scope, job.principals)
        return Ports(
            job=job,
            graph=within.graph,
            vectors=within.vectors,
            model=model,
            blobs=self.blobs,
            books=self.books,
            replies=self.replies,
            recognised=self.recognised,
            originals=self.originals,
            provider=self.provider.metered(meter) if uses_provider(job) else no_provider(),
            limits=self.settings.limits,
            places=self.settings.api_sources,
            keeping=self.settings.keeping,
            schemas=self.metadata_schemas,
            forget_records=self.forget_collection,
            forget_quotes=self.conversations.take_out,
            reads=JobReads(self.ledger.scripts, job),
            webhooks=self.webhooks,
            # Where another strategy can answer, a database of tools that is away is not waited for.
            concepts=self.concepts,
            disciplines=self.disciplines,
            tools=within.tools or (AtOnce(tools) if job.params.get("strategy") == "auto" else tools),
            tell=tell,
        )

    def _as_allowed_now(self, job: Job) -> Job:
        """Return a job with the principals whose documents it may read now.

        Raises:
            Permanent: for nobody, or it reads in a way that may not be limited.
        """
        if job.kind != QUERY_KIND:
            if job.principals is not None:
                raise Permanent(f"a {job.kind} job reads all documents, but this job may read only some")
            return job
        principals = self.key_principals.of_job(job)
        if principals is not None:
            check_reads_less(job.params.get("strategy", ""))
        return job.model_copy(update={"principals": principals})

    def within(
        self, collection: str | Sequence[str], scope: Scope | None, principals: Sequence[str] | None = None
    ) -> Within:
        """Return the part of one or several collections that a scope and the given principals may read.

        Args:
            collection: collection or collections of the documents.
            scope: None for all their documents.
            principals: principals that may see what is read; None for everything.
        """
        names = [collection] if isinstance(collection, str) else collection
        scope = scope_for(scope, principals)
        if scope is None and len(names) == 1:
            return Within(self.graph, self.vectors)
        from workers.adapters.neo4j.scoped.graph import ScopedGraph  # noqa: PLC0415
        from workers.adapters.qdrant.joined import vectors_within  # noqa: PLC0415

        read = scope or Scope()
        graph = ScopedGraph(lambda: self.scopes.view(names, read))
        stores = [*names, *map(kept_store, names)] if read.known_at else names
        vectors = vectors_within(self.vectors, stores, lambda: graph.view, self.settings.vector_weight)
        # Both have what steps of questions read, and nothing that reads more.
        return Within(cast("Graph", graph), cast("Vectors", vectors), NoTools())

    @cached_property
    def scopes(self) -> ScopeKeeper:
        """The contents of scopes, in the memory of this process."""
        from workers.adapters.neo4j.scoped.keeper import ScopeKeeper  # noqa: PLC0415

        return ScopeKeeper(self.graph.connection, self.settings.search_memory_facts)

    @cached_property
    def work_pauses(self) -> WorkPauses:
        """Pauses of work across jobs."""
        return WorkPauses(self.redis)

    def permits(self, meter: JobMeter, *, bulk: bool) -> Permits:
        """Return the permits of one item; its meter records the waiting time."""
        own = ItemPermits(self.limiter, self.breakers, meter.note_wait, bulk=bulk)
        return PausablePermits(own, self.work_pauses)

    def meter(self, job: Job) -> JobMeter:
        """Return a meter for one item of the job."""
        return JobMeter(self.ledger.scripts, job.root or job.id, _CALL_LOST * self.settings.model_timeout)

    def close(self) -> None:
        """Close open connections after flushing this process's counters."""
        with suppress(redis.RedisError):
            COUNTS.flush(self.hasty_redis)
        for name in (
            "graph",
            "tools_connection",
            "reader",
            "own_reader",
            "broker_redis",
            "redis",
            "hasty_redis",
        ):
            opened: Graph | Connection | CypherReader | redis.Redis | None = self.__dict__.get(name)
            if opened is not None:
                opened.close()  # type: ignore[union-attr]
