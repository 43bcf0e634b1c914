"""Routes for pauses across jobs: of a queue, a step, a model or an API key."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from hopline.models.base import Frozen
from hopline.models.pauses import WorkKind, WorkPauseList
from producer.api.access import Admin
from producer.api.context import ApiContext
from producer.api.problems import documented

router = APIRouter(tags=["jobs"])

_OF_ALL = "a pause is for all"

_Name = Annotated[str, Query(min_length=1, max_length=200)]


class WorkToPause(Frozen):
    """What is to be paused."""

    kind: WorkKind
    name: _Name  # of a queue, a step or a model; the id of an API key


@router.get("/v1/pauses", responses=documented())
def list_pauses(api: ApiContext, caller: Admin) -> WorkPauseList:
    """List what is paused across jobs, oldest first."""
    caller.check_unlimited(_OF_ALL)
    return WorkPauseList(pauses=api.service.work_pauses.all())


@router.post("/v1/pauses", responses=documented(404))
def pause_work(api: ApiContext, caller: Admin, work: WorkToPause) -> WorkPauseList:
    """Pause a queue, a step, a model or an API key: what is begun ends, and nothing new is begun."""
    caller.check_unlimited(_OF_ALL)
    return WorkPauseList(pauses=api.service.work_pauses.pause(work.kind, work.name))


@router.delete("/v1/pauses", responses=documented(404))
def resume_work(api: ApiContext, caller: Admin, kind: WorkKind, name: _Name) -> WorkPauseList:
    """Resume what is paused; what was laid aside is begun within about a minute."""
    caller.check_unlimited(_OF_ALL)
    return WorkPauseList(pauses=api.service.work_pauses.resume(kind, name))
