"""Questions: ask one, search for what it leads to, and whether anything can answer it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from producer.reports.outcomes import QUERY_KIND
from producer.service.backend import Part
from workers.core.errors import DependencyAway, NoDocuments
from workers.core.jobs.params import QueryParams, SearchParams, check_collection, parse_params

if TYPE_CHECKING:
    from workers.core.jobs.work import Json, Terms
    from workers.ledger.records import JobRecord
    from workers.search.models import Found
    from workers.settings import Settings


class Questions(Part):
    """Service for questions to a collection."""

    def submit(
        self, question: str, collection: str, key: str | None, params: Json, terms: Terms | None = None
    ) -> JobRecord:
        """Submit a query; return what is recorded of its job.

        Args:
            question: what to ask.
            collection: whose documents to answer from.
            key: idempotency key.
            params: fields of QueryParams; None stands for the default.
            terms: for whom, how soon, and who is told.

        Raises:
            InvalidInput: before anything was written.
        """
        checked = self.check(question, collection, params, terms)
        return self._backend.submit(QUERY_KIND, collection, checked, key=key, terms=terms)

    def check(self, question: str, collection: str, params: Json, terms: Terms | None) -> Json:
        """Return the parameters of a query's job; see `submit`.

        Raises:
            InvalidInput: names the field, what was given and what is allowed.
        """
        set_params = {name: value for name, value in params.items() if value is not None}
        checked = parse_params(QueryParams, {**set_params, "question": question.strip()})
        check_collection(collection)
        if terms and terms.webhook:
            self._backend.check_webhook(terms.webhook)
        return checked.model_dump(mode="json")

    def search(self, question: str, collection: str, limit: int) -> Found:
        """Search for a question; without vectors if their server or the embedder is away.

        Raises:
            InvalidInput: names the field, what was given and what is allowed.
            EmbedderMismatch: another embedder made the collection's vectors.
            DependencyAway: Neo4j cannot be reached.
        """
        from workers.search.search import search  # numpy, which a question's client does without

        params = parse_params(SearchParams, {"question": question.strip(), "limit": limit})
        where = check_collection(collection)
        return search(params.question, where, self._services, limit=params.limit, degrade=True)

    def require_documents(self, collection: str, strategy: str) -> None:
        """Check that a question has documents to use; pass if the graph is away, since its job will wait.

        Raises:
            InvalidInput: the collection's name is not valid.
            NoDocuments: nothing in the collection can answer.
        """
        where = check_collection(collection)
        if not needs_documents(self._services.settings, strategy):
            return
        graph = self._services.graph
        try:
            if graph.store.has_documents(where):
                return
            known = graph.store.collections()
        except DependencyAway:
            return
        raise NoDocuments(where, known)

    def remembered(self, collection: str, session: str) -> int:
        """Return how many earlier questions of a session are remembered."""
        return len(self._services.sessions.history(collection, session))


def needs_documents(settings: Settings, strategy: str) -> bool:
    """Return whether a question needs documents in its collection; tools may query a graph without any."""
    other_graph = settings.tools_neo4j_url or settings.tool_packs
    return not (other_graph and strategy in ("auto", "tools"))


def why_nothing(collections: Mapping[str, int], collection: str) -> str:
    """Return why a search found nothing: the collection is not there, or speaks of something else.

    Args:
        collections: each with its number of documents.
        collection: the one that was searched.
    """
    if collections.get(collection):
        return f"nothing in collection {collection} speaks of that"
    return str(NoDocuments(collection, collections))
