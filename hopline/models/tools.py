"""Tools and their results."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from hopline.models.base import Frozen
from hopline.models.jobs import Json
from hopline.models.search import Found

MOST_RELATIONSHIPS = 200  # around one node
USUAL_RELATIONSHIPS = 60


class ToolsNode(Frozen):
    """A node of the tools' database."""

    id: str  # the database's element id
    name: str
    labels: tuple[str, ...]
    degree: int | None = None  # number of its relationships; only for nodes to begin with


class ToolsRelationship(Frozen):
    """A relationship between two shown nodes."""

    id: str
    type: str
    source: str
    target: str


class ToolsGraph(Frozen):
    """A node's neighbourhood, or some nodes to start from if no node was given."""

    label_counts: dict[str, int] = {}  # label → number of nodes with it
    centre: str | None = None  # None: no node of that name, or none was asked for
    nodes: tuple[ToolsNode, ...] = ()  # the centre first
    relationships: tuple[ToolsRelationship, ...] = ()
    more: bool = False  # the centre has more relationships
    candidates: tuple[ToolsNode, ...] = ()  # what else the name may mean


class PackState(Frozen):
    """Whether a pack's tools are offered for a graph, and why."""

    name: str
    on: bool
    why: str  # a whole sentence


class Candidate(Frozen):
    """A node that a name may stand for."""

    id: str  # the database's element id
    name: str
    labels: tuple[str, ...]  # without those that only hopline knows
    aliases: tuple[str, ...] = ()
    score: float = 0.0  # of the search by words; comparable between candidates of one name

    @property
    def shown(self) -> str:
        """The name with its label, which a caller can use to mean this node."""
        return f"{self.name} ({self.labels[0]})" if self.labels else self.name


class ToolItem(Frozen):
    """One result of a tool, with its source."""

    text: str  # as a sentence that can be read alone
    values: tuple[Any, ...]  # in the order of the result's columns
    nodes: tuple[str, ...] = ()  # element ids
    relationships: tuple[str, ...] = ()  # element ids
    fact_id: str | None = None  # the atomic fact that states it, where it came from a document
    chunk_id: str | None = None  # the chunk of the sentence


class ToolResult(Frozen):
    """The result of a tool."""

    tool: str
    arguments: Json
    columns: tuple[str, ...] = ()
    items: tuple[ToolItem, ...] = ()
    cypher: str | None = None  # what was run for the items; None where nothing was
    parameters: Json = {}
    markdown: str = ""  # for a model and for people
    note: str = ""  # nothing found and why; which of several nodes a name was taken for
    named: tuple[str, ...] = ()  # the nodes that names were taken for, where rows do not tell them
    taken: dict[str, str] = {}  # names that were asked for, by which a node is not known first; its own name
    candidates: tuple[Candidate, ...] = ()  # other nodes that a name may have meant
    cut: str | None = None  # why there may be more
    found: Found | None = None  # of search_memory: chunks and facts with their places in documents

    @property
    def is_empty(self) -> bool:
        """Whether the tool found nothing; then its note says why."""
        return bool(self.note) and not self.items and not (self.found and self.found.chunks)

    @property
    def rows(self) -> tuple[tuple[Any, ...], ...]:
        """The items' values, in the order of the columns."""
        return tuple(item.values for item in self.items)


class ToolList(BaseModel):
    """The tools."""

    tools: list[dict[str, Any]]


class ToolPacks(BaseModel):
    """The packs of tools: which are active, and why."""

    packs: list[PackState]
