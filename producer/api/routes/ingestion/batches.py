"""Routes for named batches: submit, list, show, pause, resume, cancel, retry, report.

All are for administrators: a named batch is nobody's in particular.
"""

from __future__ import annotations

import time
from typing import Annotated

from fastapi import APIRouter, Path, Request
from pydantic import Field, StringConstraints

from hopline.allowed_values import InWords
from hopline.errors import NotFound
from hopline.models.batches import BatchList, BatchStatus, BatchSubmitted
from hopline.models.jobs import Budget
from hopline.models.reports import Report
from producer.api.access import Admin, Caller
from producer.api.context import Api, ApiContext
from producer.api.problems import documented
from producer.api.routes.ingestion.requests import NAME_PATTERN, NAME_WORDS, BatchRequest
from producer.api.schemas import Body
from producer.api.submission import terms_of
from producer.service.batches.submission import BatchOrder, ListingProgress

router = APIRouter(tags=["batches"])

LISTING_SECONDS = 45.0  # clients wait for an answer no longer than a minute

_Name = Annotated[
    str,
    StringConstraints(pattern=NAME_PATTERN),
    InWords(f"a batch's name: {NAME_WORDS}"),
    Path(description="As given with `hopline ingest --batch`.", examples=["archive"]),
]


class BatchResumption(Body):
    """How a batch goes on; limits and hours that are not given stay."""

    max_cost: float | None = Field(default=None, gt=0, description="In the currency of the prices.")
    max_tokens: int | None = Field(default=None, ge=1)
    max_calls: int | None = Field(default=None, ge=1)
    now: bool = Field(default=False, strict=True, description="From now on, until its hours end next.")
    between: str | None = Field(
        default=None, max_length=20, description="At these hours only, 22:00-06:00; empty for all."
    )
    zone: str = Field(default="", max_length=60, description="Of these hours; the batch's unless given.")

    @property
    def budget(self) -> Budget | None:
        """The new limits; None where there are none."""
        limits = Budget(model_calls=self.max_calls, tokens=self.max_tokens, cost=self.max_cost)
        return None if limits == Budget() else limits


@router.post("/v1/batches", status_code=202, responses=documented(429))
def submit_batch(api: ApiContext, caller: Admin, request: Request, body: BatchRequest) -> BatchSubmitted:
    """Submit the documents of some places as a named batch; it is listed before the answer.

    The same request again gives the same batch. Places of more than 10,000 files, or that take longer than
    45 seconds to list, are submitted with `hopline ingest --batch`.
    """
    collection = caller.collection(body.collection)
    terms = terms_of(request, caller, priority=body.priority, webhook=body.webhook, tags=body.tags)
    profile = body.read_profile()
    order = BatchOrder(
        **body.model_dump(include=set(BatchOrder.model_fields) - {"sources", "collection", "profile"}),
        sources=body.places(api),
        confined=True,
        collection=collection,
        profile_reference=api.service.documents.keep_profile(profile) if profile else "",
    )
    api.queue_bound.check()
    listing = ListingProgress(most=api.most_listed, until=time.monotonic() + LISTING_SECONDS)
    return api.service.batches.submit(order, terms, listing)


@router.get("/v1/batches", responses=documented())
def list_batches(api: ApiContext, caller: Admin) -> BatchList:
    """List named batches, newest first, as they stand."""
    names = [record.name for record in api.service.batches.records() if caller.sees(record.collection)]
    return BatchList(batches=[api.service.batches.get(name) for name in names])


@router.get("/v1/batches/{name}", responses=documented(404))
def show_batch(api: ApiContext, caller: Admin, name: _Name) -> BatchStatus:
    """Show how a batch stands: documents by status, speed, time left, usage, and why it pauses."""
    return api.service.batches.get(_seen(api, caller, name))


@router.get("/v1/batches/{name}/report", responses=documented(404))
def show_batch_report(api: ApiContext, caller: Admin, name: _Name) -> Report:
    """Show a batch's report; a preliminary one while it runs."""
    return api.service.batches.report(_seen(api, caller, name))


@router.post("/v1/batches/{name}/pause", responses=documented(404, 409))
def pause_batch(api: ApiContext, caller: Admin, name: _Name) -> BatchStatus:
    """Pause a batch: items in progress finish, and nothing new begins."""
    return api.service.batches.pause(_seen(api, caller, name))


@router.post("/v1/batches/{name}/resume", responses=documented(404, 409))
def resume_batch(api: ApiContext, caller: Admin, name: _Name, how: BatchResumption) -> BatchStatus:
    """Resume a batch, with new limits and hours if given; outside its hours it still waits for them."""
    return api.service.batches.resume(
        _seen(api, caller, name), budget=how.budget, now=how.now, between=how.between, zone=how.zone
    )


@router.post("/v1/batches/{name}/retry", responses=documented(404, 409))
def retry_batch(api: ApiContext, caller: Admin, name: _Name) -> BatchStatus:
    """Retry the documents of an ended batch that failed or were not done."""
    return api.service.batches.retry(_seen(api, caller, name))


@router.delete("/v1/batches/{name}", responses=documented(404))
def cancel_batch(api: ApiContext, caller: Admin, name: _Name) -> BatchStatus:
    """Cancel a batch; documents already in the graph stay."""
    return api.service.batches.cancel(_seen(api, caller, name))


def _seen(api: Api, caller: Caller, name: str) -> str:
    """Return the name of a batch that the caller may see.

    Raises:
        NotFound: there is none.
    """
    record = api.service.batches.find(name)
    if record is None or not caller.sees(record.collection):
        raise NotFound(f"no batch {name}")
    return name
