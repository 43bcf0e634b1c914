"""Service for search and graph counts, without a job."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from workers.core.errors import DependencyAway, NoDocuments
from workers.core.jobs.params import SearchParams, check_collection, parse_params

if TYPE_CHECKING:
    from workers.core.graph.census import GraphCensus
    from workers.search.models import Found
    from workers.services import Services
    from workers.settings import Settings


def search_collection(services: Services, question: str, collection: str, limit: int) -> Found:
    """Search for a question; without vectors if their server or the embedder is away.

    Raises:
        InvalidInput: names the field, what was given and what is allowed.
        EmbedderMismatch: another embedder made the collection's vectors.
        DependencyAway: Neo4j cannot be reached.
    """
    from workers.search.search import search  # noqa: PLC0415 - numpy, which a question's client does without

    given = parse_params(SearchParams, {"question": question.strip(), "limit": limit})
    where = check_collection(collection)
    return search(given.question, where, services, limit=given.limit, degrade=True)


def count_collection(services: Services, collection: str, *, lengths: bool = False) -> GraphCensus:
    """Return a collection's graph in numbers, with the length of facts if requested.

    Raises:
        InvalidInput: the collection's name is not valid.
        NoDocuments: it has no document, not even one that is being written.
    """
    census = services.graph.census(check_collection(collection), lengths=lengths)
    if not (census.live.documents or census.hidden.documents):
        raise NoDocuments(collection, services.graph.collections())
    return census


def needs_documents(settings: Settings, strategy: str) -> bool:
    """Return whether a question needs documents in its collection; tools may query a graph without any."""
    other_graph = settings.tools_neo4j_url or settings.tool_packs
    return not (other_graph and strategy in ("auto", "tools"))


def require_documents(services: Services, collection: str, strategy: str) -> None:
    """Check that a question has documents to use; pass if the graph is away, since its job will wait.

    Raises:
        InvalidInput: the collection's name is not valid.
        NoDocuments: nothing in the collection can answer.
    """
    graph, where = services.graph, check_collection(collection)
    if not needs_documents(services.settings, strategy):
        return
    try:
        if graph.has_documents(where):
            return
        known = graph.collections()
    except DependencyAway:
        return
    raise NoDocuments(where, known)


def why_nothing(collections: Mapping[str, int], collection: str) -> str:
    """Return why a search found nothing: the collection is not there, or speaks of something else.

    Args:
        collections: each with its number of documents.
        collection: the one that was searched.
    """
    if collections.get(collection):
        return f"nothing in collection {collection} speaks of that"
    return str(NoDocuments(collection, collections))
