"""Models of a concept map's displayed graph, as used in outcomes and by the API."""

from __future__ import annotations

from hopline.models.base import Frozen
from hopline.models.concepts import ConceptLink, ConceptNode


class MapGraph(Frozen):
    """The nodes and links of a map."""

    nodes: tuple[ConceptNode, ...]  # the core first, then the strongest
    links: tuple[ConceptLink, ...]
