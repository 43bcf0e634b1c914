"""Routes for pauses across jobs: of a queue, a step, a model or an API key."""

from __future__ import annotations

from fastapi import APIRouter

from hopline.aio.pauses import AsyncPauses
from hopline.models.pauses import WorkKind, WorkPauseList
from producer.api.access import Caller
from producer.api.context import Api
from producer.api.serving import serves

router = APIRouter()

_OF_ALL = "a pause is for all"


@serves(router, AsyncPauses.list)
def list_pauses(api: Api, caller: Caller) -> WorkPauseList:
    """Return the pauses."""
    caller.check_unlimited(_OF_ALL)
    return WorkPauseList(pauses=api.service.work_pauses.all())


@serves(router, AsyncPauses.pause, 404)
def pause_work(api: Api, caller: Caller, kind: WorkKind, name: str) -> WorkPauseList:
    """Pause work."""
    caller.check_unlimited(_OF_ALL)
    return WorkPauseList(pauses=api.service.work_pauses.pause(kind, name))


@serves(router, AsyncPauses.resume, 404)
def resume_work(api: Api, caller: Caller, kind: WorkKind, name: str) -> WorkPauseList:
    """Resume work."""
    caller.check_unlimited(_OF_ALL)
    return WorkPauseList(pauses=api.service.work_pauses.resume(kind, name))
