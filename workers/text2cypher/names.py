"""Finds the labels, types and properties that a statement names, and whether the graph has them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from hopline.models.graph_schema import GraphSchema
from workers.core.errors import CypherRefused
from workers.text2cypher.lexer import refusal
from workers.text2cypher.syntax import Part, words

_SHOWN = 8  # names of a list in an error
# Components of dates, times, durations and points; they are not properties of a graph.
_COMPONENTS = words(
    """year quarter month week weekYear dayOfQuarter quarterDay day dayOfWeek weekDay ordinalDay hour minute
    second millisecond microsecond nanosecond timezone offset offsetMinutes offsetSeconds epochMillis
    epochSeconds years quarters quartersOfYear months monthsOfQuarter monthsOfYear weeks days daysOfWeek hours
    minutes minutesOfHour seconds secondsOfMinute milliseconds millisecondsOfSecond microseconds
    microsecondsOfSecond nanoseconds nanosecondsOfSecond x y z longitude latitude height crs srid"""
)
_Owners = dict[str, set[str] | None]  # variable → its labels and types; None where that cannot be told


@dataclass(frozen=True)
class GraphNames:
    """Names in a graph's schema."""

    labels: frozenset[str]
    types: frozenset[str]  # of relationships
    properties: frozenset[str]  # of nodes and relationships
    # A label or type → the properties seen on it. Where it is given, a property is also looked for on the
    # label that its variable has; leave out what was only sampled.
    of: Mapping[str, frozenset[str]] = field(default_factory=dict)


def names_of(schema: GraphSchema) -> GraphNames:
    """Return the names that a schema contains.

    Of one that was read from a sample, it is left open which label has which property: nodes that were not
    looked at may have more. What a label and a type of the same name have is taken together.
    """
    of: dict[str, frozenset[str]] = {}
    if not schema.sampled:
        held = [(node.label, node.properties) for node in schema.nodes]
        held += [(relationship.type, relationship.properties) for relationship in schema.relationships]
        for name, properties in held:
            of[name] = of.get(name, frozenset()) | {typed_property.name for typed_property in properties}
    return GraphNames(schema.labels, schema.types, schema.property_names, of)


def check_names(text: str, statement: Part, names: GraphNames) -> None:
    """Refuse labels, types and properties that the graph does not have.

    Raises:
        CypherRefused: it lists all that are unknown, each with those that come near.
    """
    wrong = [*_unknown_labels(statement, names), *_unknown_properties(statement, names)]
    if not wrong:
        return
    messages = dict.fromkeys(_explain_unknown(part, what, known) for part, what, known in wrong)
    raise CypherRefused(str(refusal(text, wrong[0][0].token.at, "; ".join(messages))))


_Wrong = tuple[Part, str, Iterable[str]]


def _explain_unknown(part: Part, what: str, known: Iterable[str]) -> str:
    return f"the graph has no {what} {part.name}" + _near(part.name, known)


def _near(name: str, known: Iterable[str]) -> str:
    by_lower = {spelling.lower(): spelling for spelling in sorted(known)}
    near = [by_lower[match] for match in difflib.get_close_matches(name.lower(), by_lower, n=3, cutoff=0.5)]
    if near:
        return f" (near: {', '.join(near)})"
    shown = sorted(by_lower.values())[:_SHOWN]
    return f" (it has: {', '.join(shown)})" if shown else ""


def _unknown_labels(statement: Part, names: GraphNames) -> Iterator[_Wrong]:
    for part in statement.every("node", "relationship", "operation"):
        for label in (child for child in part.parts if child.sort == "label"):
            if part.sort == "node" and label.name not in names.labels:
                yield label, "label", names.labels
            elif part.sort == "relationship" and label.name not in names.types:
                yield label, "relationship type", names.types
            elif label.name not in names.labels | names.types:
                yield label, "label or type", names.labels | names.types


def _unknown_properties(statement: Part, names: GraphNames) -> Iterator[_Wrong]:
    owners = _owners(statement)
    made = {part.name for part in statement.every("entry")} - set(_pattern_keys(statement))
    for part, owner in _properties(statement, owners):
        if owner and all(label in names.of for label in owner):
            known = frozenset().union(*(names.of[label] for label in owner))
            if part.name not in known:
                yield part, f"property of {' or '.join(sorted(owner))} named", known
        elif part.name not in names.properties | made | _COMPONENTS:
            yield part, "property", names.properties


def _properties(statement: Part, owners: _Owners) -> Iterator[tuple[Part, set[str] | None]]:
    """Yield the properties read from nodes and relationships, each with its labels or types."""
    for part in statement.every("property", "node", "relationship"):
        if part.sort == "property":
            base = part.parts[0]
            if base.sort not in {"parameter", "map"}:
                yield part, owners.get(base.name) if base.sort == "variable" else None
            continue
        for keys in (child for child in part.parts if child.sort == "map"):
            own = _labels(part)
            yield from ((entry, own) for entry in keys.parts)


def _pattern_keys(statement: Part) -> Iterator[str]:
    for part in statement.every("node", "relationship"):
        for keys in (child for child in part.parts if child.sort == "map"):
            yield from (entry.name for entry in keys.parts)


def _labels(part: Part) -> set[str] | None:
    """Return the labels or types of a pattern's part, None if it says which it does not have."""
    if part.own("denied"):
        return None
    return {child.name for child in part.parts if child.sort == "label"} or None


def _owners(statement: Part) -> _Owners:
    """Return what each variable is, by the patterns that name it.

    A name that is also given to something else (AS, UNWIND, a comprehension) may be anything.
    """
    owners: _Owners = {}
    for part in statement.every("node", "relationship"):
        own = _labels(part)
        for binding in (child for child in part.parts if child.sort == "binding"):
            before = owners.setdefault(binding.name, set())
            if own and before is not None:
                before |= own
            if part.own("denied"):
                owners[binding.name] = None
    for part in statement.every("item", "each", "pattern"):
        for binding in (child for child in part.parts if child.sort == "binding"):
            if not (part.sort == "item" and part.parts[0].name == binding.name):
                owners[binding.name] = None
    # A label tested for is one more that it may have.
    for part in statement.every("operation"):
        if part.name == "IS" and part.parts[0].sort == "variable" and len(part.parts) > 1:
            owners[part.parts[0].name] = None
    return owners
