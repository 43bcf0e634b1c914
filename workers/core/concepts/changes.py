"""Computes how a draft or a manual edit changes a concept map, so that all stores version it alike.

Both write a relation's fields (`written`), or retire it as deleted or abnormal (`retired`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import ValidationError

from hopline.allowed_values import allowed_in_words
from hopline.errors import InvalidInput, Outdated
from hopline.models.concepts import Change, ConceptChange
from workers.core import ids
from workers.core.concepts.maps import Concept, MapDraft, Related, RelationEdit, Retired, concept_key

Stored = Mapping[str, Any]  # a relation's properties as they are kept, whole or not
RETIRED: tuple[Change, ...] = ("abnormal", "deleted")
_FIELDS = ("name", "domain", "definition", "relation", "strength")


def changes_of(draft: MapDraft, core: Stored | None, held: Mapping[str, Stored]) -> tuple[ConceptChange, ...]:
    """Return the changes that a draft makes: none where the map already says so or a person has decided.

    Args:
        draft: the map that a job proposes.
        core: the stored concept's properties; None if it is new.
        held: the map's relations by id, in any state.
    """
    candidates = [_of_related(related, draft.concept, held) for related in draft.related]
    # What was kept and is no relation comes again as one.
    again = {change.id for change in candidates if change}
    candidates += [
        _of_retired(retirement, "deleted", held) for retirement in draft.deleted if retirement.id not in again
    ]
    candidates += [
        _of_retired(retirement, "abnormal", held)
        for retirement in draft.abnormal
        if retirement.id not in again
    ]
    changes = [change for change in candidates if change]
    defined = _defined(draft.concept, core)
    if defined and (changes or core):
        changes.insert(0, defined)
    return tuple(changes)


def change_of(edit: RelationEdit, before: Stored, past: Sequence[ConceptChange]) -> ConceptChange | None:
    """Return the change that an edit makes to a relation; None if it changes nothing.

    Args:
        edit: the person's edit.
        before: the relation's properties.
        past: its two newest changes, newest first.

    Raises:
        Outdated: the relation has a newer version than the one the person saw.
        InvalidInput: the relation would be invalid with these fields.
    """
    newest = _version(before)
    if edit.seen is not None and edit.seen != newest:
        raise Outdated(edit.seen, newest)
    if edit.action == "undo":
        return _undone(edit, before, past)
    if edit.action == "correct":
        fields = edit.correction.model_dump(exclude_none=True)
        return written(before["id"], _relation(before, fields), before, edit.reason)
    return retired(before["id"], "deleted" if edit.action == "delete" else "abnormal", edit.reason, before)


def left_to(edit: RelationEdit, past: Sequence[str]) -> str:
    """Return who decides about a relation after an edit: "" if jobs may change it.

    Args:
        edit: the person's edit.
        past: authors of its two newest versions before the edit, newest first; "" for a job.
    """
    return past[1] if edit.action == "undo" and len(past) > 1 else edit.by


def written(relation: str, related: Related, before: Stored | None, reason: str = "") -> ConceptChange | None:
    """Return the change that sets a relation's fields; None if it is active with these already."""
    change: Change = "added"
    if before is not None:
        is_active = before.get("state") == "active"
        if is_active and all(before.get(field) == getattr(related, field) for field in _FIELDS):
            return None
        change = "changed" if is_active else "restored"
    fields = {field: getattr(related, field) for field in _FIELDS}
    return ConceptChange(change=change, id=relation, version=_version(before) + 1, reason=reason, **fields)


def retired(
    relation: str, change: Literal["deleted", "abnormal"], reason: str, before: Stored
) -> ConceptChange | None:
    """Return the change that retires a relation; None if it has already been retired in that way."""
    if before.get("state") == change:
        return None
    strength = before.get("strength")
    return ConceptChange(
        change=change,
        id=relation,
        version=_version(before) + 1,
        reason=reason,
        strength=strength if isinstance(strength, int) else None,
        **{field: str(before.get(field) or "") for field in _FIELDS if field != "strength"},
    )


def _defined(concept: Concept, core: Stored | None) -> ConceptChange | None:
    """Return the core's definition if the map has none yet; rewording is not a change."""
    if not concept.definition or (core or {}).get("definition"):
        return None
    return ConceptChange(
        change="defined",
        id=concept.id,
        name=concept.name,
        domain=concept.domain,
        definition=concept.definition,
    )


def _of_related(related: Related, concept: Concept, held: Mapping[str, Stored]) -> ConceptChange | None:
    target = ids.concept_id(concept.collection, concept_key(related.name))
    relation = ids.relation_id(concept.id, target)
    before = held.get(relation)
    return None if _is_by_hand(before) else written(relation, related, before)


def _of_retired(
    retirement: Retired, change: Literal["deleted", "abnormal"], held: Mapping[str, Stored]
) -> ConceptChange | None:
    before = held.get(retirement.id)
    if before is None or before.get("state") != "active" or _is_by_hand(before):
        return None
    return retired(retirement.id, change, retirement.reason, before)


def _undone(edit: RelationEdit, before: Stored, past: Sequence[ConceptChange]) -> ConceptChange | None:
    """Return the change that makes a relation what it was before its newest change; added, it is deleted."""
    earlier = past[1] if len(past) > 1 else None
    if earlier is None:
        return retired(before["id"], "deleted", edit.reason, before)
    if earlier.change in ("deleted", "abnormal"):
        return retired(before["id"], earlier.change, edit.reason or earlier.reason, before)
    fields = {field: getattr(earlier, field) for field in _FIELDS}
    return written(before["id"], _relation(before, fields), before, edit.reason)


def _relation(before: Stored, fields: Mapping[str, Any]) -> Related:
    whole = {field: before.get(field) for field in _FIELDS} | dict(fields)
    try:
        return Related.read_stored(whole)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = str(first["loc"][0])
        raise InvalidInput(field, whole[field], allowed_in_words(first)) from None


def _is_by_hand(before: Stored | None) -> bool:
    """Return whether a person changed a relation last: then jobs leave it alone."""
    return bool((before or {}).get("by"))


def _version(before: Stored | None) -> int:
    version = (before or {}).get("version")
    return version if isinstance(version, int) else 0
