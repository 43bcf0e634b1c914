"""Reads concept maps from storage; an incomplete relation is reported but never shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from hopline.words import shortened
from workers.core.concepts.maps import (
    SHORT_REASON,
    BrokenRelation,
    Concept,
    ConceptMap,
    ConceptRelation,
    by_strength,
)

_FIELDS = frozenset(ConceptRelation.model_fields)


def to_map(concept: Mapping[str, Any], relations: Sequence[Mapping[str, Any]]) -> ConceptMap | None:
    """Return a concept's map from its properties; None if only the maps of other concepts mention it."""
    if not concept["version"]:
        return None
    active = [relation for relation in relations if relation.get("state") == "active"]
    retired = [relation for relation in relations if relation.get("state") != "active"]
    read = [to_relation(relation) for relation in active]
    return ConceptMap(
        concept=Concept(**{name: concept[name] for name in Concept.model_fields if name in concept}),
        version=concept["version"],
        created=concept["created"],
        updated=concept["updated"],
        relations=tuple(
            sorted((relation for relation in read if isinstance(relation, ConceptRelation)), key=by_strength)
        ),
        retired=_names(retired),
        banned=_names(relation for relation in retired if relation.get("by")),
        broken=tuple(relation for relation in read if isinstance(relation, BrokenRelation)),
    )


def _names(relations: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    return tuple(sorted(str(relation.get("name")) for relation in relations))


def to_relation(row: Mapping[str, Any]) -> ConceptRelation | BrokenRelation:
    """Return a relation from its properties, or a description of what is wrong with them."""
    name = str(row.get("name") or "")
    if row.get("source") == row.get("target"):
        return BrokenRelation(id=str(row.get("id")), name=name, why="a concept related to itself")
    try:
        return ConceptRelation(**{field: value for field, value in row.items() if field in _FIELDS})
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(map(str, first["loc"]))
        why = shortened(f"{field}: {first['msg'].removeprefix('Value error, ')}", SHORT_REASON)
        return BrokenRelation(id=str(row.get("id")), name=name, why=why)
