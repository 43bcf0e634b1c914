"""Models of a concept map's displayed graph, as outcomes and the API have it."""

from __future__ import annotations

from pydantic import Field

from hopline.models.base import Frozen


class ConceptNode(Frozen):
    """A concept of a map."""

    id: str
    name: str
    domain: str  # its discipline, in the map's language
    definition: str
    core: bool


class ConceptLink(Frozen):
    """What joins two concepts."""

    id: str = ""  # of the relation, for edits; "" in outcomes of older versions
    source: str  # id of a node
    target: str
    relation: str
    strength: int = Field(ge=1, le=5)
    version: int = Field(default=1, ge=1)  # of this relation
    created: str = ""  # ISO 8601, by the graph's clock; "" where it is not kept
    updated: str = ""  # when it was last changed
    by: str = ""  # who changed it last by hand; "" where a job did


class MapGraph(Frozen):
    """The nodes and links of a map."""

    nodes: tuple[ConceptNode, ...]  # the core first, then the strongest
    links: tuple[ConceptLink, ...]
