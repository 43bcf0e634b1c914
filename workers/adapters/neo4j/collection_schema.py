"""The schema of one collection in hopline's own graph, with sample values of its text properties."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable

from workers.adapters.neo4j.connection import Row
from workers.core.graph.schema import (
    INTERNAL_LABELS,
    INTERNAL_PROPERTIES,
    INTERNAL_RELATIONSHIPS,
    PROVENANCE,
    CollectionSchema,
    Join,
    NodeKind,
    Property,
    RelationshipKind,
    SampleValues,
)

_SAMPLE = 1000  # nodes of a label, relationships of a type between two kinds, whose properties are looked at
_LONGEST = 60  # characters of a value that is shown
_VALUES = 5  # of a property
_UNSHOWN = INTERNAL_PROPERTIES | PROVENANCE
_WITHOUT_VALUES = frozenset(("id", "summary", "evidence"))


def read_collection(run: Callable[..., list[Row]], collection: str) -> CollectionSchema:
    """Read it.

    Args:
        run: runs a named query and returns its rows.
        collection: whose nodes are looked at.
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
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        found[row["label"]].append(row)
    for label, own in found.items():
        yield NodeKind(label=label, properties=_properties(own))


def _relationships(rows: Iterable[Row]) -> Iterable[RelationshipKind]:
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        found[row["kind"]].append(row)
    for kind, own in found.items():
        joins = {Join(one, other) for row in own for one in row["sources"] for other in row["targets"]}
        yield RelationshipKind(type=kind, properties=_properties(own), joins=tuple(sorted(joins)))


def _properties(rows: Iterable[Row]) -> tuple[Property, ...]:
    types: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        if row["name"] is not None and row["name"] not in _UNSHOWN:
            types[row["name"]] |= {one.replace(" NOT NULL", "") for one in row["types"]}
    return tuple(Property(name=name, types=tuple(sorted(found))) for name, found in sorted(types.items()))


def _values(rows: Iterable[Row]) -> Iterable[SampleValues]:
    for row in rows:
        if row["values"] and row["name"] not in _UNSHOWN | _WITHOUT_VALUES:
            values = tuple(sorted(row["values"])[:_VALUES])
            yield SampleValues(label=row["label"], name=row["name"], values=values)
