"""Routes to find and edit relations of concept maps; each edit is a version with its author and reason."""

from __future__ import annotations

from typing import Any, Literal

from fastapi import APIRouter

from hopline.aio.concepts import AsyncConcepts, CorrectedFields
from hopline.errors import InvalidInput
from hopline.models.concepts import RelationEdited, RelationFound
from producer.api.access import Caller
from producer.api.context import Api
from producer.api.serving import serves
from workers.core.audit import current_actor
from workers.core.concepts.maps import Correction

router = APIRouter()


@serves(router, AsyncConcepts.find_relation, 404)
def find_relation(api: Api, caller: Caller, concept: str, other: str, collection: str) -> RelationFound:
    """Find a relation."""
    return api.service.concepts.relation(concept, other, caller.collection(collection))


@serves(router, AsyncConcepts.delete_relation, 404, 409)
def delete_relation(
    api: Api,
    caller: Caller,
    relation_id: str,
    reason: str,
    collection: str,
    version: int | None,
    key: str | None,
) -> RelationEdited:
    """Remove a relation."""
    edit = {"action": "delete", "reason": reason, "seen": version}
    return _edited(api, caller, relation_id, collection, key, edit)


@serves(router, AsyncConcepts.change_relation, 404, 409)
def change_relation(
    api: Api,
    caller: Caller,
    relation_id: str,
    reason: str,
    state: Literal["abnormal"] | None,
    collection: str,
    version: int | None,
    key: str | None,
    correction: CorrectedFields,
) -> RelationEdited:
    """Correct a relation, or mark it."""
    corrected = Correction.model_validate(correction)
    if state and correction:
        raise InvalidInput("state", state, "given alone: a relation is either marked or corrected")
    edit = {
        "action": "abnormal" if state else "correct",
        "reason": reason,
        "seen": version,
        "correction": corrected.model_dump(exclude_none=True),
    }
    return _edited(api, caller, relation_id, collection, key, edit)


@serves(router, AsyncConcepts.undo_relation, 404, 409)
def undo_relation(
    api: Api,
    caller: Caller,
    relation_id: str,
    reason: str,
    collection: str,
    version: int | None,
    key: str | None,
) -> RelationEdited:
    """Undo a relation's newest change."""
    edit = {"action": "undo", "reason": reason, "seen": version}
    return _edited(api, caller, relation_id, collection, key, edit)


def _edited(
    api: Api, caller: Caller, relation_id: str, collection: str, key: str | None, edit: dict[str, Any]
) -> RelationEdited:
    where = caller.collection(collection)
    author = current_actor().name or caller.key.name
    return api.service.concepts.edit(where, relation_id, {**edit, "by": author}, key, caller.id)
