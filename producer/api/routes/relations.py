"""Routes to edit relations of concept maps; each edit is a version with its author and reason."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query
from pydantic import Field

from hopline.errors import InvalidInput
from hopline.models.collections import CollectionName
from hopline.models.concepts import RelationEdited
from hopline.models.jobs import Json
from producer.api.access import Submitter
from producer.api.context import ApiContext
from producer.api.problems import documented
from producer.api.schemas import Body
from producer.api.submission import Key
from workers.core.concepts.maps import MOST_REASON, Correction

router = APIRouter(tags=["concepts"])

_Id = Annotated[str, Path(description="As in links and changes.", max_length=200)]
_Reason = Annotated[
    str, Field(max_length=MOST_REASON, description="Why; kept with the version.", examples=["too vague"])
]
_Version = Annotated[
    int | None,
    Field(ge=1, description="The relation's version as you saw it: a newer one is not overwritten (409)."),
]


class RelationUndo(Body):
    """Undo a relation's newest change."""

    collection: CollectionName = "default"
    reason: _Reason = ""
    version: _Version = None


class RelationPatch(RelationUndo, Correction):
    """Corrected fields, or the mark that a relation is wrong."""

    state: Literal["abnormal"] | None = None


@router.delete("/api/kg/relations/{relation}", responses=documented(404, 409))
def delete_relation(
    api: ApiContext,
    caller: Submitter,
    relation: _Id,
    reason: Annotated[_Reason, Query(min_length=1)],
    collection: CollectionName = "default",
    version: Annotated[_Version, Query()] = None,
    key: Key = None,
) -> RelationEdited:
    """Remove a relation from its map. It stays stored: undo restores it."""
    edit: Json = {"action": "delete", "by": caller.key.name, "reason": reason, "seen": version}
    where = caller.collection(collection)
    return api.service.concepts.edit(where, relation, edit, key, caller.id)


@router.patch("/api/kg/relations/{relation}", responses=documented(404, 409))
def change_relation(
    api: ApiContext, caller: Submitter, relation: _Id, body: RelationPatch, key: Key = None
) -> RelationEdited:
    """Correct fields of a relation, or mark it as abnormal.

    A correction brings back one that was taken out.
    """
    edit = _build_edit(body, "abnormal" if body.state else "correct", caller.key.name)
    fields = body.model_dump(include=set(Correction.model_fields), exclude_none=True)
    if body.state and fields:
        raise InvalidInput("state", body.state, "alone: a relation is marked, or corrected")
    edit["correction"] = fields
    where = caller.collection(body.collection)
    return api.service.concepts.edit(where, relation, edit, key, caller.id)


@router.post("/api/kg/relations/{relation}/undo", responses=documented(404, 409))
def undo_relation(
    api: ApiContext, caller: Submitter, relation: _Id, body: RelationUndo, key: Key = None
) -> RelationEdited:
    """Undo a relation's newest change, a job's or a person's; doing so twice restores it."""
    edit = _build_edit(body, "undo", caller.key.name)
    where = caller.collection(body.collection)
    return api.service.concepts.edit(where, relation, edit, key, caller.id)


def _build_edit(body: RelationUndo, action: str, by: str) -> Json:
    return {"action": action, "by": by, "reason": body.reason, "seen": body.version}
