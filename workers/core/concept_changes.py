"""What a draft changes of a concept map: pure, so that every store keeps the same versions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workers.core import ids
from workers.core.concepts import Change, Concept, ConceptChange, MapDraft, Related, Retired, concept_key

Stored = Mapping[str, Any]  # a relation's properties as they are kept, whole or not
_FIELDS = ("name", "domain", "definition", "relation", "strength")


def changes_of(draft: MapDraft, core: Stored | None, held: Mapping[str, Stored]) -> tuple[ConceptChange, ...]:
    """Return what changes; nothing where the map is that already.

    Args:
        draft: what a job makes of the map.
        core: the kept concept's properties; None where it is new.
        held: the map's relations by id, in any state.
    """
    related = [_of_related(one, draft.concept, held) for one in draft.related]
    retired = [
        *(_of_retired(one, "deleted", held) for one in draft.deleted),
        *(_of_retired(one, "abnormal", held) for one in draft.abnormal),
    ]
    again = {one.id for one in related if one}  # what was kept and is no relation comes again as one
    found = [one for one in related if one] + [one for one in retired if one and one.id not in again]
    defined = _defined(draft.concept, core)
    if defined and (found or core):
        found.insert(0, defined)
    return tuple(found)


def _defined(concept: Concept, core: Stored | None) -> ConceptChange | None:
    """Return the core's definition where the map has none yet; another wording of it is no change."""
    if not concept.definition or (core or {}).get("definition"):
        return None
    return ConceptChange(
        change="defined",
        id=concept.id,
        name=concept.name,
        domain=concept.domain,
        definition=concept.definition,
    )


def _of_related(one: Related, concept: Concept, held: Mapping[str, Stored]) -> ConceptChange | None:
    target = ids.concept_id(concept.collection, concept_key(one.name))
    name = ids.relation_id(concept.id, target)
    before = held.get(name)
    change: Change = "added"
    if before is not None:
        same = all(before.get(field) == getattr(one, field) for field in _FIELDS)
        if before.get("state") == "active" and same:
            return None
        change = "changed" if before.get("state") == "active" else "restored"
    told = {field: getattr(one, field) for field in _FIELDS}
    return ConceptChange(change=change, id=name, version=_following(before), **told)


def _of_retired(one: Retired, change: Change, held: Mapping[str, Stored]) -> ConceptChange | None:
    before = held.get(one.id)
    if before is None or before.get("state") != "active":
        return None
    strength = before.get("strength")
    return ConceptChange(
        change=change,
        id=one.id,
        version=_following(before),
        reason=one.reason,
        strength=strength if isinstance(strength, int) else None,
        **{field: str(before.get(field) or "") for field in _FIELDS if field != "strength"},
    )


def _following(before: Stored | None) -> int:
    version = (before or {}).get("version")
    return version + 1 if isinstance(version, int) else 1
