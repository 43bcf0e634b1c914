"""Describes a graph's schema for a model: node labels, relationship types and the labels they connect."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from hopline.errors import InvalidInput
from hopline.models.base import Frozen
from hopline.models.graph_schema import (
    INTERNAL_LABELS,
    INTERNAL_RELATIONSHIPS,
    PLAIN_NAME,
    GraphSchema,
    quoted,
)
from hopline.visible import visible

_LONGEST = 100  # characters of a label or type that a document brings

EVENT_LABEL, EVENT_RELATIONSHIP = "MajorEvent", "EXPERIENCES"  # what documents tell becomes these
NAMED_BY = frozenset(("name", "title", "alias", "aliases"))  # properties that hold what a node is called


class SampleValues(Frozen):
    """Some values of a property, as nodes of a label have them."""

    label: str
    name: str  # of the property
    values: tuple[str, ...]


class CollectionSchema(GraphSchema):
    """What documents of one collection made of hopline's own graph, and nothing of another."""

    values: tuple[SampleValues, ...] = ()

    def as_text(self, most: int | None = None) -> str:
        """Return it as `GraphSchema` does, with values that texts have."""
        text = super().as_text(most)
        lines = [
            f"{quoted(sample.label)}.{quoted(sample.name)}: {_listed(sample.values)}"
            for sample in self.values
        ]
        whole = "\n".join([text, *(["Values, for example:", *lines] if lines else [])])
        return whole if most is None or len(whole) <= most else text


class SchemaSource(Protocol):
    """Reads a database's schema, and keeps it for a while."""

    def schema(self, *, internal: bool = False, refresh: bool = False) -> GraphSchema:
        """Return the schema, at most a minute old, or two while another thread is refreshing it.

        A failure is kept for some seconds, too, and raised without asking the server again.

        Args:
            internal: with what hopline keeps for itself.
            refresh: read it again now, even after a failure.

        Raises:
            DependencyAway: the server cannot be reached.
            Transient: it failed for the moment.
        """

    def of_collection(self, collection: str) -> CollectionSchema:
        """Return the schema of a collection's typed graph, cached like the whole schema.

        Without typed documents it has no labels.

        Raises:
            DependencyAway: the server cannot be reached.
            Transient: it failed for the moment.
        """


def check_types(labels: Iterable[str], relations: Iterable[str]) -> None:
    """Check that labels and types for a document's facts are plain words, and not reserved by hopline.

    Args:
        labels: labels of key elements.
        relations: relationship types between them.

    Raises:
        InvalidInput: one is not.
    """
    taken = {
        "type": (*INTERNAL_LABELS, EVENT_LABEL),
        "relation": (*INTERNAL_RELATIONSHIPS, EVENT_RELATIONSHIP),
    }
    for field, names in (("type", labels), ("relation", relations)):
        for name in names:
            if not PLAIN_NAME.fullmatch(name) or len(name) > _LONGEST:
                raise InvalidInput(field, name, f"one word of at most {_LONGEST} letters, digits and _")
            if name.casefold() in map(str.casefold, taken[field]):
                raise InvalidInput(field, name, f"none of: {', '.join(sorted(taken[field]))}")


def _listed(values: tuple[str, ...]) -> str:
    return ", ".join(f'"{" ".join(visible(value).split())}"' for value in values)
