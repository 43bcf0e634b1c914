"""Common parameters of routes that submit jobs: caller, priority, and whether to wait for the end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Header, Query, Request, Response
from sse_starlette.sse import AppStatus
from starlette.concurrency import run_in_threadpool

from hopline.models.jobs import Json, Priority
from hopline.models.results import Job
from hopline.operation import IdempotencyKey
from hopline.principals import LOCAL_CALLER
from producer.api.admission import admitted
from producer.api.context import api_of
from producer.api.principals.jobs import is_looked_up, seen_job
from producer.api.request_metrics import JOBS_PATH
from producer.service.job_wait import wait_for_end
from workers.core.jobs.work import Terms

if TYPE_CHECKING:
    from collections.abc import Mapping

    from producer.api.access import Caller
    from producer.api.context import Api
    from workers.core.jobs.records import JobRecord

_LOOK_SECONDS = 1.0
Key = Annotated[
    IdempotencyKey,
    Header(
        alias="Idempotency-Key",
        description="Idempotency key: repeating a request with the same key and body returns the same job.",
    ),
]
Wait = Annotated[
    float, Query(ge=0, description="Seconds to wait for the job's end, up to the server's limit.")
]
_REPLAYED = "Idempotency-Replayed"
REPLAY: Mapping[str, Any] = {
    _REPLAYED: {
        "description": "true where an earlier request with the same Idempotency-Key submitted the job.",
        "schema": {"type": "string", "enum": ["true"]},
    }
}
ENDED: Mapping[int | str, dict[str, Any]] = {200: {"model": Job, "description": "It has ended."}}


def terms_of(
    request: Request,
    caller: Caller,
    *,
    priority: Priority = "normal",
    webhook: str | None = None,
    tags: Mapping[str, str] | None = None,
) -> Terms:
    """Return the terms that a job takes from its request.

    Raises:
        InvalidInput: the webhook may not be called.
    """
    if webhook:
        api_of(request).service.check_webhook(webhook)
    return Terms(
        caller=caller.id,
        priority=priority,
        webhook=webhook or "",
        reply=getattr(request.state, "reply_to", None),
        limited=caller.is_limited,
        principals=caller.principals,
        acted_by="" if caller.acting is None else caller.id or LOCAL_CALLER,
        tags=dict(tags or {}),
        request_id=request.state.request_id,
        trace=request.state.trace,
    )


def submit_kind(
    api: Api, request: Request, caller: Caller, kind: str, collection: str, params: Json, key: str | None
) -> JobRecord:
    """Submit a job of a kind without its own terms.

    Raises:
        InvalidInput: the collection or a parameter is wrong.
        Problem: the caller may not use the collection, or too much work is waiting.
    """
    name, terms = caller.collection(collection), terms_of(request, caller)
    with admitted(api, caller, key) as named:
        return api.service.submit(kind, name, params, key=named, terms=terms)


def submitted(
    api: Api, caller: Caller, kind: str, collection: str | None, params: Json, key: str | None
) -> JobRecord | None:
    """Return the job of the same earlier request, which may already have deleted what it names.

    Args:
        api: the API's state.
        caller: the caller.
        kind: kind of the job.
        collection: collection of the job; None for any.
        params: parameters of the job.
        key: the idempotency key of the request.
    """
    record = api.service.jobs.of_key(caller.id, key) if key is not None else None
    if record is None or (record.job.kind, record.job.params) != (kind, params):
        return None
    if key is None or collection not in (None, record.job.collection):
        return None
    caller.submitted[key] = True
    return record


async def respond_with_job(
    api: Api, request: Request, response: Response, record: JobRecord, wait: float, *, ended: int = 200
) -> Job:
    """Return a submitted job's current state, after waiting for its end if requested."""
    response.headers["Location"] = f"{JOBS_PATH}{record.job.id}"
    if any(request.state.seen_by.submitted.values()):
        response.headers[_REPLAYED] = "true"
    if wait > 0:
        await wait_within(api, request, record.job.id, wait)
        record = await run_in_threadpool(api.service.jobs.get, record.job.id)
    if record.ended is not None:
        response.status_code = ended
    caller: Caller = request.state.seen_by
    if not is_looked_up(caller, record):  # no need of a thread
        return seen_job(api, caller, record)
    return await run_in_threadpool(seen_job, api, caller, record)


async def wait_within(api: Api, request: Request, name: str, wait: float) -> None:
    """Wait for a job's end, up to the server's limit.

    The wait ends early if the client hangs up or the server stops, and does not begin if too many wait
    already; then the job is returned in its current state.
    """
    caller: str = request.state.caller

    async def is_over() -> bool:
        return AppStatus.should_exit or await request.is_disconnected()

    if api.streams.has_room(caller):
        with api.streams.open(caller):
            await wait_for_end(api.waiting, name, min(wait, api.settings.api_wait), is_over)


@asynccontextmanager
async def leaving(request: Request, stop: Callable[[], None]) -> AsyncIterator[None]:
    """Stop the thread that the block waits for when the sender of the request no longer waits."""

    async def watch() -> None:
        while not await request.is_disconnected():  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(_LOOK_SECONDS)
        stop()

    watching = asyncio.create_task(watch())
    try:
        yield
    except asyncio.CancelledError:
        stop()
        raise
    finally:
        watching.cancel()
