"""Events of concept maps."""

from __future__ import annotations

from hopline.models.events import EventData


class ConceptValidated(EventData, event="concept.validated"):
    """Whether a concept can have a map."""

    concept: str
    valid: bool | None  # None without a verdict
    reason: str


class RelationsRead(EventData, event="relations.read"):
    """The stored part of a concept's map."""

    n: int
    broken: int
    version: int  # 0 where there is none


class RelationChecked(EventData, event="relation.checked"):
    """Whether a kept relation still holds."""

    name: str
    valid: bool | None
    reason: str


class RelationsExpanded(EventData, event="relations.expanded"):
    """New relations were offered."""

    round: int
    names: tuple[str, ...]


class RelationValidated(EventData, event="relation.validated"):
    """Whether a new relation holds."""

    name: str
    domain: str
    valid: bool | None
    reason: str


class ConceptSaved(EventData, event="concept.saved"):
    """A new version of a concept's map is kept."""

    version: int
