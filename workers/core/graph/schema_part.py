"""Cuts a long schema to the part that a question may touch, for prompts that carry it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from hopline.models.graph_schema import GraphSchema, NodeKind, Property, RelationshipKind
from workers.core.answers.lexical_rank import STOP_WORDS
from workers.core.graph.schema import EVENT_LABEL, EVENT_RELATIONSHIP, NAMED_BY, CollectionSchema
from workers.core.language.text import pieces

CUT_NOTE = "The graph has more than is shown here."
_SHORT = 1500  # characters of a schema that is shown whole
_MOST = 4000  # characters of a part with what is one step away
_PARTED = re.compile(r"_|(?<=[a-z])(?=[A-Z])")
# Endings by which a question's word and a schema's differ: directed, director, DIRECTED.
_ENDING = re.compile(r"(?<=\w{3})(?:ers?|ors?|ing|ed|es|s|ions?|ments?|ies?|y|e)$")


def schema_about(schema: GraphSchema, text: str, most: int) -> str:
    """Return the part of a schema that a text may touch, as `GraphSchema.as_text` tells it.

    It keeps the labels and types whose names, properties or values the text mentions, the labels that those
    types connect, and, if there are not many, those one relationship away. A short schema stays whole, and so
    does one of which the text mentions nothing. A part says that the graph has more.

    Args:
        schema: schema of the graph.
        text: the question, with the conversation before it.
        most: characters.
    """
    whole = schema.as_text(most)
    if len(whole) <= _SHORT:
        return whole
    labels, types = _named(schema, text)
    if not labels and not types:
        return whole
    labels, types = labels | {EVENT_LABEL}, types | {EVENT_RELATIONSHIP}  # tools ask for them by other words
    wide = _part(schema, labels, types, further=True).as_text()
    part = wide if len(wide) <= _MOST else _part(schema, labels, types, further=False).as_text(most)
    return whole if len(part) >= len(whole) else f"{part}\n{CUT_NOTE}"


def _named(schema: GraphSchema, text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the labels and the relationship types that a text speaks of."""
    wanted = _roots(text)
    valued = {
        sample.label
        for sample in (schema.values if isinstance(schema, CollectionSchema) else ())
        if any(roots and roots <= wanted for roots in map(_roots, sample.values))
    }
    labels = (node.label for node in schema.nodes if _touches(node.label, node.properties, wanted))
    types = (
        relationship.type
        for relationship in schema.relationships
        if _touches(relationship.type, relationship.properties, wanted)
    )
    return frozenset(labels) | valued, frozenset(types)


def _touches(name: str, properties: Iterable[Property], wanted: frozenset[str]) -> bool:
    """Return whether a name or one of the properties is mentioned; properties of every node do not count."""
    names = (
        name,
        *(typed_property.name for typed_property in properties if typed_property.name not in NAMED_BY),
    )
    return any(wanted & _roots(each) for each in names)


def _roots(text: str) -> frozenset[str]:
    words = (word for word in pieces(_PARTED.sub(" ", text)) if word not in STOP_WORDS)
    return frozenset(_ENDING.sub("", word) for word in words)


def _part(
    schema: GraphSchema, labels: frozenset[str], types: frozenset[str], *, further: bool
) -> GraphSchema:
    """Return a part: named labels and types with what types join; further: all that touches the labels."""
    relationships = list[RelationshipKind]()
    ends = set(labels)
    for kind in schema.relationships:
        joins = kind.joins
        if kind.type not in types:
            joins = tuple(
                join for join in joins if (labels & set(join) if further else labels.issuperset(join))
            )
            if not joins:
                continue
        relationships.append(kind.model_copy(update={"joins": joins}))
        ends |= {label for join in joins for label in join}
    nodes: tuple[NodeKind, ...] = tuple(node for node in schema.nodes if node.label in ends)
    part = schema.model_copy(update={"nodes": nodes, "relationships": tuple(relationships)})
    if not isinstance(part, CollectionSchema):
        return part
    return part.model_copy(update={"values": tuple(sample for sample in part.values if sample.label in ends)})
