"""Routes for pauses across jobs: of a queue, a step, a model or an API key."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from producer.api.access import Admin, Caller
from producer.api.context import ApiContext
from producer.api.problems import Problem, documented
from workers.core.jobs.work_pauses import WorkKind, WorkPauseList
from workers.core.records import Frozen

router = APIRouter(tags=["jobs"])

_Name = Annotated[str, Query(min_length=1, max_length=200)]


class WorkToPause(Frozen):
    """What is to be paused."""

    kind: WorkKind
    name: _Name  # of a queue, a step or a model; the id of an API key


@router.get("/v1/pauses", responses=documented())
def list_pauses(api: ApiContext, caller: Admin) -> WorkPauseList:
    """List what is paused across jobs, oldest first."""
    _check_unlimited(caller)
    return WorkPauseList(pauses=api.service.work_pauses.all())


@router.post("/v1/pauses", responses=documented(404))
def pause_work(api: ApiContext, caller: Admin, work: WorkToPause) -> WorkPauseList:
    """Pause a queue, a step, a model or an API key: what is begun ends, and nothing new is begun."""
    _check_unlimited(caller)
    return WorkPauseList(pauses=api.service.work_pauses.pause(work.kind, work.name))


@router.delete("/v1/pauses", responses=documented(404))
def resume_work(api: ApiContext, caller: Admin, kind: WorkKind, name: _Name) -> WorkPauseList:
    """Resume what is paused; what was laid aside is begun within about a minute."""
    _check_unlimited(caller)
    return WorkPauseList(pauses=api.service.work_pauses.resume(kind, name))


def _check_unlimited(caller: Caller) -> None:
    """Refuse who is for some collections only: a pause is for all."""
    if caller.is_limited:
        raise Problem(403, f"the key {caller.key.name!r} is for some collections, and a pause is for all")
