"""Models of a concept map's displayed graph, as outcomes and the API have it."""

from __future__ import annotations

from hopline.models.base import Frozen
from hopline.models.concepts import ConceptLink, ConceptNode


class MapGraph(Frozen):
    """The nodes and links of a map."""

    nodes: tuple[ConceptNode, ...]  # the core first, then the strongest
    links: tuple[ConceptLink, ...]
