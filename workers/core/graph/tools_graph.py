"""A part of the tools' own database, for drawing: nodes with their names, and relationships."""

from __future__ import annotations

from hopline.models.base import Frozen

MOST_RELATIONSHIPS = 200  # around one node
USUAL_RELATIONSHIPS = 60


class ToolsNode(Frozen):
    """A node of the tools' database."""

    id: str  # the database's element id
    name: str
    labels: tuple[str, ...]
    degree: int | None = None  # number of its relationships; only for nodes to begin with


class ToolsRelationship(Frozen):
    """A relationship between two nodes that are shown."""

    id: str
    type: str
    source: str
    target: str


class ToolsGraph(Frozen):
    """A node's neighbourhood, or nodes to begin with if none was asked for."""

    label_counts: dict[str, int] = {}  # label → number of nodes with it
    centre: str | None = None  # None: no node of that name, or none was asked for
    nodes: tuple[ToolsNode, ...] = ()  # the centre first
    relationships: tuple[ToolsRelationship, ...] = ()
    more: bool = False  # the centre has more relationships
    candidates: tuple[ToolsNode, ...] = ()  # what else the name may mean
