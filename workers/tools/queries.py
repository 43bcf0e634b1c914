"""Runs the tools' Cypher, read from files, confined to one collection."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any

from hopline.errors import Transient
from hopline.models.base import Frozen
from hopline.models.graph_schema import INTERNAL_LABELS, INTERNAL_RELATIONSHIPS, quoted
from hopline.models.jobs import Json
from workers.core.errors import CypherLost
from workers.core.graph.cypher import ReadLimits
from workers.core.models.tools import FoundBy
from workers.tools.tool import ToolPorts

SCANNED = 2000  # relations or events of one node that are looked at
LIMITS = ReadLimits(rows=SCANNED, bytes=4_000_000, seconds=10.0)
# A key element is a node to be shown: it is what typed entities are, too.
_HIDDEN_LABELS = sorted(INTERNAL_LABELS - {"KeyElement"})
_LABELS = "LABELS"  # in a file: stands for labels of the schema

Row = dict[str, Any]


class Ran(Frozen):
    """A query with what it returned."""

    cypher: str
    parameters: Json
    rows: tuple[Row, ...]
    cut: str | None = None


@cache
def load_cypher(name: str) -> str:
    """Return `cypher/<name>.cypher` without its comments."""
    return without_comments((files("workers.tools") / "cypher" / f"{name}.cypher").read_text("utf-8"))


def property_call(tool: str, node: str, **parameters: str) -> FoundBy:
    """Return the call that finds a property of a key element again.

    Args:
        tool: name of the tool that reports it.
        node: the element's name.
        **parameters: id, collection, property.
    """
    arguments = {"node": node, "property": parameters["property"]}
    return FoundBy(tool=tool, arguments=arguments, cypher=load_cypher("node_property"), parameters=parameters)


def without_comments(text: str) -> str:
    """Return Cypher without the lines that only comment, as it travels and as answers show it."""
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("//")).strip()


def run_query(
    name: str,
    ports: ToolPorts,
    /,
    labels: Iterable[str] = (),
    limits: ReadLimits = LIMITS,
    **parameters: Any,
) -> Ran:
    """Run a query of a file.

    Args:
        name: name of the file.
        ports: the reader, and the collection.
        labels: labels of the schema, because Cypher cannot take labels as parameters without reading every
            node.
        limits: limits of what it reads.
        **parameters: values; if the query uses them, the collection, whether the database is hopline's own,
            and its internal names are added.
    """
    text = load_cypher(name).replace(_LABELS, "|".join(quoted(label) for label in labels))
    own = ports.is_own
    known = parameters | {
        "collection": ports.collection,
        "own": own,
        "hidden_labels": _HIDDEN_LABELS if own else [],
        "hidden_types": sorted(INTERNAL_RELATIONSHIPS) if own else [],
    }
    return run_text(text, ports, {key: value for key, value in known.items() if f"${key}" in text}, limits)


def run_text(text: str, ports: ToolPorts, parameters: Json, limits: ReadLimits = LIMITS) -> Ran:
    """Run Cypher with just these parameters.

    Raises:
        Transient: the connection was lost. No model wrote this, so it is tried again, each try counted.
    """
    try:
        result = ports.reader.read(text, parameters, limits)
    except CypherLost as error:
        raise Transient(str(error)) from error
    rows = tuple(dict(zip(result.columns, row, strict=True)) for row in result.rows)
    return Ran(cypher=text, parameters=parameters, rows=rows, cut=result.cut)
