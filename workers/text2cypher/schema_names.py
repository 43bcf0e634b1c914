"""A graph's schema as the names that a statement is checked against."""

from __future__ import annotations

from workers.core.graph_schema import GraphSchema
from workers.text2cypher.names import GraphNames


def names_of(schema: GraphSchema) -> GraphNames:
    """Return what a schema names.

    Of one that was read from a sample, it is left open which label has which property: nodes that were not
    looked at may have more. What a label and a type of the same name have is taken together.
    """
    of: dict[str, frozenset[str]] = {}
    if not schema.sampled:
        held = [(one.label, one.properties) for one in schema.nodes]
        held += [(one.type, one.properties) for one in schema.relationships]
        for name, properties in held:
            of[name] = of.get(name, frozenset()) | {one.name for one in properties}
    return GraphNames(schema.labels, schema.types, schema.property_names, of)
