"""Service for questions: checks them, searches, and tests whether documents can answer."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from hopline.errors import DependencyAway, InvalidInput, NoDocuments, Transient
from hopline.models.strategies import names_asking_graph
from producer.reports.outcomes import QUERY_KIND
from producer.service.backend import Part
from workers.core.errors import EmbedderMismatch
from workers.core.jobs.params import (
    QueryParams,
    SearchParams,
    check_collections,
    parse_params,
)
from workers.core.jobs.work import Job
from workers.core.scope import Scope, check_reads_less, scope_for

if TYPE_CHECKING:
    from hopline.models.jobs import Json
    from hopline.models.search import Found
    from producer.service.backend import Backend
    from workers.core.graph.vectors import Vectors
    from workers.core.jobs.work import Terms
    from workers.core.ports import Graph, Model
    from workers.search.search import Searchable
    from workers.settings import Settings


class Searched(NamedTuple):
    """The data that a search within a scope reads; see `workers.search.search.Searchable`."""

    graph: Graph
    vectors: Vectors
    model: Model


_DOCUMENTS_SECONDS = 1.0  # that a collection's documents are taken to be there still


class Questions(Part):
    """Service for questions to a collection."""

    def __init__(self, backend: Backend) -> None:
        super().__init__(backend)
        self._documents_until: dict[str, float] = {}  # collection → monotonic seconds

    def check(
        self, question: str, collections: Sequence[str], params: Json, terms: Terms | None = None
    ) -> QueryParams:
        """Return the parameters of a question's job.

        Args:
            question: the question to ask.
            collections: the collections to read; several are read as one, and the job belongs to the first.
            params: fields of QueryParams; None stands for the default.
            terms: caller, priority and notifications.

        Raises:
            InvalidInput: names the field, what was given and what is allowed.
        """
        fields = {name: value for name, value in params.items() if value is not None}
        fields |= {"collections": collections} if len(collections) > 1 else {}
        checked = parse_params(QueryParams, fields | {"question": question.strip()})
        checked.check_alone(checked.strategy)
        if checked.session and checked.conversation:
            raise InvalidInput("session", checked.session, "left out if there is a conversation")
        if terms and terms.principals is not None:
            check_reads_less(checked.strategy)
        if terms and terms.webhook:
            self._backend.check_webhook(terms.webhook)
        return checked

    def search(
        self,
        question: str,
        collection: str | Sequence[str],
        limit: int,
        scope: Json | None = None,
        principals: Sequence[str] | None = None,
    ) -> Found:
        """Search for a question; without vectors if their server or the embedder is away.

        Args:
            question: the question.
            collection: the collection to search; several are ranked together.
            limit: maximum number of chunks.
            scope: fields of `Scope`, and `translations`; by default everything, without translations.
            principals: only documents that these may see; None for all.

        Raises:
            InvalidInput: names the field, what was given and what is allowed.
            NoDocuments: the given principals may see nothing there.
            EmbedderMismatch: another embedder made the collection's vectors.
            DependencyAway: Neo4j cannot be reached.
        """
        from workers.search.union import united

        fields = {"question": question.strip(), "limit": limit, **(scope or {})}
        params = parse_params(SearchParams, fields)
        collections = check_collections(collection)
        known = params.scope
        if principals is not None:
            self.require_visible(collections, principals)
        if known is not None:
            collections = self._require(collections, known, principals)
        self.check_embedders(collections)
        results = [self._search(params, name, known, principals) for name in collections]
        return results[0] if len(results) == 1 else united(results, params.limit)

    def _search(
        self, params: SearchParams, collection: str, scope: Scope | None, principals: Sequence[str] | None
    ) -> Found:
        from workers.search.search import search  # numpy, which a question's client does without

        services = self._services
        ports: Searchable = services
        if scope is not None or principals is not None:
            within = services.within(collection, scope, principals)
            ports = Searched(within.graph, within.vectors, services.model)
        return search(
            params.question,
            collection,
            ports,
            limit=params.limit,
            degrade=True,
            translations=params.translations,
        )

    def check_embedders(self, collection: str | Sequence[str]) -> None:
        """Check that the current embedder made all vectors of several collections; pass if a server is away.

        Raises:
            EmbedderMismatch: another embedder made those of a collection.
        """
        collections = check_collections(collection)
        for name in collections if len(collections) > 1 else ():
            try:
                self._services.vectors.check(name, self._services.model.embedder)
            except EmbedderMismatch as error:
                message = f"collections that are read together need one embedder: {error}"
                raise EmbedderMismatch(message) from error
            except Transient:
                return

    def require_in_scope(
        self, collections: Sequence[str], params: QueryParams, principals: Sequence[str] | None = None
    ) -> None:
        """Check that the scope of a question contains documents; pass if the graph is away.

        Args:
            collections: the question's collections.
            params: parameters of the question.
            principals: count only documents that these may see; None for all.

        Raises:
            InvalidInput: names the part of the scope that matches no document.
        """
        if (scope := params.scope) is not None:
            with suppress(DependencyAway):
                self._require(collections, scope, principals)

    def require_visible(self, collection: str | Sequence[str], principals: Sequence[str]) -> None:
        """Check that principals may see a document of each collection; pass if the graph is away.

        Raises:
            NoDocuments: they see none, whether or not any exist; no collection is named.
        """
        with suppress(DependencyAway):
            seen = Scope().seen_by(principals)
            for name in check_collections(collection):
                if not self._services.scopes.documents_in(name, seen):
                    raise NoDocuments(name, None)

    def _require(
        self, collections: Sequence[str], scope: Scope, principals: Sequence[str] | None
    ) -> list[str]:
        """Return the collections that contain documents of a scope.

        Raises:
            InvalidInput: none does, or a named document is in none.
        """
        within = scope_for(scope, principals) or scope
        held = {name: self._services.scopes.documents_in(name, within) for name in collections}
        document_ids = frozenset().union(*held.values())
        named = " or ".join(collections)
        listed = f"`hopline documents -c {collections[0]}` lists them"
        if unknown := [name for name in scope.documents if name not in document_ids]:
            rest = "" if scope.filter is None else " that the rest of the scope matches"
            raise InvalidInput("documents", unknown[0], f"ids of documents of the collection{rest}: {listed}")
        if not document_ids:
            fields = scope.model_dump(mode="json", exclude={"documents"}, exclude_none=True)
            field, value = next(iter(fields.items()))
            raise InvalidInput(
                field, value, f"a filter that matches a document of collection {named}: {listed}"
            )
        return [name for name in collections if held[name]]

    def require_documents(self, collection: str | Sequence[str], strategy: str) -> None:
        """Check that a question has documents to use; pass if the graph is away, since its job will wait.

        A collection that had documents within the last second is assumed to have them still.

        Raises:
            InvalidInput: a collection's name is not valid.
            NoDocuments: the collection, or one of several, has no documents to answer from.
        """
        collections = check_collections(collection)
        if len(collections) == 1 and not needs_documents(self._services.settings, strategy):
            return
        for name in collections:
            self._require_documents(name)

    def _require_documents(self, where: str) -> None:
        if self._documents_until.get(where, 0.0) > time.monotonic():
            return
        graph = self._services.graph
        try:
            if graph.store.has_documents(where):
                self._keep(where)
                return
            known = graph.store.collections()
        except DependencyAway:
            return
        raise NoDocuments(where, known)

    def _keep(self, collection: str) -> None:
        now = time.monotonic()
        kept = {name: until for name, until in self._documents_until.items() if until > now}
        self._documents_until = kept | {collection: now + _DOCUMENTS_SECONDS}

    def remembered(
        self,
        collection: str,
        params: QueryParams,
        principals: Sequence[str] | None = None,
        caller: str = "",
    ) -> int:
        """Return how many earlier questions of a session the next one will use; 0 if the graph is away.

        Args:
            collection: the question's first collection.
            params: parameters of the next question, including `session` and its scope.
            principals: the principals it reads for; None for all documents.
            caller: id of the API key, which has its own sessions; "" without a key.
        """
        from workers.engine.session_history import history, session_of

        within = None if principals is None else tuple(principals)
        asked = params.model_dump(mode="json")
        job = Job(
            id="", kind=QUERY_KIND, collection=collection, params=asked, principals=within, caller=caller
        )
        with suppress(DependencyAway):
            return len(history(self._services, job, session_of(job) or ""))
        return 0


def needs_documents(settings: Settings, strategy: str) -> bool:
    """Return whether a question needs documents in its collection; tools may query a graph without any."""
    other_graph = settings.tools_neo4j_url or settings.tool_packs
    return not (other_graph and strategy in names_asking_graph())
