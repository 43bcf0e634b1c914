"""Counts documents by what their metadata say."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from workers.adapters.neo4j.connection import Connection
from workers.adapters.neo4j.metadata.filters import CompiledFilter
from workers.adapters.neo4j.metadata.properties import property_of
from workers.core.graph.document_pages import DocumentFacets, Facet
from workers.core.metadata.filter import Filter


def count_facets(connection: Connection, collection: str, where: Filter | None, limit: int) -> DocumentFacets:
    """Return how many documents have which tags and are of which years; see `core.ports.Graph.facets`."""
    compiled = CompiledFilter(where)
    [row] = compiled.run(
        connection,
        "documents_facets",
        collection=collection,
        tags=property_of("list", "tags"),
        date=property_of("date", "date"),
        limit=limit,
    )
    return DocumentFacets(documents=row["documents"], tags=_facets(row["tags"]), years=_facets(row["years"]))


def _facets(counted: Iterable[list[Any]]) -> tuple[Facet, ...]:
    return tuple(Facet(value=value, documents=documents) for value, documents in counted)
