"""Routes to edit relations of concept maps; each edit is a version with its author and reason."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query
from pydantic import Field

from producer.api.access import Submitter
from producer.api.context import ApiContext
from producer.api.problems import documented
from producer.api.schemas import Body, CollectionName
from producer.api.submission import Key
from workers.core.concepts.maps import MOST_REASON, Correction, RelationEdited
from workers.core.errors import InvalidInput
from workers.core.jobs.work import Json

router = APIRouter(tags=["concepts"])

_Id = Annotated[str, Path(description="As links and changes tell it.", max_length=200)]
_Reason = Annotated[
    str, Field(max_length=MOST_REASON, description="Why; kept with the version.", examples=["too vague"])
]
_Version = Annotated[
    int | None,
    Field(ge=1, description="Of the relation, as it was seen: a newer one is not overwritten (409)."),
]


class RelationUndo(Body):
    """Take a relation's newest change back."""

    collection: CollectionName = "default"
    reason: _Reason = ""
    version: _Version = None


class RelationPatch(RelationUndo, Correction):
    """Fields as they should be, or the mark that a relation cannot be right."""

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
    """Take a relation out of its map. Nothing is removed: undoing brings it back."""
    given: Json = {"action": "delete", "by": caller.key.name, "reason": reason, "seen": version}
    where = caller.collection(collection)
    return api.service.concepts.edit(where, relation, given, key, caller.id)


@router.patch("/api/kg/relations/{relation}", responses=documented(404, 409))
def change_relation(
    api: ApiContext, caller: Submitter, relation: _Id, asked: RelationPatch, key: Key = None
) -> RelationEdited:
    """Correct fields of a relation, or mark it as abnormal.

    A correction brings back one that was taken out.
    """
    given = _given(asked, "abnormal" if asked.state else "correct", caller.key.name)
    fields = asked.model_dump(include=set(Correction.model_fields), exclude_none=True)
    if asked.state and fields:
        raise InvalidInput("state", asked.state, "alone: a relation is marked, or corrected")
    given["correction"] = fields
    where = caller.collection(asked.collection)
    return api.service.concepts.edit(where, relation, given, key, caller.id)


@router.post("/api/kg/relations/{relation}/undo", responses=documented(404, 409))
def undo_relation(
    api: ApiContext, caller: Submitter, relation: _Id, asked: RelationUndo, key: Key = None
) -> RelationEdited:
    """Take a relation's newest change back, a job's as well as a person's; done twice it is as before."""
    given = _given(asked, "undo", caller.key.name)
    where = caller.collection(asked.collection)
    return api.service.concepts.edit(where, relation, given, key, caller.id)


def _given(asked: RelationUndo, action: str, by: str) -> Json:
    return {"action": action, "by": by, "reason": asked.reason, "seen": asked.version}
