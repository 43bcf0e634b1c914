"""Route that streams a job's events as server-sent events."""

from __future__ import annotations

import fnmatch
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Depends, Query, Request, Response
from sse_starlette import EventSourceResponse, ServerSentEvent
from sse_starlette.sse import SendTimeoutError
from starlette.concurrency import run_in_threadpool
from starlette.types import Receive, Scope, Send

from hopline.aio.events import HEARTBEAT
from hopline.aio.jobs import AsyncJobs, EventId
from hopline.errors import NotFound, unknown_name
from hopline.events.catalogue import CATALOGUE, read_event
from hopline.events.jobs import ItemDeferred
from hopline.models.events import EventData
from hopline.models.jobs import JobState, Json
from producer.api.access import Caller, caller_with
from producer.api.context import Api
from producer.api.openapi import reference_to
from producer.api.principals.events import SeenEvents
from producer.api.principals.jobs import rests_on_seen, seen_job
from producer.api.problems import Problem
from producer.api.routes.jobs import find_job
from producer.api.serving import serves
from producer.api.shown_uris import told_uris
from producer.service import job_wait
from workers.core.jobs.work import Event, Job

router = APIRouter()

_HEARTBEATS = 4  # a reader who takes nothing for so long is gone


def _event_schema(name: str, kind: type[EventData]) -> Json:
    data = {
        "type": "string",
        "contentMediaType": "application/json",
        "contentSchema": reference_to(kind),
    }
    properties = {"id": {"type": "string"}, "event": {"type": "string", "const": name}, "data": data}
    return {"type": "object", "properties": properties, "required": ["event", "data"]}


def _plain_schema(name: str) -> Json:
    """Return the schema of an event that does not come from a job."""
    data = {"type": "string", "contentMediaType": "application/json"}
    properties = {"event": {"type": "string", "const": name}, "data": data}
    return {"type": "object", "properties": properties, "required": ["event", "data"]}


_STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Events: `id` to resume from, `event` its name, `data` its JSON; "
        "later versions may add fields and events. Where events that "
        "the reader has not seen are no longer kept, `snapshot` {job, missed_after} comes first. Comments "
        "are signs of life, as is an event `heartbeat` {} without an id, where the header Heartbeat asks for "
        "it. The stream ends with the job.",
        "content": {
            "text/event-stream": {
                "schema": {
                    "description": "One event.",
                    "oneOf": [
                        *(_event_schema(name, kind) for name, kind in CATALOGUE.items()),
                        *map(_plain_schema, ("snapshot", HEARTBEAT)),
                    ],
                },
            }
        },
    },
    204: {"description": "No more events will come; without `follow`, there are none now."},
}


def _read_address(
    request: Request,
    last_event_id: Annotated[
        EventId | None,
        Query(alias="lastEventId", description="The same as the header, for clients that cannot send one."),
    ] = None,
) -> None:
    request.state.last_event_id = last_event_id


@serves(
    router,
    AsyncJobs.events,
    404,
    responses=_STREAM,
    response_class=EventSourceResponse,
    dependencies=[Depends(_read_address)],
)
async def stream_events(
    request: Request,
    api: Api,
    caller: Caller,
    job_id: str,
    after: str | None,
    follow: bool,
    names: str,
    heartbeat: float | None,
) -> Response:
    """Stream a job's events."""
    wanted = _wanted(names)
    last_event_id: str | None = after or request.state.last_event_id
    record = await run_in_threadpool(find_job, api, caller, job_id)
    if caller.saw_more(record.job):
        raise NotFound(f"no events of job {job_id}: their contents may no longer be seen")
    seen = None
    if caller.principals is not None:
        if not await run_in_threadpool(rests_on_seen, api, record, caller.principals):
            raise NotFound(f"no events of job {job_id}: their contents may no longer be seen")
        seen = SeenEvents(api, record.job, caller.principals)
    after = last_event_id or "0"
    if seen and last_event_id:
        await seen.skip()
    at_end = record.state is not JobState.RUNNING or not follow
    if at_end and not await job_wait.read_events(api.waiting, job_id, after, None):
        return Response(status_code=204)
    api.streams.check(caller.id)
    usual = api.settings.api_heartbeat
    return _EventStream(
        _generate_events(api, request, record.job, after, seen, wanted, follow=follow),
        ping=heartbeat or usual,
        ping_message_factory=_beat if heartbeat else None,
        send_timeout=_HEARTBEATS * usual,
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


def _wanted(names: str) -> frozenset[str] | None:
    """Return the names of the requested events; None for all.

    Raises:
        InvalidInput: there is no event with such a name.
    """
    patterns = [part.strip() for part in names.split(",") if part.strip()]
    found = {pattern: fnmatch.filter(CATALOGUE, pattern) for pattern in patterns}
    for pattern, events in found.items():
        if not events:
            raise unknown_name("names", pattern, CATALOGUE)
    return frozenset(name for events in found.values() for name in events) if found else None


def _beat() -> ServerSentEvent:
    return ServerSentEvent(event=HEARTBEAT, data="{}", sep="\n")


class _EventStream(EventSourceResponse):
    """Streams events until there are no more or the client disconnects; neither is an error."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request."""
        with suppress(SendTimeoutError):
            await super().__call__(scope, receive, send)


async def _generate_events(
    api: Api,
    request: Request,
    job: Job,
    after: str,
    seen: SeenEvents | None,
    wanted: frozenset[str] | None,
    *,
    follow: bool,
) -> AsyncGenerator[ServerSentEvent]:
    caller: Caller = request.state.seen_by
    # No cancel scope may be open over a yield: it would end in whatever the response does meanwhile.
    with api.streams.open(caller.id):
        if follow:
            happening = job_wait.follow(api.waiting, job.id, after, api.settings.api_stream)
        else:
            happening = job_wait.so_far(api.waiting, job.id, after)
        async with aclosing(happening):
            async for entries in happening:
                if not await _may_still_read(api, request, job):
                    return
                if entries is None:
                    yield await _snapshot(api, caller, job.id, after)
                    continue
                shown = entries if seen is None else await seen.shown(entries)
                if shown is None:
                    return
                for after, event in shown:  # noqa: PLR1704 - a snapshot tells it
                    if wanted is not None and event.name not in wanted:
                        continue
                    data = told_uris(_data_of(event), caller, api)
                    yield ServerSentEvent(
                        id=after, event=event.name, data=orjson.dumps(data).decode(), sep="\n"
                    )


def _data_of(event: Event) -> Json:
    """Return an event's data, with the deadline, which a Redis script wrote in seconds, as RFC 3339."""
    deferred = read_event(event) if event.name == ItemDeferred.event else None
    return deferred.model_dump(mode="json", exclude_unset=True) if deferred else event.data


async def _may_still_read(api: Api, request: Request, job: Job) -> bool:
    """Return whether the key still exists, and may see everything that the job read."""
    try:
        return not (await caller_with(api, request)).saw_more(job)
    except Problem:
        return False


async def _snapshot(api: Api, caller: Caller, job_id: str, after: str) -> ServerSentEvent:
    record = await run_in_threadpool(api.service.jobs.get, job_id)
    view = await run_in_threadpool(seen_job, api, caller, record)
    view = told_uris(view, caller, api)
    snapshot = {"job": view.model_dump(mode="json"), "missed_after": after}
    return ServerSentEvent(event="snapshot", data=orjson.dumps(snapshot).decode(), sep="\n")
