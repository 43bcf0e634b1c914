"""Routes for named batches: submit, list, show, pause, resume, cancel, retry, report.

All are for administrators, because no single key owns a named batch.
"""

from __future__ import annotations

import time

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool

from hopline.aio.batches import AsyncBatches
from hopline.errors import InvalidInput, NotFound
from hopline.models.batches import BatchList, BatchStatus, BatchSubmitted
from hopline.models.estimates import Via
from hopline.models.ingestion import IngestionBounds
from hopline.models.jobs import Budget, JobTags, Priority
from hopline.models.metadata import Metadata
from hopline.models.reports import Report
from producer.api.access import Caller
from producer.api.context import Api
from producer.api.paging import page_after
from producer.api.routes.ingestion.places import allowed_places, read_profile
from producer.api.serving import serves
from producer.api.submission import leaving, terms_of
from producer.service.batches.submission import BatchOrder, ListingProgress
from workers.sources.uploads import is_upload

router = APIRouter()

LISTING_SECONDS = 45.0  # clients wait for an answer no longer than a minute


@serves(router, AsyncBatches.submit, 429, status=202)
async def submit_batch(
    api: Api,
    caller: Caller,
    request: Request,
    name: str,
    sources: tuple[str, ...],
    collection: str,
    profile: str | None,
    via: Via,
    priority: Priority,
    webhook: str | None,
    tags: JobTags,
    metadata: Metadata,
    upload: bool | None,
    follow_links: bool,
    bounds: IngestionBounds,
) -> BatchSubmitted:
    """Submit a batch of places that the request may read; stops if the caller no longer waits."""
    for field, value in (("upload", upload), ("follow_links", follow_links)):
        if value and not caller.reads_paths:
            raise InvalidInput(field, value, "false: the server reads its own folders and addresses")
    listing = ListingProgress()
    if not caller.reads_paths and not all(map(is_upload, sources)):
        listing = ListingProgress(most=api.most_listed, until=time.monotonic() + LISTING_SECONDS)

    def submit() -> BatchSubmitted:
        within = caller.collection(collection)
        terms = terms_of(request, caller, priority=priority, webhook=webhook, tags=tags)
        read = read_profile(profile)
        order = BatchOrder(
            name=name,
            **allowed_places(api, caller, sources, uploads=True),
            collection=within,
            via=via,
            metadata=metadata,
            upload=upload,
            follow_links=follow_links,
            **bounds,
        )
        if read is not None:
            reference = api.service.documents.keep_profile(read)
            order = order.model_copy(update={"profile": reference})
        api.queue_bound.check()
        return api.service.batches.submit(order, terms, listing)

    async with leaving(request, listing.leave):
        return await run_in_threadpool(submit)


@serves(router, AsyncBatches.list)
def list_batches(api: Api, caller: Caller, cursor: str, limit: int) -> BatchList:
    """Return the batches that the caller may see."""
    seen = [record for record in api.service.batches.records() if caller.sees(record.collection)]
    names, following = page_after([record.name for record in seen], cursor, limit)
    return BatchList(batches=[api.service.batches.get(name) for name in names], next=following)


@serves(router, AsyncBatches.get, 404)
def show_batch(api: Api, caller: Caller, name: str) -> BatchStatus:
    """Return a batch's status."""
    return api.service.batches.get(_seen(api, caller, name))


@serves(router, AsyncBatches.report, 404)
def show_batch_report(api: Api, caller: Caller, name: str) -> Report:
    """Return a batch's report."""
    return api.service.batches.report(_seen(api, caller, name))


@serves(router, AsyncBatches.pause, 404, 409)
def pause_batch(api: Api, caller: Caller, name: str) -> BatchStatus:
    """Pause a batch."""
    return api.service.batches.pause(_seen(api, caller, name))


@serves(router, AsyncBatches.resume, 404, 409)
def resume_batch(
    api: Api,
    caller: Caller,
    name: str,
    max_cost: float | None,
    max_tokens: int | None,
    max_calls: int | None,
    now: bool,
    between: str | None,
    zone: str,
) -> BatchStatus:
    """Resume a batch."""
    limits = Budget(model_calls=max_calls, tokens=max_tokens, cost=max_cost)
    budget = None if limits == Budget() else limits
    seen = _seen(api, caller, name)
    return api.service.batches.resume(seen, budget=budget, now=now, between=between, zone=zone)


@serves(router, AsyncBatches.retry, 404, 409)
def retry_batch(api: Api, caller: Caller, name: str) -> BatchStatus:
    """Retry a batch."""
    return api.service.batches.retry(_seen(api, caller, name))


@serves(router, AsyncBatches.cancel, 404)
def cancel_batch(api: Api, caller: Caller, name: str) -> BatchStatus:
    """Cancel a batch."""
    return api.service.batches.cancel(_seen(api, caller, name))


def _seen(api: Api, caller: Caller, name: str) -> str:
    """Return the name of a batch that the caller may see.

    Raises:
        NotFound: there is no such batch.
    """
    record = api.service.batches.find(name)
    if record is None or not caller.sees(record.collection):
        raise NotFound(f"no batch {name}: `hopline batches` lists them")
    return name
