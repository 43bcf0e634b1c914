"""The port between a client and hopline: over the service in this process, or over HTTP."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from hopline.models.jobs import Json
from workers.core.jobs.work import Terms

if TYPE_CHECKING:
    from datetime import datetime

    from hopline.models.audit import AuditPage
    from hopline.models.census import GraphCensus
    from hopline.models.concepts import ConceptGraph, ConceptVersion, RelationEdited
    from hopline.models.documents import Document, TextDocument
    from hopline.models.graph import Neighbourhood, Passage
    from hopline.models.graph_schema import GraphSchema
    from hopline.models.history import Cost, CostGroup, HistoryPage
    from hopline.models.ingest_reports import Submitted
    from hopline.models.jobs import DeadLetter, JobFilter, JobsActed, Verb
    from hopline.models.merges import Merge, NameCandidates
    from hopline.models.pauses import WorkKind, WorkPause
    from hopline.models.schemas import MetadataSchema
    from hopline.models.search import Found
    from hopline.models.tools import PackState, ToolResult
    from hopline.models.topics import TopicList
    from hopline.models.weights import Tenant, Weight
    from producer.client.ingestion.links import (
        BatchesLink,
        EstimatesLink,
        SchedulesLink,
        SourcesLink,
        SyncsLink,
    )
    from producer.client.watch import Feed
    from producer.service.documents import Intake
    from producer.service.job_acts.replays import Change
    from workers.core.audit import WantedAudit
    from workers.core.jobs.history import WantedHistory
    from workers.core.metadata.changes import MetadataChange
    from workers.core.metadata.filter import Filter
    from workers.ledger.records import JobRecord, Wanted

DEFAULT_COLLECTION = "default"


class QuestionsLink(Protocol):
    """Questions, and searches without one."""

    def submit(
        self, question: str, collection: str | Sequence[str], key: str | None, params: Json, terms: Terms
    ) -> JobRecord:
        """Submit a query; `params` are fields of QueryParams, and None means the default.

        Several collections are read as one.

        Raises:
            InvalidInput: names the field, what was given and what is allowed.
        """

    def search(
        self,
        question: str,
        collection: str | Sequence[str],
        limit: int,
        scope: Json | None = None,
        principals: Sequence[str] | None = None,
    ) -> Found:
        """Return what a question leads to.

        Args:
            question: what to look for.
            collection: whose documents; several are ranked together.
            limit: chunks at most.
            scope: fields of `workers.core.scope.Scope`, and `translations`.
            principals: only what these may see is read; None for everything.
        """


class DocumentsLink(Protocol):
    """The documents of collections."""

    def submit(self, paths: Sequence[str | Path], collection: str, intake: Intake) -> Submitted:
        """Submit the documents at some paths.

        Raises:
            InvalidInput: no document lies at any of them, or the profile is wrong.
        """

    def submit_texts(self, texts: Sequence[TextDocument], collection: str, intake: Intake) -> Submitted:
        """Submit texts.

        Raises:
            InvalidInput: none can be taken, or the profile is wrong.
        """

    def all(self, collection: str | None, where: Filter | None = None, text: str = "") -> Iterator[Document]:
        """Yield the documents of a collection, or of all, ordered by id; a filter needs a collection.

        Args:
            collection: whose documents.
            where: the filter.
            text: the same as it was written, where that was a text: it is shorter than JSON.
        """

    def get(self, document_id: str) -> Document:
        """Return a document; raise NotFound if there is none."""

    def text(self, document_id: str, start: int | None, end: int | None) -> Passage:
        """Return an excerpt of a document's text; raise NotFound if there is no such document."""

    def text_at(
        self, document_id: str, start: int | None, end: int | None, known_at: datetime | str
    ) -> Passage:
        """Return the same of the version that was live at a time; see `Hopline.document_text`."""

    def change_metadata_of(
        self, ids: Sequence[str], collection: str | None, where: Filter | None, change: MetadataChange
    ) -> int:
        """Change fields of the documents of some ids, or of those of a collection that a filter means."""

    def submit_delete(self, document_id: str, *, erase: bool = False) -> JobRecord:
        """Submit the removal of a document; erase: with all of its versions that are kept.

        Raises:
            NotFound: there is no such document, nor, where it is to be erased, a version that is kept.
        """


class WorkPausesLink(Protocol):
    """Pauses across jobs."""

    def all(self) -> tuple[WorkPause, ...]:
        """Return all pauses, oldest first."""

    def pause(self, kind: WorkKind, name: str) -> tuple[WorkPause, ...]:
        """Pause a queue, a step, a model or an API key; return all pauses."""

    def resume(self, kind: WorkKind, name: str) -> tuple[WorkPause, ...]:
        """Resume it; return the pauses that are left."""


class WeightsLink(Protocol):
    """Weights of tenants."""

    def all(self) -> tuple[Weight, ...]:
        """Return all weights."""

    def set(self, kind: Tenant, name: str, weight: float | None) -> tuple[Weight, ...]:
        """Set a weight, or take it away; return all weights."""


class JobsLink(Protocol):
    """Inspects, cancels and retries jobs; every method raises NotFound for an unknown job."""

    def feed(self, job_id: str) -> Feed:
        """Return the job's events from the beginning; nothing is read yet."""

    def get(self, job_id: str) -> JobRecord:
        """Return what is recorded of a job."""

    def newest(self, wanted: Wanted, limit: int) -> list[JobRecord]:
        """Return the newest of the jobs that are wanted, without their outcomes."""

    def dead_letters(self, job_id: str) -> list[DeadLetter]:
        """Return the job's dead letters."""

    def cancel(self, job_id: str) -> JobRecord:
        """Cancel a job."""

    def retry(self, job_id: str) -> JobRecord:
        """Retry a job's dead letters; return the job that runs now."""

    def replay(self, job_id: str, change: Change, terms: Terms) -> JobRecord:
        """Submit a question's job again with changed parameters; return the job that compares with it."""

    def act(self, verb: Verb, meant: JobFilter, *, dry_run: bool, change: Change, terms: Terms) -> JobsActed:
        """Cancel, retry or replay the newest of the jobs that a filter means."""

    def waits_for(self, job_id: str) -> str:
        """Return what a job waits for that no worker has begun."""


class HistoryLink(Protocol):
    """Jobs that have ended, also those that have expired."""

    def page(self, wanted: WantedHistory, *, before: str = "", limit: int = 50) -> HistoryPage:
        """Return a page of the ended jobs that are wanted, newest first."""

    def costs(self, wanted: WantedHistory, by: CostGroup) -> list[Cost]:
        """Return what the jobs that are wanted took, by day, API key, collection or kind."""

    def audit(self, wanted: WantedAudit, *, before: str = "", limit: int = 50) -> AuditPage:
        """Return a page of the audit, newest first."""


class GraphLink(Protocol):
    """What the graph holds, at once; and the jobs that change it as a whole."""

    def collections(self) -> dict[str, int]:
        """Return each collection with its number of documents."""

    def census(self, collection: str, *, lengths: bool) -> GraphCensus:
        """Return a collection's graph in numbers, with the length of facts if requested."""

    def neighbourhood(
        self, collection: str, *, name: str | None, element: str | None, document: str | None, limit: int
    ) -> Neighbourhood:
        """Return the facts around a key element, by its name or its id."""

    def schema(self, collection: str | None, *, internal: bool, refresh: bool) -> GraphSchema:
        """Return the schema of the tools' database, or of the graph that tools ask over a collection."""

    def merges(self, collection: str | None) -> Iterator[Merge]:
        """Yield the merges of a collection, or of all, ordered by id."""

    def name_candidates(self, collection: str | None) -> Iterator[NameCandidates]:
        """Yield the names of a collection, or of all, that may mean several, with whom they may mean."""

    def submit_merge(self, collection: str, *, dry_run: bool, ask: int) -> JobRecord:
        """Submit the merging of a collection's key elements, with so many model calls at most."""

    def submit_undo(self, merge: str) -> JobRecord:
        """Submit the undoing of a merge.

        Raises:
            NotFound: there is no such merge.
        """

    def submit_reindex(self, collection: str) -> JobRecord:
        """Submit the building of a collection's vectors."""

    def topics(self, collection: str, level: int, *, parent: str | None, limit: int) -> TopicList:
        """Return the largest topics of a level, or within one."""

    def submit_topics(self, collection: str, *, anew: bool) -> JobRecord:
        """Submit the building of a collection's topics."""


class SchemasLink(Protocol):
    """The metadata schemas of collections."""

    def get(self, collection: str) -> MetadataSchema:
        """Return a collection's schema; an empty one if it has none."""

    def put(self, collection: str, schema: MetadataSchema, *, anyway: bool) -> int:
        """Set a collection's schema; return how many of its documents do not fit.

        Raises:
            InvalidInput: some do not, and it is not to be set anyway.
        """

    def clear(self, collection: str) -> None:
        """Let a collection have no schema."""


class ConceptsLink(Protocol):
    """Concept maps."""

    def submit(self, concept: str, collection: str, key: str | None, params: Json, terms: Terms) -> JobRecord:
        """Submit the making of a concept's map; `params` are further fields of ConceptParams.

        Raises:
            InvalidInput: names the field, what was given and what is allowed.
        """

    def map(self, concept: str, collection: str) -> ConceptGraph:
        """Return a concept's stored map."""

    def versions(self, concept: str, collection: str, limit: int, before: int | None) -> list[ConceptVersion]:
        """Return the versions of a concept's map, newest first; only those older than `before`, if set."""

    def edit(self, collection: str, relation: str, fields: Json, key: str | None) -> RelationEdited:
        """Edit a relation of a concept's map; the fields are those of RelationEdit."""


class ToolsLink(Protocol):
    """Tools over a collection's graph."""

    def all(self, collection: str | None) -> list[Json]:
        """Return the tools that there are, as a chat request of the OpenAI form describes them."""

    def packs(self, collection: str | None) -> list[PackState]:
        """Return which packs of tools are on over a collection's graph, and why."""

    def run(self, name: str, collection: str, arguments: Json) -> ToolResult:
        """Run a tool."""


class Link(Protocol):
    """A link to hopline, safe to share between threads; it connects on the first call."""

    @property
    def questions(self) -> QuestionsLink:
        """Questions, and searches without one."""

    @property
    def documents(self) -> DocumentsLink:
        """The documents of collections."""

    @property
    def jobs(self) -> JobsLink:
        """Jobs."""

    @property
    def work_pauses(self) -> WorkPausesLink:
        """Pauses across jobs."""

    @property
    def weights(self) -> WeightsLink:
        """Weights of tenants."""

    @property
    def history(self) -> HistoryLink:
        """Jobs that have ended."""

    @property
    def batches(self) -> BatchesLink:
        """Named batches."""

    @property
    def estimates(self) -> EstimatesLink:
        """Estimates."""

    @property
    def sources(self) -> SourcesLink:
        """What requests may ingest from."""

    @property
    def syncs(self) -> SyncsLink:
        """Syncs."""

    @property
    def schedules(self) -> SchedulesLink:
        """Schedules of syncs."""

    @property
    def graph(self) -> GraphLink:
        """The graph as a whole."""

    @property
    def schemas(self) -> SchemasLink:
        """The metadata schemas of collections."""

    @property
    def concepts(self) -> ConceptsLink:
        """Concept maps."""

    @property
    def tools(self) -> ToolsLink:
        """Tools."""

    def close(self) -> None:
        """Close every connection; the next call opens them again."""
