"""The port between a client and hopline, implemented over the broker and over HTTP."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from workers.core.jobs.work import Event, Json, Terms

if TYPE_CHECKING:
    from producer.reports.concept import ConceptGraph
    from producer.reports.ingest import Submitted
    from producer.service.texts import TextDocument
    from workers.core.concepts.maps import ConceptVersion, RelationEdited
    from workers.core.graph.census import GraphCensus
    from workers.core.graph.merges import Merge
    from workers.core.graph.neighbourhood import Neighbourhood, Passage
    from workers.core.graph.schema import GraphSchema
    from workers.core.jobs.params import ChunkSizes
    from workers.core.model import Document
    from workers.ledger.records import DeadLetter, JobRecord, Wanted
    from workers.search.models import Found
    from workers.tools.pack import PackState
    from workers.tools.tool import ToolResult

DEFAULT_COLLECTION = "default"


class Feed(Protocol):
    """The events of one job, for one reader."""

    def read(self, after: str, block: float | None) -> list[tuple[str, Event]]:
        """Return (id, event) after an id, oldest first; "0" is before the first.

        Args:
            after: the id that was read last.
            block: seconds to wait for the first one; None does not wait.

        Raises:
            DependencyAway: the server does not answer just now; what was read is not lost.
            Gone: the job is unknown, or has expired.
        """

    def has_ended(self) -> bool:
        """Return whether the job has ended; called when no more events arrive.

        Raises: as `read`.
        """


class SubmitLink(Protocol):
    """What makes jobs; each returns at once, most of them the id of the job."""

    def submit_question(
        self, question: str, collection: str, key: str | None, params: Json, terms: Terms
    ) -> str:
        """Submit a query; `params` are fields of QueryParams, and None means the default.

        Raises:
            InvalidInput: names the field, what was given and what is allowed.
        """

    def submit_documents(
        self,
        paths: Sequence[str | Path],
        collection: str,
        key: str | None,
        profile: str | Path | None,
        sizes: ChunkSizes,
        terms: Terms,
    ) -> Submitted:
        """Submit the documents at some paths.

        Raises:
            InvalidInput: no document lies at any of them, or the profile is wrong.
        """

    def submit_texts(
        self,
        texts: Sequence[TextDocument],
        collection: str,
        key: str | None,
        profile: str | Path | None,
        sizes: ChunkSizes,
        terms: Terms,
    ) -> Submitted:
        """Submit texts.

        Raises:
            InvalidInput: none can be taken, or the profile is wrong.
        """

    def submit_concept(
        self, concept: str, collection: str, key: str | None, params: Json, terms: Terms
    ) -> str:
        """Submit the making of a concept's map; `params` are further fields of ConceptParams.

        Raises:
            InvalidInput: names the field, what was given and what is allowed.
        """

    def submit_delete(self, document: Document) -> str:
        """Submit the removal of a document."""

    def submit_reindex(self, collection: str) -> str:
        """Submit the building of a collection's vectors."""

    def submit_merge(self, collection: str, *, dry_run: bool) -> str:
        """Submit the merging of a collection's key elements."""

    def submit_undo(self, merge: str) -> str:
        """Submit the undoing of a merge.

        Raises:
            Gone: there is no such merge.
        """


class JobLink(Protocol):
    """Inspects, cancels and retries jobs; every method raises Gone for an unknown job."""

    def feed(self, job_id: str) -> Feed:
        """Return the job's events from the beginning; nothing is read yet."""

    def job(self, job_id: str) -> JobRecord:
        """Return what is recorded of a job."""

    def jobs(self, wanted: Wanted, limit: int) -> list[JobRecord]:
        """Return the newest of the jobs that are wanted, without their outcomes."""

    def dead_letters(self, job_id: str) -> list[DeadLetter]:
        """Return the job's dead letters."""

    def cancel(self, job_id: str) -> JobRecord:
        """End a job now."""

    def retry(self, job_id: str) -> JobRecord:
        """Do a job's dead letters again; return the job that runs now."""


class GraphLink(Protocol):
    """What is read at once, without a job."""

    def search(self, question: str, collection: str, limit: int) -> Found:
        """Return what a question leads to."""

    def documents(self, collection: str | None) -> Iterator[Document]:
        """Yield the documents of a collection, or of all, ordered by id."""

    def document(self, document_id: str) -> Document:
        """Return a document; raise Gone if there is none."""

    def collections(self) -> dict[str, int]:
        """Return each collection with its number of documents."""

    def census(self, collection: str, *, lengths: bool) -> GraphCensus:
        """Return a collection's graph in numbers, with the length of facts if requested."""

    def neighbourhood(
        self, collection: str, *, name: str | None, element: str | None, document: str | None, limit: int
    ) -> Neighbourhood:
        """Return the facts around a key element, given its name or its id."""

    def document_text(self, document_id: str, start: int | None, end: int | None) -> Passage:
        """Return an excerpt of a document's text; raise Gone if there is no such document."""

    def concept_map(self, concept: str, collection: str) -> ConceptGraph:
        """Return a concept's stored map."""

    def concept_versions(
        self, concept: str, collection: str, limit: int, before: int | None
    ) -> list[ConceptVersion]:
        """Return the versions of a concept's map, newest first, optionally only those before `before`."""

    def edit_relation(self, collection: str, relation: str, given: Json, key: str | None) -> RelationEdited:
        """Edit a relation of a concept's map; the fields are those of RelationEdit."""

    def schema(self, *, internal: bool, refresh: bool) -> GraphSchema:
        """Return the database's schema."""

    def tools(self, collection: str | None) -> list[Json]:
        """Return the tools that there are, as a chat request of the OpenAI form describes them."""

    def tool_packs(self, collection: str | None) -> list[PackState]:
        """Return which packs of tools are on over a collection's graph, and why."""

    def tool(self, name: str, collection: str, arguments: Json) -> ToolResult:
        """Run a tool."""

    def merges(self, collection: str | None) -> Iterator[Merge]:
        """Yield the merges of a collection, or of all, ordered by id."""


class Link(SubmitLink, JobLink, GraphLink, Protocol):
    """A way to hopline. It may be shared by threads; nothing is connected before the first call."""

    def close(self) -> None:
        """Close every connection; the next call opens them again."""
