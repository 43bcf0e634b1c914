"""Converts Neo4j's values to JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from neo4j.graph import Entity, Node, Path, Relationship
from neo4j.spatial import Point
from neo4j.time import Date, DateTime, Duration, Time

from workers.core.graph.cypher import Value


def to_value(value: Any) -> Value:
    """Return a value of a row as `CypherRows` describes it.

    What JSON has no form for becomes a text: dates, bytes (in hexadecimal digits), NaN and the infinities.
    """
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Mapping) and not isinstance(value, Entity):
        return {str(key): to_value(one) for key, one in value.items()}
    if isinstance(value, list | tuple) and not isinstance(value, Point | Duration):
        return [to_value(one) for one in value]
    return _of_graph(value)


def _of_graph(value: Any) -> Value:
    match value:
        case Node():
            labels = sorted(value.labels)
            return {"node": value.element_id, "labels": labels, "properties": _properties(value)}
        case Relationship():
            return _relationship(value)
        case Path():
            return {"path": _path(value)}
        case Point():
            return {"point": list(value), "srid": value.srid}
        case Date() | DateTime() | Time() | Duration():
            return value.iso_format()
    return value.hex() if isinstance(value, bytes | bytearray) else str(value)


def _properties(entity: Entity) -> dict[str, Value]:
    return {key: to_value(entity[key]) for key in sorted(entity)}


def _relationship(value: Relationship) -> dict[str, Value]:
    return {
        "relationship": value.element_id,
        "type": value.type,
        "start": value.start_node.element_id if value.start_node else None,
        "end": value.end_node.element_id if value.end_node else None,
        "properties": _properties(value),
    }


def _path(path: Path) -> list[Value]:
    parts = [to_value(path.nodes[0])]
    for relationship, node in zip(path.relationships, path.nodes[1:], strict=True):
        parts += [to_value(relationship), to_value(node)]
    return parts
