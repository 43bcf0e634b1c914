"""Kinds of nodes and relationships of a graph."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from hopline.models.base import Frozen

PLAIN_NAME = re.compile(r"[^\W\d]\w*")

# What hopline itself keeps, in a database that is its own. Typed entities are key elements with a further
# label; the label that says what they are is shown, the one that says how they are stored is not.
INTERNAL_LABELS = frozenset(
    (
        *("Document", "Chunk", "AtomicFact", "KeyElement", "ElementMerge", "DueVector", "Migration"),
        *("MappedConcept", "ConceptVersion", "FactTopic", "FactTopicPiece", "FactTopicEpoch", "RestoredNode"),
        *("KeptVersion", "KeptPart", "KeptSince", "KeptGap", "KeptLoss"),
    )
)

INTERNAL_RELATIONSHIPS = frozenset(
    (
        *("HAS_CHUNK", "HAS_HIDDEN_CHUNK", "NEXT", "HAS_ATOMIC_FACT", "HAS_KEY_ELEMENT", "MERGED_INTO"),
        *("MAY_MEAN", "CONCEPT_RELATION", "HAS_KEPT_PART"),
    )
)

# Where a relation or an event was read; the three stand together on each that came from a document.
PROVENANCE = frozenset(("fact_id", "chunk_id", "document_id"))

INTERNAL_PROPERTIES = frozenset(
    ("collection", "scope", "own_aliases", "stated_at", "write_lock", "claimed", "may_mean", "placed")
)

_ELEMENT = "KeyElement"  # typed entities are key elements too

_OWN_MARK = "Migration"  # a database that bears this label is hopline's; elsewhere a Document is a user's


class Property(Frozen):
    """A property and the types of its values, as Cypher names them: STRING, INTEGER, LIST<STRING>."""

    name: str
    types: tuple[str, ...]  # more than one where nodes differ


class NodeKind(Frozen):
    """A label, and the properties of nodes with this label."""

    label: str
    properties: tuple[Property, ...] = ()


class Join(NamedTuple):
    """The labels of the nodes that a relationship type connects."""

    source: str
    target: str


class RelationshipKind(Frozen):
    """A relationship type: its properties, and the labels that it connects, with direction."""

    type: str
    properties: tuple[Property, ...] = ()
    joins: tuple[Join, ...] = ()


class NameIndex(Frozen):
    """A full-text index of nodes."""

    name: str
    labels: tuple[str, ...]
    properties: tuple[str, ...]


class GraphSchema(Frozen):
    """A graph's labels and relationship types, each sorted by name."""

    nodes: tuple[NodeKind, ...] = ()
    relationships: tuple[RelationshipKind, ...] = ()
    sampled: bool = False  # read from a part of the graph: what is rare may be missing
    source: Literal["apoc", "procedures"] = "apoc"  # what it was read with
    notes: tuple[str, ...] = ()  # what could not be had, and why
    indexes: tuple[NameIndex, ...] = ()  # full-text indexes of nodes that can be searched now
    label_counts: dict[str, int] = {}  # label → nodes that bear it, of all collections
    type_counts: dict[str, int] = {}  # relationship type → how many

    @property
    def is_own(self) -> bool:
        """Whether the database is hopline's; only a schema with internal parts shows this."""
        return _OWN_MARK in self.labels

    @property
    def labels(self) -> frozenset[str]:
        """All labels."""
        return frozenset(node.label for node in self.nodes)

    @property
    def types(self) -> frozenset[str]:
        """All relationship types."""
        return frozenset(relationship.type for relationship in self.relationships)

    @property
    def property_names(self) -> frozenset[str]:
        """The names of all properties, of nodes and of relationships."""
        held = [
            *(node.properties for node in self.nodes),
            *(relationship.properties for relationship in self.relationships),
        ]
        return frozenset(typed_property.name for properties in held for typed_property in properties)

    def node(self, label: str) -> NodeKind | None:
        """Return the kind of node with a label; None if the graph does not have the label."""
        return next((node for node in self.nodes if node.label == label), None)

    def relationship(self, kind: str) -> RelationshipKind | None:
        """Return the kind of relationship with a type; None if the graph does not have the type."""
        return next((relationship for relationship in self.relationships if relationship.type == kind), None)

    def without_internal(self) -> GraphSchema:
        """Return the schema without hopline's internal parts; that of another graph is returned unchanged."""
        if not self.is_own:
            return self
        nodes = tuple(
            node.model_copy(update={"properties": _shown(node.properties)})
            for node in self.nodes
            if node.label not in INTERNAL_LABELS
        )
        relationships = tuple(filter(None, map(_visible, self.relationships)))
        labels, types = {node.label for node in nodes}, {relationship.type for relationship in relationships}
        return self.model_copy(
            update={
                "nodes": nodes,
                "relationships": relationships,
                "label_counts": {name: count for name, count in self.label_counts.items() if name in labels},
                "type_counts": {name: count for name, count in self.type_counts.items() if name in types},
            }
        )

    def as_text(self, most: int | None = None) -> str:
        """Return the schema as Cypher patterns, one per line: the shortest form that models know well.

        Args:
            most: maximum number of characters; of a longer schema, the first lines and a note that there is
                more.
        """
        lines = ["Nodes:", *(f"({_tail(node.label, node.properties)})" for node in self.nodes)]
        if not self.nodes:
            lines.append("none")
        lines += [
            "Relationships:",
            *(line for relationship in self.relationships for line in _patterns(relationship)),
        ]
        if not self.relationships:
            lines.append("none")
        if self.sampled:
            lines.append("Read from a sample: rare labels, properties and directions may be missing.")
        text = "\n".join(lines)
        if most is None or len(text) <= most:
            return text
        return text[: text.rfind("\n", 0, most)] + "\nThe graph has more than is shown here."


def quoted(name: str) -> str:
    """Return a label, type or property as written in Cypher: in backticks unless it is a plain word."""
    return name if PLAIN_NAME.fullmatch(name) else "`" + name.replace("`", "``") + "`"


def _visible(kind: RelationshipKind) -> RelationshipKind | None:
    shown = [join for join in kind.joins if not INTERNAL_LABELS - {_ELEMENT} & set(join)]
    if kind.type in INTERNAL_RELATIONSHIPS or not shown:
        return None
    # Where no document said what the elements are, it is told without what it joins.
    joins = tuple(join for join in shown if _ELEMENT not in join)
    return kind.model_copy(update={"joins": joins, "properties": _shown(kind.properties)})


def _shown(properties: tuple[Property, ...]) -> tuple[Property, ...]:
    return tuple(
        typed_property
        for typed_property in properties
        if typed_property.name not in INTERNAL_PROPERTIES | PROVENANCE
    )


def _patterns(kind: RelationshipKind) -> list[str]:
    """Return a line per pair of labels; only the first one has the properties."""
    joins = kind.joins or (Join("", ""),)
    lines = []
    for nth, join in enumerate(joins):
        source, target = (f"(:{quoted(label)})" if label else "()" for label in join)
        properties = kind.properties if nth == 0 else ()
        lines.append(f"{source}-[{_tail(kind.type, properties)}]->{target}")
    return lines


def _tail(name: str, properties: tuple[Property, ...]) -> str:
    listing = ", ".join(
        f"{quoted(typed_property.name)}: {'|'.join(typed_property.types) or 'ANY'}"
        for typed_property in properties
    )
    return f":{quoted(name)}" + (f" {{{listing}}}" if listing else "")
