"""The graph of documents in Neo4j: its parts, its migrations, and reads for people who browse it."""

from __future__ import annotations

import heapq
import time
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import structlog

from hopline.errors import Permanent
from hopline.models.base import Frozen
from hopline.models.census import GraphCensus
from hopline.models.documents import DocumentFacets, Facet
from hopline.models.graph import FactPlace, NearElement, NearFact, NearRelation, Neighbourhood, Passage
from hopline.models.reports import Growth
from workers.adapters.neo4j.around import AroundReader
from workers.adapters.neo4j.census import take_census
from workers.adapters.neo4j.connection import Connection, Row, load_query
from workers.adapters.neo4j.documents import DocumentStore
from workers.adapters.neo4j.kept.store import KeptStore
from workers.adapters.neo4j.live_graph import GraphReader, PathReader
from workers.adapters.neo4j.merges import MergeStore
from workers.adapters.neo4j.metadata.filters import CompiledFilter
from workers.adapters.neo4j.metadata.properties import property_of
from workers.adapters.neo4j.rows import (
    ELEMENTS_SCANNED,
    FACTS_SCANNED,
    PLACES_SCANNED,
    to_document,
    whole,
)
from workers.adapters.neo4j.topics.store import TopicGraph
from workers.core.graph.elements import spelled
from workers.core.graph.neighbourhood import NamedFact, Piece, cut_passage
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
        """The connections, for other readers of this database."""
        return self._connection

    def close(self) -> None:
        """Close all connections."""
        self._connection.close()

    def migrate(self) -> int:
        """Migrate constraints and indexes to the newest version; return that version."""
        return migrate(self._connection)

    def check(self) -> None:
        """Raise Permanent if the graph's version is not the one this code needs."""
        check(self._connection)

    def holds(self, collection: str) -> bool:
        """Return whether a collection has documents, live or not, or concept maps."""
        return bool(self._connection.run("collection_holds", collection=collection)[0]["holds"])

    def forget(self, collection: str) -> bool:
        """Remove a collection's data besides documents; False if it has documents."""
        if self.store.documents(collection, limit=1):
            return False
        self.topics.forget(collection)
        while self._connection.run("collection_forget", collection=collection, limit=_FORGOTTEN)[0][
            "removed"
        ]:
            pass
        return True

    def census(self, collection: str, *, lengths: bool = False) -> GraphCensus:
        """Return a collection's graph in numbers; takes a few seconds if it is large."""
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


class NeighbourhoodReader:
    """`core.graph.neighbourhood.NeighbourGraph` over a real Neo4j; every method is one query."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def neighbourhood(
        self, collection: str, element_id: str, *, document: str | None = None, limit: int
    ) -> Neighbourhood | None:
        """Return the live facts of a key element, with places and elements; None if it has none."""
        rows = self._connection.run(
            "neighbourhood",
            collection=collection,
            id=element_id,
            document=document,
            limit=limit,
            facts_scanned=max(FACTS_SCANNED, limit + 1),
            places_scanned=PLACES_SCANNED,
            elements_scanned=ELEMENTS_SCANNED,
        )
        # A fact that was deleted while it was read comes back without its id.
        rows = [row for row in rows if row["id"] and whole([row["centre"]])]
        if not rows:
            return None
        centre = _element(rows[0]["centre"])
        near = {centre.id: centre}
        near |= {each["id"]: _element(each) for row in rows for each in whole(row["others"])}
        return Neighbourhood(
            collection=collection,
            centre=centre.id,
            elements=tuple(near.values()),
            facts=tuple(_fact(row, centre.id) for row in rows),
            more=rows[0]["found"] > limit,
        )

    def relations_among(self, collection: str, element_ids: Sequence[str], limit: int) -> list[NearRelation]:
        """Return the typed relations between the given key elements, those stated by the most facts first."""
        rows = self._connection.run(
            "relations_among", collection=collection, ids=list(element_ids), limit=limit
        )
        return [NearRelation(**{**row, "facts": tuple(row["facts"])}) for row in rows]

    def facts_sampled(self, collection: str, limit: int) -> list[NamedFact]:
        """Return a sample of live facts grounded in a sentence, with their elements, ordered by id."""
        rows = self._connection.run(
            "facts_sampled", collection=collection, limit=limit, elements_scanned=ELEMENTS_SCANNED
        )
        return [
            NamedFact(id=row["id"], text=row["text"], elements=tuple(map(_element, whole(row["elements"]))))
            for row in rows
            if row["id"]
        ]

    def passage(self, document_id: str, start: int, end: int) -> Passage | None:
        """Return the live text from start to end, or to its end; None if there is no such document."""
        rows = self._connection.run("passage", id=document_id, start=start, end=end)
        if not rows:
            return None
        row = rows[0]
        pieces = [Piece(*piece) for piece in row["pieces"] if None not in piece]
        return cut_passage(to_document(row["document"]), pieces, row["length"], start, end)


def _element(row: Row) -> NearElement:
    return NearElement(**{**row, "aliases": tuple(sorted(row["aliases"]))})


def _fact(row: Row, centre: str) -> NearFact:
    return NearFact(
        id=row["id"],
        text=row["text"],
        elements=(centre, *(each["id"] for each in whole(row["others"]))),
        sources=tuple(FactPlace(**place) for place in whole(row["sources"])),
    )


_SECONDS = 600.0  # an index over a large graph takes its time
_log = structlog.get_logger()


class Migration(Frozen):
    """One file of `cypher/migrations`: statements that may be run twice."""

    version: int
    name: str
    statements: tuple[str, ...]


@cache
def migrations() -> tuple[Migration, ...]:
    """Return all migrations, oldest first."""
    folder = files("workers.adapters.neo4j") / "cypher" / "migrations"
    all_migrations = []
    for file in folder.iterdir():
        if file.name.endswith(".cypher"):
            number, _, name = file.name.removesuffix(".cypher").partition("-")
            _comment, _, text = file.read_text(encoding="utf-8").partition("\n")
            statements = tuple(part.strip() for part in text.split(";\n"))
            all_migrations.append(Migration(version=int(number), name=name, statements=statements))
    return tuple(sorted(all_migrations, key=lambda migration: migration.version))


def migrate(connection: Connection) -> int:
    """Run the migrations that were not run yet, one process at a time; return the newest version.

    The lock is an open transaction on one node: it ends with the process that holds it. Schema commands
    cannot share a transaction with data, so they run beside it.
    """
    newest = migrations()[-1].version
    if _done(connection) >= newest:
        return newest
    connection.run("migration_bootstrap")
    with connection.holding("migration_lock", _SECONDS):
        done = _done(connection)
        for migration in migrations():
            if migration.version > done:
                _run(connection, migration)
        connection.run_text("await_indexes", load_query("await_indexes"), _SECONDS, seconds=int(_SECONDS))
    return newest


def check(connection: Connection) -> None:
    """Raise Permanent if the graph's version is not that of this code."""
    newest, done = migrations()[-1].version, _done(connection)
    if done < newest:
        raise Permanent(
            f"the graph has version {done}, but this hopline needs {newest}: run `hopline migrate`"
        )
    if done > newest:
        raise Permanent(f"the graph has version {done}, but this hopline knows only {newest}: update hopline")


def _done(connection: Connection) -> int:
    return max((row["version"] for row in connection.run("migration_versions")), default=0)


def _run(connection: Connection, migration: Migration) -> None:
    for statement in migration.statements:
        connection.run_text(f"migration {migration.version}", statement, _SECONDS)
    connection.run("migration_record", version=migration.version, name=migration.name)
    _log.info("graph.migrated", version=migration.version, migration=migration.name)
