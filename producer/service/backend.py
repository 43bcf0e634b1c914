"""The broker link of the client: works on the ledger, the graph and the stores directly.

A call imports what it needs: flows, stages and drivers take a second to load, and most commands need few of
them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from producer.client.link import DEFAULT_COLLECTION
from producer.service.documents import find_document, list_documents
from producer.service.jobs import LedgerFeed, found
from workers.core.errors import Gone, Permanent, Transient
from workers.core.jobs.params import check_collection
from workers.core.jobs.work import Json, Terms

if TYPE_CHECKING:
    from producer.reports.concept import ConceptGraph
    from producer.reports.ingest import Submitted
    from producer.service.texts import TextDocument
    from workers.core.concepts.maps import ConceptVersion, RelationEdited
    from workers.core.graph.census import GraphCensus
    from workers.core.graph.merges import Merge
    from workers.core.graph.neighbourhood import Neighbourhood, Passage
    from workers.core.graph.schema import GraphSchema
    from workers.core.jobs.messages import Publisher
    from workers.core.jobs.params import ChunkSizes
    from workers.core.model import Document
    from workers.ledger.records import DeadLetter, JobRecord, Wanted
    from workers.search.models import Found
    from workers.services import Services
    from workers.settings import Settings
    from workers.tools.pack import PackState
    from workers.tools.tool import ToolPorts, ToolResult

_PAGE = 200


class BrokerLink:
    """A link over the broker; see `producer.client.link` for what the calls mean.

    Args:
        settings: where the servers are; read from the environment unless given.
        services: adapters already built; made from the settings unless given.
        publisher: sends the messages of new jobs; Celery's unless given.
    """

    def __init__(
        self,
        settings: Settings | None = None,
        services: Services | None = None,
        publisher: Publisher | None = None,
    ) -> None:
        self._settings = settings
        self._services = services
        self._publisher = publisher

    @property
    def services(self) -> Services:
        """The adapters."""
        if self._services is None:
            from workers.services import Services
            from workers.settings import load_settings

            self._services = Services(self._settings or load_settings())
        return self._services

    @property
    def publisher(self) -> Publisher:
        """What sends the messages of new jobs."""
        if self._publisher is None:
            from workers.app import CeleryPublisher, application_for

            self._publisher = CeleryPublisher(application_for(self.services.settings))
        return self._publisher

    def close(self) -> None:
        """Close every connection; the next call opens them again."""
        services, self._services = self._services, None
        if services is not None:
            services.close()

    # jobs are made --------------------------------------------------------------------------------

    def submit_question(
        self, question: str, collection: str, key: str | None, params: Json, terms: Terms
    ) -> str:
        """Submit a query."""
        from producer.service import questions as submission

        return submission.submit_question(
            self.services, self.publisher, question, collection, key, params, terms
        ).job.id

    def submit_documents(
        self,
        paths: Sequence[str | Path],
        collection: str,
        key: str | None,
        profile: str | Path | None,
        sizes: ChunkSizes,
        terms: Terms,
    ) -> Submitted:
        """Submit the documents at some paths."""
        from producer.service import questions as submission

        return submission.submit_documents(
            self.services, self.publisher, paths, collection, key, profile=profile, sizes=sizes, terms=terms
        )

    def submit_texts(
        self,
        texts: Sequence[TextDocument],
        collection: str,
        key: str | None,
        profile: str | Path | None,
        sizes: ChunkSizes,
        terms: Terms,
    ) -> Submitted:
        """Submit texts."""
        from producer.service import questions as submission

        return submission.submit_texts(
            self.services, self.publisher, texts, collection, key, profile=profile, sizes=sizes, terms=terms
        )

    def submit_concept(
        self, concept: str, collection: str, key: str | None, params: Json, terms: Terms
    ) -> str:
        """Submit the making of a concept's map."""
        from producer.service import concepts as concept_maps

        return concept_maps.submit_concept(
            self.services, self.publisher, concept, collection, key, params, terms
        ).job.id

    def submit_delete(self, document: Document) -> str:
        """Submit the removal of a document."""
        return self._submit("delete", document.collection, {"document_id": document.id})

    def submit_reindex(self, collection: str) -> str:
        """Submit the building of a collection's vectors."""
        return self._submit("reindex", collection, {})

    def submit_merge(self, collection: str, *, dry_run: bool) -> str:
        """Submit the merging of a collection's key elements."""
        return self._submit("merge", collection, {"dry_run": dry_run})

    def submit_undo(self, merge: str) -> str:
        """Submit the undoing of a merge."""
        known = self.services.graph.merge(merge)
        if known is None:
            raise Gone(f"no merge {merge}: `hopline elements merges` lists them")
        return self._submit("merge", known.collection, {"undo": merge})

    def _submit(self, kind: str, collection: str, params: Json) -> str:
        from workers.engine import submit

        return submit.submit_job(self.services, self.publisher, kind, collection, params).job.id

    # jobs -----------------------------------------------------------------------------------------

    def feed(self, job_id: str) -> LedgerFeed:
        """Return the job's events from the beginning."""
        return LedgerFeed(self.services.ledger, job_id)

    def job(self, job_id: str) -> JobRecord:
        """Return what is recorded of a job."""
        return found(self.services.ledger.job(job_id), job_id)

    def jobs(self, wanted: Wanted, limit: int) -> list[JobRecord]:
        """Return the newest of the jobs that are wanted."""
        return self.services.ledger.page(wanted, limit=limit)[0]

    def dead_letters(self, job_id: str) -> list[DeadLetter]:
        """Return the job's dead letters."""
        return self.services.ledger.dead_letters(job_id)

    def cancel(self, job_id: str) -> JobRecord:
        """End a job now."""
        from workers.engine import submit

        submit.cancel_job(self.services, self.job(job_id).job.id)
        return self.job(job_id)

    def retry(self, job_id: str) -> JobRecord:
        """Do a job's dead letters again."""
        from workers.engine import submit

        return submit.retry_job(self.services, self.publisher, self.job(job_id).job.id)

    # the graph ------------------------------------------------------------------------------------

    def search(self, question: str, collection: str, limit: int) -> Found:
        """Return what a question leads to."""
        from producer.service import search as searching

        return searching.search_collection(self.services, question, collection, limit)

    def documents(self, collection: str | None) -> Iterator[Document]:
        """Yield documents ordered by id."""
        return list_documents(self.services, collection)

    def document(self, document_id: str) -> Document:
        """Return a document."""
        return find_document(self.services, document_id)

    def collections(self) -> dict[str, int]:
        """Return each collection with its number of documents."""
        return self.services.graph.collections()

    def census(self, collection: str, *, lengths: bool) -> GraphCensus:
        """Return a collection's graph in numbers, with the length of facts if requested."""
        from producer.service import search as searching

        return searching.count_collection(self.services, collection, lengths=lengths)

    def neighbourhood(
        self, collection: str, *, name: str | None, element: str | None, document: str | None, limit: int
    ) -> Neighbourhood:
        """Return the facts around a key element."""
        from producer.service import graph as looking

        return looking.look_around(
            self.services, collection, name=name, element=element, document=document, limit=limit
        )

    def document_text(self, document_id: str, start: int | None, end: int | None) -> Passage:
        """Return a stretch of a document's text."""
        from producer.service import graph as looking

        return looking.read_text(self.services, document_id, start, end)

    def concept_map(self, concept: str, collection: str) -> ConceptGraph:
        """Return a concept's stored map."""
        from producer.service import concepts as concept_maps

        return concept_maps.read_map(self.services, concept, collection)

    def concept_versions(
        self, concept: str, collection: str, limit: int, before: int | None
    ) -> list[ConceptVersion]:
        """Return the versions of a concept's map."""
        from producer.service import concepts as concept_maps

        return concept_maps.read_versions(self.services, concept, collection, limit, before)

    def edit_relation(self, collection: str, relation: str, given: Json, key: str | None) -> RelationEdited:
        """Edit a relation of a concept's map."""
        from producer.service import concepts as concept_maps

        return concept_maps.edit_relation(self.services, collection, relation, given, key)

    def schema(self, *, internal: bool, refresh: bool) -> GraphSchema:
        """Return the database's schema."""
        return self.services.schema.schema(internal=internal, refresh=refresh)

    def tools(self, collection: str | None) -> list[Json]:
        """Return the tools that there are over a collection's graph."""
        toolbox = self.services.toolbox
        if not toolbox.depends_on_graph:
            return toolbox.descriptions()
        try:
            return toolbox.fitted(self._tool_ports(collection)).descriptions()
        except (Transient, Permanent):  # without its graph no pack is on
            return toolbox.descriptions()

    def tool_packs(self, collection: str | None) -> list[PackState]:
        """Return which packs of tools are on over a collection's graph, and why."""
        toolbox = self.services.toolbox
        if not toolbox.depends_on_graph:
            return list(toolbox.named)
        return toolbox.packs(self._tool_ports(collection))

    def tool(self, name: str, collection: str, arguments: Json, *, limited: bool = False) -> ToolResult:
        """Run a tool; a `limited` caller sees the schemas of its own collections only."""
        tool = self.services.toolbox[name]
        tool.parse(arguments)  # before anything is connected
        ports = self.services.tool_ports(check_collection(collection), limited=limited)
        return self.services.toolbox.run(name, arguments, ports)

    def _tool_ports(self, collection: str | None) -> ToolPorts:
        return self.services.tool_ports(check_collection(collection or DEFAULT_COLLECTION))

    def merges(self, collection: str | None) -> Iterator[Merge]:
        """Yield merges ordered by id."""
        after = ""
        while page := self.services.graph.merges(collection, after=after, limit=_PAGE):
            yield from page
            after = page[-1].id
