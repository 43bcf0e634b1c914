"""Look into the graph at once, without a job: search it, count it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workers.core.params import SearchParams, check_collection, parse_params
from workers.search.search import search

if TYPE_CHECKING:
    from workers.core.census import GraphCensus
    from workers.search.found import Found
    from workers.services import Services

_NAMED = 10  # collections


def search_collection(services: Services, question: str, collection: str, limit: int) -> Found:
    """Return what a question leads to; without vectors where their server or the embedder is away.

    Raises:
        InvalidInput: names the field, what was given and what is allowed.
        EmbedderMismatch: another embedder made the collection's vectors.
        DependencyAway: Neo4j cannot be reached.
    """
    given = parse_params(SearchParams, {"question": question.strip(), "limit": limit})
    where = check_collection(collection)
    return search(given.question, where, services, limit=given.limit, degrade=True)


def count_collection(services: Services, collection: str) -> GraphCensus:
    """Return a collection's graph in numbers.

    Raises:
        InvalidInput: the collection's name is none.
    """
    return services.graph.census(check_collection(collection))


def why_nothing(services: Services, collection: str) -> str:
    """Return why a search found nothing: the collection is not there, or speaks of something else."""
    if services.graph.collections().get(collection):
        return f"nothing in collection {collection} speaks of that"
    return unknown(services, collection)


def unknown(services: Services, collection: str) -> str:
    """Return that a collection holds no document, and which ones do."""
    known = list(services.graph.collections())
    if not known:
        return f"there is no collection {collection}, nor any other; `hopline ingest PATH` makes one"
    more = ", …" if len(known) > _NAMED else ""
    return f"there is no collection {collection}; there are: {', '.join(known[:_NAMED])}{more}"
