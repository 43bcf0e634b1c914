"""Decides whether a pack of tools fits a graph, and names what the graph lacks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import StringConstraints

from hopline.models.base import Frozen
from hopline.models.graph_schema import GraphSchema
from hopline.models.tools import PackState
from workers.tools.tool import Tool

Word = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100)]


class NeededJoin(Frozen):
    """A relationship type, from nodes of one label to nodes of another."""

    type: Word
    source: Word
    target: Word


class PackNeeds(Frozen):
    """What a graph has to have for a pack's tools to make sense there; a pack's `pack.toml`."""

    labels: dict[Word, tuple[Word, ...]] = {}  # with properties that nodes of the label have
    relationships: tuple[NeededJoin, ...] = ()

    def missing(self, schema: GraphSchema) -> Iterator[str]:
        """Yield descriptions of the needed parts that a schema lacks."""
        for label, properties in self.labels.items():
            node = schema.node(label)
            if node is None:
                yield f"nodes labelled {label}"
                continue
            held = {typed_property.name for typed_property in node.properties}
            yield from (f"the property {name} of {label}" for name in properties if name not in held)
        for needed in self.relationships:
            kind = schema.relationship(needed.type)
            if kind is None or (needed.source, needed.target) not in kind.joins:
                yield f"{needed.type} from {needed.source} to {needed.target}"


@dataclass(frozen=True)
class Pack:
    """A pack of tools that is enabled if the graph has everything it needs."""

    name: str
    tools: tuple[Tool[Any], ...]
    needs: PackNeeds

    def state(self, schema: GraphSchema) -> PackState:
        """Return whether it is on over a graph of this schema."""
        missing = list(self.needs.missing(schema))
        if missing:
            return PackState(name=self.name, on=False, why=f"The graph lacks {', '.join(missing)}.")
        names = [*self.needs.labels, *(join.type for join in self.needs.relationships)]
        return PackState(name=self.name, on=True, why=f"The graph has {', '.join(names)}.")
