"""Reads a part of the tools' own database for display: a node's surroundings, or nodes to begin with."""

from __future__ import annotations

import time
from dataclasses import replace

from hopline.models.tools import Candidate, ToolsGraph, ToolsNode, ToolsRelationship
from workers.core.errors import CypherTooLong
from workers.tools.candidates import candidate_of
from workers.tools.lines import name_of
from workers.tools.names import resolve
from workers.tools.queries import LIMITS, SCANNED, run_query
from workers.tools.relations import relations_of
from workers.tools.tool import ToolPorts

_LABELS_BEGUN = 12  # most frequent labels, whose nodes are offered to begin with
_NODES_BEGUN = 6  # per label


def to_begin_with(ports: ToolPorts) -> ToolsGraph:
    """Return the labels with their counts, and for each the nodes with the most relationships.

    All labels share the time limit of one query; when it has passed, the remaining labels have no nodes.
    """
    until = time.monotonic() + LIMITS.seconds
    counts = ports.schema_source.schema().label_counts
    frequent = sorted(counts, key=lambda label: (-counts[label], label))
    nodes: dict[str, ToolsNode] = {}
    for label in frequent[:_LABELS_BEGUN]:
        limits = replace(LIMITS, seconds=until - time.monotonic())
        if limits.seconds <= 0:
            break
        try:
            ran = run_query("most_joined", ports, [label], limits, scanned=SCANNED, limit=_NODES_BEGUN)
        except CypherTooLong:
            break
        for row in ran.rows:
            found = ToolsNode(
                id=row["id"], name=name_of(row), labels=tuple(row["labels"]), degree=row["degree"]
            )
            nodes.setdefault(found.id, found)
    return ToolsGraph(label_counts={label: counts[label] for label in frequent}, nodes=tuple(nodes.values()))


def around(ports: ToolPorts, limit: int, *, name: str = "", node: str = "") -> ToolsGraph:
    """Return a node with its relationships; an empty graph if there is no such node.

    Args:
        ports: ports of the tools' database.
        limit: relationships at most.
        name: name of the node, as a person writes it.
        node: its element id, instead of its name.
    """
    if node:
        centre = next(map(candidate_of, run_query("node", ports, node=node).rows), None)
        others: tuple[Candidate, ...] = ()
    else:
        resolved = resolve(name, ports)
        centre, others = resolved.chosen, resolved.others
    candidates = tuple(map(_shown, others))
    if centre is None:
        return ToolsGraph(candidates=candidates)
    found, ran = relations_of(centre, ports, scanned=limit + 1)
    nodes = {centre.id: _shown(centre)}
    for relation in found[:limit]:
        other = relation.other
        nodes.setdefault(
            other["id"], ToolsNode(id=other["id"], name=name_of(other), labels=tuple(other["labels"]))
        )
    relationships = tuple(
        ToolsRelationship(
            id=relation.id,
            type=relation.type,
            source=centre.id if relation.outgoing else relation.other["id"],
            target=relation.other["id"] if relation.outgoing else centre.id,
        )
        for relation in found[:limit]
    )
    return ToolsGraph(
        centre=centre.id,
        nodes=tuple(nodes.values()),
        relationships=relationships,
        more=len(ran.rows) > limit or ran.cut is not None,
        candidates=candidates,
    )


def _shown(candidate: Candidate) -> ToolsNode:
    return ToolsNode(id=candidate.id, name=candidate.name, labels=candidate.labels)
