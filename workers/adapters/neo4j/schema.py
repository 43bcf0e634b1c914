"""Reads a database's schema, with APOC where installed, and caches it for a minute."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import chain
from typing import Literal, NamedTuple

import structlog

from hopline.errors import DependencyAway, Permanent, Transient
from hopline.models.graph_schema import (
    INTERNAL_LABELS,
    INTERNAL_PROPERTIES,
    INTERNAL_RELATIONSHIPS,
    PROVENANCE,
    GraphSchema,
    Join,
    NameIndex,
    NodeKind,
    Property,
    RelationshipKind,
    quoted,
)
from workers.adapters.neo4j.connection import Connection, Row, load_query
from workers.adapters.single_flight import SingleFlight
from workers.core.graph.schema import NAMED_BY, CollectionSchema, SampleValues

_SAMPLE = 1000  # nodes of a label, relationships of a type between two kinds, whose properties are looked at
_LONGEST = 60  # characters of a value that is shown
_VALUES = 5  # of a property
_UNSHOWN = INTERNAL_PROPERTIES | PROVENANCE
_WITHOUT_VALUES = frozenset(("id", "summary", "evidence"))


def read_collection(run: Callable[..., list[Row]], collection: str) -> CollectionSchema:
    """Read the schema of a collection's nodes.

    Args:
        run: runs a named query and returns the rows.
        collection: collection of the nodes.
    """
    more = {"collection": collection, "internal": sorted(INTERNAL_LABELS), "sample": _SAMPLE}
    nodes = run("collection_nodes", longest=_LONGEST, **more)
    types = run("collection_relationships", internal_types=sorted(INTERNAL_RELATIONSHIPS), **more)
    counts = [*(row["nodes"] for row in nodes), *(row["relationships"] for row in types)]
    return CollectionSchema(
        nodes=tuple(_nodes(nodes)),
        relationships=tuple(_relationships(types)),
        sampled=max(counts, default=0) > _SAMPLE,
        source="procedures",
        values=tuple(_values(nodes)),
    )


def _nodes(rows: Iterable[Row]) -> Iterable[NodeKind]:
    rows_by_label: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        rows_by_label[row["label"]].append(row)
    for label, own in rows_by_label.items():
        yield NodeKind(label=label, properties=_own_properties(own))


def _relationships(rows: Iterable[Row]) -> Iterable[RelationshipKind]:
    rows_by_kind: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        rows_by_kind[row["kind"]].append(row)
    for kind, own in rows_by_kind.items():
        joins = {
            Join(source, target) for row in own for source in row["sources"] for target in row["targets"]
        }
        yield RelationshipKind(type=kind, properties=_own_properties(own), joins=tuple(sorted(joins)))


def _own_properties(rows: Iterable[Row]) -> tuple[Property, ...]:
    types: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        if row["name"] is not None and row["name"] not in _UNSHOWN:
            types[row["name"]] |= {type_name.replace(" NOT NULL", "") for type_name in row["types"]}
    return tuple(
        Property(name=name, types=tuple(sorted(type_names))) for name, type_names in sorted(types.items())
    )


def _values(rows: Iterable[Row]) -> Iterable[SampleValues]:
    for row in rows:
        if row["values"] and row["name"] not in _UNSHOWN | _WITHOUT_VALUES:
            values = tuple(sorted(row["values"])[:_VALUES])
            yield SampleValues(label=row["label"], name=row["name"], values=values)


_KEPT_SECONDS = 60.0
BARE_SECONDS = 5.0  # of hopline's own database without typed entities
_COLLECTIONS = 200  # whose schemas are kept, those asked for last
_SECONDS = 10.0  # of the server, per query
_INDEX_SECONDS = 600.0
_SAMPLE = 1000  # APOC: nodes per label, and relationships per type and label
# Without APOC: nodes, and relationships, drawn at random from all of them. The server's own
# db.schema.nodeTypeProperties reads the whole graph, however large.
_DRAWN = 20_000
_COUNTED = 50  # labels, or types, that one query counts


class SchemaBounds(NamedTuple):
    """Bounds on the data read for a database's schema.

    Attributes:
        sample: with APOC, number of nodes per label, and of relationships per type and label.
        drawn: without APOC, total number of nodes and of relationships.
        counted: number of labels or types that one query counts.
        seconds: server time per query.
    """

    sample: int = _SAMPLE
    drawn: int = _DRAWN
    counted: int = _COUNTED
    seconds: float = _SECONDS


_BOUNDS = SchemaBounds()
_log = structlog.get_logger()
Names = dict[str, set[str]]


def _life(schema: GraphSchema, seconds: float) -> float:
    """Return how long to cache a schema: only briefly if it is empty, since that may soon change."""
    if not schema.nodes:
        return 0.0
    return seconds if schema.without_internal().nodes else min(seconds, BARE_SECONDS)


@dataclass
class _Gathered:
    """The unsorted contents of rows."""

    nodes: dict[str, Names] = field(default_factory=lambda: defaultdict(lambda: defaultdict(set)))
    relationships: dict[str, Names] = field(default_factory=lambda: defaultdict(lambda: defaultdict(set)))
    joins: dict[str, set[Join]] = field(default_factory=lambda: defaultdict(set))
    notes: list[str] = field(default_factory=list)

    def join(self, kind: str, sources: Iterable[str], targets: Iterable[str]) -> None:
        """Record that a relationship type connects nodes of some labels with nodes of others."""
        ends = list(targets)
        for source in sources:
            for target in ends:
                self.joins[kind].add(Join(source, target))
                self.nodes[source], self.nodes[target]  # a label may have no property

    def schema(self, source: Literal["apoc", "procedures"], *, sampled: bool) -> GraphSchema:
        """Return the schema, sorted by name."""
        kinds = sorted(set(self.relationships) | set(self.joins))
        return GraphSchema(
            nodes=tuple(
                NodeKind(label=label, properties=_properties(properties))
                for label, properties in sorted(self.nodes.items())
            ),
            relationships=tuple(
                RelationshipKind(
                    type=kind,
                    properties=_properties(self.relationships.get(kind, {})),
                    joins=tuple(sorted(self.joins.get(kind, ()))),
                )
                for kind in kinds
            ),
            sampled=sampled,
            source=source,
            notes=tuple(self.notes),
        )


class Neo4jSchema:
    """`core.graph.schema.SchemaSource` over a real Neo4j; shared by a process's threads.

    Args:
        connection: connection to the database.
        seconds: how long a schema is cached.
        clock: monotonic clock in seconds.
        bounds: bounds on the data read.
    """

    def __init__(
        self,
        connection: Connection,
        seconds: float = _KEPT_SECONDS,
        clock: Callable[[], float] = time.monotonic,
        bounds: SchemaBounds = _BOUNDS,
    ) -> None:
        self._connection = connection
        self._clock = clock
        self._bounds = bounds
        # An empty graph is about to be filled.
        self._kept = SingleFlight(self._read, lambda schema: _life(schema, seconds), clock)
        self._seconds = seconds
        self._collections: OrderedDict[str, SingleFlight[CollectionSchema]] = OrderedDict()
        self._lock = threading.Lock()  # of the collections

    def schema(self, *, internal: bool = False, refresh: bool = False) -> GraphSchema:
        """Return the schema; see `core.graph.schema.SchemaSource`."""
        known = self._kept.get(refresh=refresh)
        return known if internal else known.without_internal()

    def of_collection(self, collection: str) -> CollectionSchema:
        """Return the schema of a collection's typed graph; see `core.graph.schema.SchemaSource`."""
        with self._lock:
            kept = self._collections.pop(collection, None) or SingleFlight(
                lambda: read_collection(self._run, collection),
                lambda schema: self._seconds if schema.nodes else min(self._seconds, BARE_SECONDS),
                self._clock,
            )
            self._collections[collection] = kept
            if len(self._collections) > _COLLECTIONS:
                self._collections.popitem(last=False)
        return kept.get()

    def index_names(self) -> tuple[str, ...]:
        """Make a full-text index over the names of the nodes of all labels; return the labels.

        This writes to the database, so it is done only on request, for a newly filled one. Without it, names
        are scanned and must be spelled exactly.
        """
        labels = sorted(
            node.label
            for node in self.schema(refresh=True).nodes
            if {typed_property.name for typed_property in node.properties} & NAMED_BY
        )
        self._run("names_drop_index")
        if labels:
            text = load_query("names_index").replace("LABELS", "|".join(map(quoted, labels)))
            self._connection.run_text("names_index", text, _INDEX_SECONDS)
            waited = int(_INDEX_SECONDS)
            self._connection.run_text("await_indexes", load_query("await_indexes"), waited, seconds=waited)
        self.schema(refresh=True)
        return tuple(labels)

    def _read(self) -> GraphSchema:
        schema = self._read_structure(self._run("schema_size")[0])
        indexes = (NameIndex(**row) for row in self._run("schema_indexes"))
        labels = self._counted("schema_count_label", sorted(schema.labels))
        types = self._counted("schema_count_type", sorted(schema.types))
        return schema.model_copy(
            update={"indexes": tuple(indexes), "label_counts": labels, "type_counts": types}
        )

    def _counted(self, query: str, names: list[str]) -> dict[str, int]:
        """Return the count of each name, which needs its own subquery because it cannot be a parameter."""
        counts: dict[str, int] = {}
        for first in range(0, len(names), self._bounds.counted):
            some = names[first : first + self._bounds.counted]
            part = load_query(query)
            parts = (
                part.replace("NTH", str(nth)).replace("NAME", quoted(name)) for nth, name in enumerate(some)
            )
            rows = self._connection.run_text(query, "\nUNION ALL\n".join(parts), self._bounds.seconds)
            counts |= {some[row["nth"]]: row["count"] for row in rows}
        return counts

    def _read_structure(self, size: Row) -> GraphSchema:
        if self._run("schema_apoc_there")[0]["there"]:
            try:
                return self._by_apoc(size)
            except DependencyAway:
                raise
            except (Permanent, Transient) as error:
                why = f"apoc.meta.data failed: {error}"
        else:
            why = "APOC is not there"
        _log.info("schema.degraded", why=why[:200])
        return self._by_procedures(size, why)

    def _by_apoc(self, size: Row) -> GraphSchema:
        draft = _Gathered()
        sample = self._bounds.sample
        for row in self._run("schema_apoc", sample=sample):
            label, name, is_node = row["label"], row["property"], row["elementType"] == "node"
            if row["type"] != "RELATIONSHIP":
                (draft.nodes if is_node else draft.relationships)[label][name].add(row["type"])
            elif is_node:
                draft.join(name, [label], row["other"])
            else:
                draft.join(label, [name], row["other"])
        return draft.schema("apoc", sampled=max(size["nodes"], size["relationships"]) > sample)

    def _by_procedures(self, size: Row, why: str) -> GraphSchema:
        draft = _Gathered(notes=[why])
        drawn = self._bounds.drawn
        nodes, relationships = _share(size["nodes"], drawn), _share(size["relationships"], drawn)
        try:
            for row in self._run("schema_nodes", share=nodes, sample=drawn):
                _add(draft.nodes[row["label"]], row)
            for row in self._run("schema_relationships", share=relationships, sample=drawn):
                if row["kind"] is None:  # a relationship that was deleted since it was found
                    continue
                _add(draft.relationships[row["kind"]], row)
                draft.join(row["kind"], row["sources"], row["targets"])
        except DependencyAway:
            raise
        except Transient as error:
            draft.notes.append(f"without the properties of all: {error}")
        sampled = min(nodes, relationships) < 1 or len(draft.notes) > 1
        if sampled:
            self._add_names(draft)
        return draft.schema("procedures", sampled=sampled)

    def _add_names(self, draft: _Gathered) -> None:
        """Add the labels and types that the sample missed."""
        row = self._run("schema_names")[0]
        labels: dict[str, list[str]] = dict(row["labels"])
        for label in chain.from_iterable(labels.values()):
            draft.nodes[label]  # a defaultdict: naming it adds it
        for kind, source, target in [join for join in row["joins"] if join[0] not in draft.joins]:
            draft.join(kind, labels[source], labels[target])

    def _run(self, query: str, /, **parameters: object) -> list[Row]:
        return self._connection.run_text(query, load_query(query), self._bounds.seconds, **parameters)


def _share(count: int, drawn: int) -> float:
    return min(1.0, drawn / count) if count else 1.0


def _add(properties: Names, row: Row) -> None:
    if row["name"] is not None:
        properties[row["name"]].update(kind.replace(" NOT NULL", "") for kind in row["types"])


def _properties(properties: Names) -> tuple[Property, ...]:
    return tuple(
        Property(name=name, types=tuple(sorted(types))) for name, types in sorted(properties.items())
    )
