"""Route for syncs of collections with places; for administrators."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool

from hopline.aio.syncs import AsyncSyncs
from hopline.models.ingestion import IngestionBounds
from hopline.models.jobs import Job, JobTags, Priority
from hopline.models.params import SyncParams
from producer.api.access import Caller
from producer.api.admission import admitted
from producer.api.context import Api
from producer.api.routes.ingestion.places import allowed_places, read_profile
from producer.api.serving import serves
from producer.api.submission import respond_with_job, terms_of
from workers.core.jobs.params import parse_params
from workers.ledger.records import JobRecord

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
            return api.service.syncs.submit(params, name, named, None, terms)

    record = await run_in_threadpool(submit)
    return await respond_with_job(api, request, response, record, wait)
