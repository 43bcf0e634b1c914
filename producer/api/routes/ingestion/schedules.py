"""Routes for schedules of syncs; all are for administrators."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Response

from hopline.aio.schedules import AsyncSchedules
from hopline.errors import Conflict, NotFound
from hopline.models.ingestion import ScheduleBounds
from hopline.models.jobs import JobTags
from hopline.models.schedules import Scheduled, ScheduleList, ScheduleRuns
from producer.api.access import Caller
from producer.api.context import Api
from producer.api.etags import etag_of, unchanged
from producer.api.paging import page_of
from producer.api.routes.ingestion.places import allowed_places, read_profile
from producer.api.serving import serves

router = APIRouter()


@serves(router, AsyncSchedules.list)
def list_schedules(api: Api, caller: Caller, cursor: str, limit: int) -> ScheduleList:
    """Return the schedules that the caller may see."""
    seen = [each for each in api.service.schedules.all() if caller.sees(each.schedule.collection)]
    some, following = page_of(seen, lambda each: each.schedule.name, cursor, limit)
    return ScheduleList(schedules=some, watched=api.service.schedules.watched(), next=following)


@serves(router, AsyncSchedules.get, 404, tagged=True)
def show_schedule(api: Api, caller: Caller, response: Response, name: str) -> Scheduled:
    """Return a schedule."""
    return _tagged(api.service.schedules.get(_seen(api, caller, name)), response)


@serves(router, AsyncSchedules.runs, 404)
def list_schedule_runs(api: Api, caller: Caller, name: str, cursor: str, limit: int) -> ScheduleRuns:
    """Return a page of the syncs that a schedule started."""
    return api.service.schedules.runs(_seen(api, caller, name), before=cursor, limit=limit)


@serves(router, AsyncSchedules.set, 409, tagged=True)
def set_schedule(
    api: Api,
    caller: Caller,
    response: Response,
    name: str,
    sources: tuple[str, ...],
    collection: str,
    every: str | None,
    profile: str | None,
    tags: JobTags,
    most_removed: float,
    if_match: str | None,
    bounds: ScheduleBounds,
) -> Scheduled:
    """Create or replace a schedule for places that requests may read."""
    known = api.service.schedules.find(name)
    if known is not None and not caller.sees(known.collection):
        raise Conflict(f"the name {name} is taken")
    from producer.service.schedules import schedule_of  # noqa: PLC0415 - loads Celery

    read = read_profile(profile)
    wanted: dict[str, Any] = {name: value for name, value in bounds.items() if name not in {"hours", "zone"}}
    places = allowed_places(api, caller, sources)
    schedule = schedule_of(
        places["sources"],
        caller.collection(collection),
        name=name,
        every=every,
        between=bounds.get("hours", ""),
        zone=bounds.get("zone", ""),
        tags=tags,
        confined=places["confined"],
        most_removed=most_removed,
        **wanted,
    )
    text = read.model_dump_json() if read else ""
    made = schedule.model_copy(update={"profile": text})
    api.service.schedules.add(made, check=unchanged(if_match, f"schedule {name}"))
    return _tagged(api.service.schedules.get(name), response)


@serves(router, AsyncSchedules.pause, 404)
def pause_schedule(api: Api, caller: Caller, name: str) -> Scheduled:
    """Pause a schedule."""
    return api.service.schedules.pause(_seen(api, caller, name))


@serves(router, AsyncSchedules.resume, 404)
def resume_schedule(api: Api, caller: Caller, name: str) -> Scheduled:
    """Resume a schedule."""
    return api.service.schedules.resume(_seen(api, caller, name))


@serves(router, AsyncSchedules.delete, 404, status=204)
def delete_schedule(api: Api, caller: Caller, name: str, if_match: str | None) -> None:
    """Delete a schedule."""
    check = unchanged(if_match, f"schedule {name}")
    api.service.schedules.remove(_seen(api, caller, name), check=check)


def _tagged(scheduled: Scheduled, response: Response) -> Scheduled:
    response.headers["ETag"] = etag_of(scheduled.schedule)
    return scheduled


def _seen(api: Api, caller: Caller, name: str) -> str:
    """Return the name of a schedule that the caller may see.

    Raises:
        NotFound: there is no such schedule.
    """
    known = api.service.schedules.find(name)
    if known is None or not caller.sees(known.collection):
        raise NotFound(f"no schedule {name}: `hopline schedules` lists them")
    return name
