"""Route for syncs of collections with places; for administrators."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool

from hopline.aio.syncs import AsyncSyncs
from hopline.models.ingestion import IngestionBounds
from hopline.models.jobs import Budget, JobTags, Priority
from hopline.models.params import SyncParams
from hopline.models.results import Job
from producer.api.access import Caller
from producer.api.admission import admitted
from producer.api.context import Api
from producer.api.principals.jobs import seen_job
from producer.api.routes.ingestion.places import allowed_places, read_profile
from producer.api.routes.jobs import find_job
from producer.api.serving import serves
from producer.api.submission import respond_with_job, terms_of
from workers.core.jobs.params import parse_params
from workers.core.jobs.records import JobRecord

router = APIRouter()


@serves(router, AsyncSyncs.submit, 409, 429, status=202)
async def submit_sync(
    api: Api,
    caller: Caller,
    request: Request,
    response: Response,
    sources: tuple[str, ...],
    collection: str,
    profile: str | None,
    dry_run: bool,
    most_removed: float,
    priority: Priority,
    webhook: str | None,
    tags: JobTags,
    key: str | None,
    wait: float,
    bounds: IngestionBounds,
) -> Job:
    """Submit a sync of places that requests may read."""

    def submit() -> JobRecord:
        name = caller.collection(collection)
        terms = terms_of(request, caller, priority=priority, webhook=webhook, tags=tags)
        read = read_profile(profile)
        fields = {"dry_run": dry_run, "most_removed": most_removed, **bounds}
        fields |= allowed_places(api, caller, sources)
        params = parse_params(SyncParams, fields)
        if read is not None:
            params = params.model_copy(update={"profile": api.service.documents.keep_profile(read)})
        with admitted(api, caller, key) as named:
            return api.service.syncs.submit(params, name, named, terms)

    record = await run_in_threadpool(submit)
    return await respond_with_job(api, request, response, record, wait)


@serves(router, AsyncSyncs.resume, 404, 409)
def resume_sync(
    api: Api,
    caller: Caller,
    job_id: str,
    max_cost: float | None,
    max_tokens: int | None,
    max_calls: int | None,
    now: bool,
) -> Job:
    """Resume a sync."""
    find_job(api, caller, job_id)
    limits = Budget(model_calls=max_calls, tokens=max_tokens, cost=max_cost)
    api.service.syncs.resume(job_id, budget=None if limits == Budget() else limits, now=now)
    return seen_job(api, caller, find_job(api, caller, job_id))
