"""Routes for syncs of collections with places, once or on a schedule; all are for administrators."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import StringConstraints
from starlette.concurrency import run_in_threadpool

from hopline.allowed_values import InWords
from hopline.errors import Conflict, NotFound
from hopline.models.jobs import Job
from hopline.models.params import SyncParams
from hopline.models.schedules import Scheduled, ScheduleList, SchedulePolicy, ScheduleRuns
from producer.api.access import Admin, Caller
from producer.api.admission import admitted
from producer.api.context import Api, ApiContext
from producer.api.problems import documented
from producer.api.routes.ingestion.requests import NAME_PATTERN, NAME_WORDS, ScheduleRequest, SyncRequest
from producer.api.submission import Key, Wait, respond_with_job, terms_of
from producer.service.schedules import schedule_of
from workers.core.jobs.params import parse_params
from workers.ledger.records import JobRecord

router = APIRouter(tags=["syncs"])

_Name = Annotated[
    str,
    StringConstraints(pattern=NAME_PATTERN),
    InWords(f"a schedule's name: {NAME_WORDS}"),
    Path(description="Of a schedule.", examples=["contracts"]),
]


_SCHEDULED = {*SyncParams.model_fields, *SchedulePolicy.model_fields} - {
    "sources",
    "profile",
    "hours",
    "zone",
}


@router.post("/v1/syncs", status_code=202, responses=documented(409, 429))
async def submit_sync(
    api: ApiContext,
    caller: Admin,
    request: Request,
    response: Response,
    body: SyncRequest,
    key: Key = None,
    wait: Wait = 0,
) -> Job:
    """Sync a collection with some places: what is new, changed, moved or gone there."""
    record = await run_in_threadpool(begin_sync, api, caller, request, body, key)
    return await respond_with_job(api, request, response, record, wait)


def begin_sync(api: Api, caller: Caller, request: Request, body: SyncRequest, key: str | None) -> JobRecord:
    """Submit a sync of places that requests may read."""
    collection = caller.collection(body.collection)
    terms = terms_of(request, caller, priority=body.priority, webhook=body.webhook, tags=body.tags)
    profile = body.read_profile()
    fields = body.model_dump(include=set(SyncParams.model_fields) - {"sources", "profile"})
    fields |= {"sources": body.places(api), "confined": True}
    fields |= {"profile": api.service.documents.keep_profile(profile)} if profile else {}
    params = parse_params(SyncParams, fields)
    with admitted(api, caller, key) as named:
        return api.service.syncs.submit(params, collection, named, None, terms)


@router.get("/v1/schedules", responses=documented())
def list_schedules(api: ApiContext, caller: Admin) -> ScheduleList:
    """List the schedules of syncs, with when each is due next and the job that it began last."""
    seen = [each for each in api.service.schedules.all() if caller.sees(each.schedule.collection)]
    return ScheduleList(schedules=seen, watched=api.service.schedules.watched())


@router.get("/v1/schedules/{name}/runs", responses=documented(404))
def list_schedule_runs(
    api: ApiContext,
    caller: Admin,
    name: _Name,
    cursor: Annotated[str, Query(max_length=300, description="The `next` of the page before.")] = "",
    limit: Annotated[int, Query(ge=1, le=200, description="How many ended ones at most.")] = 50,
) -> ScheduleRuns:
    """List the syncs that a schedule began, newest first, also those of which only history is left.

    The first page tells at which times it was due and began none, too, and why.
    """
    return api.service.schedules.runs(_seen(api, caller, name), before=cursor, limit=limit)


@router.put("/v1/schedules/{name}", responses=documented(409))
def set_schedule(api: ApiContext, caller: Admin, name: _Name, body: ScheduleRequest) -> Scheduled:
    """Make a schedule, or replace the one of this name; a job that it began goes on."""
    known = api.service.schedules.find(name)
    if known is not None and not caller.sees(known.collection):
        raise Conflict(f"the name {name} is taken")
    profile = body.read_profile()
    schedule = schedule_of(
        body.places(api),
        caller.collection(body.collection),
        name=name,
        every=body.every,
        between=body.hours,
        zone=body.zone,
        tags=body.tags,
        confined=True,
        **body.model_dump(include=_SCHEDULED),
    )
    text = profile.model_dump_json() if profile else ""
    return api.service.schedules.add(schedule.model_copy(update={"profile": text}))


@router.post("/v1/schedules/{name}/pause", responses=documented(404))
def pause_schedule(api: ApiContext, caller: Admin, name: _Name) -> Scheduled:
    """Pause a schedule: it begins nothing until it is resumed; a job that it began goes on."""
    return api.service.schedules.pause(_seen(api, caller, name))


@router.post("/v1/schedules/{name}/resume", responses=documented(404))
def resume_schedule(api: ApiContext, caller: Admin, name: _Name) -> Scheduled:
    """Resume a schedule: it begins again when it is due next; what it missed is not made up for."""
    return api.service.schedules.resume(_seen(api, caller, name))


@router.delete("/v1/schedules/{name}", status_code=204, responses=documented(404))
def delete_schedule(api: ApiContext, caller: Admin, name: _Name) -> None:
    """Delete a schedule; a job that it began goes on."""
    api.service.schedules.remove(_seen(api, caller, name))


def _seen(api: Api, caller: Caller, name: str) -> str:
    """Return the name of a schedule that the caller may see.

    Raises:
        NotFound: there is none.
    """
    known = api.service.schedules.find(name)
    if known is None or not caller.sees(known.collection):
        raise NotFound(f"no schedule {name}")
    return name
