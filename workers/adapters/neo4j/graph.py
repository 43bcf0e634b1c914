"""The graph of documents in Neo4j."""

from __future__ import annotations

import heapq
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hopline.models.census import GraphCensus
from hopline.models.documents import DocumentFacets, Facet
from hopline.models.reports import Growth
from workers.adapters.neo4j import migrations
from workers.adapters.neo4j.around import AroundReader
from workers.adapters.neo4j.census import take_census
from workers.adapters.neo4j.connection import Connection
from workers.adapters.neo4j.documents import DocumentStore
from workers.adapters.neo4j.kept.store import KeptStore
from workers.adapters.neo4j.live_graph import GraphReader, PathReader
from workers.adapters.neo4j.merges import MergeStore
from workers.adapters.neo4j.metadata.filters import CompiledFilter
from workers.adapters.neo4j.metadata.properties import property_of
from workers.adapters.neo4j.neighbourhood import NeighbourhoodReader
from workers.adapters.neo4j.topics.store import TopicGraph
from workers.core.graph.elements import spelled
from workers.core.metadata.filter import Filter

_PAGE = 20_000  # key elements
_FORGOTTEN = 5_000  # nodes at a time
_HUBS = 50  # more than a report shows, so that what grows into one was mostly counted before


class Neo4jGraph:
    """`core.ports.Graph` over a real Neo4j; one per process, its connections shared by threads and parts.

    Args:
        url: bolt:// or neo4j://.
        user: the login.
        password: its password.
        timeout: seconds that one query may take, waiting for locks included.
        in_memory: facts of the collections that searches hold in memory.
        ca_file: certificate authorities to trust in addition to the system's.

    Every method of its parts raises DependencyAway while the server cannot be reached, Transient where it
    failed for the moment, and Permanent where it refused.
    """

    def __init__(
        self,
        url: str,
        user: str,
        password: str,
        timeout: float = 30.0,
        in_memory: int = 0,
        *,
        ca_file: Path | None = None,
    ) -> None:
        self._connection = Connection(url, user, password, timeout, ca_file=ca_file)
        self.store = DocumentStore(self._connection)
        self.nodes = GraphReader(self._connection)
        self.paths = PathReader(self._connection)
        self.around = AroundReader(self._connection, in_memory)
        self.merging = MergeStore(self._connection)
        self.views = NeighbourhoodReader(self._connection)
        self.topics = TopicGraph(self._connection)
        self.kept = KeptStore(self._connection)

    @property
    def connection(self) -> Connection:
        """The connections, for what else reads this database."""
        return self._connection

    def close(self) -> None:
        """End all connections."""
        self._connection.close()

    def migrate(self) -> int:
        """Bring constraints and indexes to the newest version; return that version."""
        return migrations.migrate(self._connection)

    def check(self) -> None:
        """Raise Permanent where the graph's version is not the one this code needs."""
        migrations.check(self._connection)

    def holds(self, collection: str) -> bool:
        """Return whether a collection has documents, live or not, or concept maps."""
        return bool(self._connection.run("collection_holds", collection=collection)[0]["holds"])

    def forget(self, collection: str) -> bool:
        """Remove what is kept for a collection besides documents; False where it has some."""
        if self.store.documents(collection, limit=1):
            return False
        self.topics.forget(collection)
        while self._connection.run("collection_forget", collection=collection, limit=_FORGOTTEN)[0][
            "removed"
        ]:
            pass
        return True

    def census(self, collection: str, *, lengths: bool = False) -> GraphCensus:
        """Return a collection's graph in numbers; takes some seconds if it is large."""
        return take_census(self._connection, collection, lengths=lengths)

    def facets(self, collection: str, where: Filter | None, limit: int) -> DocumentFacets:
        """Return the number of live documents by tag and by year."""
        [row] = CompiledFilter(where).run(
            self._connection,
            "documents_facets",
            collection=collection,
            tags=property_of("list", "tags"),
            date=property_of("date", "date"),
            limit=limit,
        )
        return DocumentFacets(
            documents=row["documents"], tags=_facets(row["tags"]), years=_facets(row["years"])
        )

    def growth(self, collection: str, seconds: float = 20.0) -> Growth | None:
        """Return the number of key elements and the largest hubs; None if counting takes too long."""
        until = time.monotonic() + seconds
        elements, after = 0, ""
        hubs: list[tuple[int, str, str]] = []
        while True:
            page = {"collection": collection, "after": after, "limit": _PAGE, "hubs": _HUBS}
            row = self._connection.run("growth", **page)[0]
            if row["last"] is None:
                return Growth(
                    elements=elements,
                    hubs={name: degree for degree, name, _shown in hubs},
                    spelled={name: shown for _degree, name, shown in hubs},
                )
            elements, after = elements + row["elements"], row["last"]
            candidates = [
                (hub["degree"], hub["name"], spelled(hub["name"], hub["aliases"] or ()))
                for hub in row["hubs"]
                if hub["degree"] > 0
            ]
            hubs = heapq.nlargest(_HUBS, [*hubs, *candidates])
            if time.monotonic() > until:
                return None


def _facets(counted: Iterable[list[Any]]) -> tuple[Facet, ...]:
    return tuple(Facet(value=value, documents=documents) for value, documents in counted)
