"""Route for estimates: what documents would take, before they are ingested; for administrators."""

from __future__ import annotations

import time

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter

from hopline.models.estimates import Estimate
from producer.api.access import Admin
from producer.api.context import Api, ApiContext
from producer.api.problems import documented
from producer.api.routes.ingestion.requests import EstimateRequest
from producer.service.batches.estimates import EstimateBounds, EstimateOrder

router = APIRouter(tags=["batches"])

_SECONDS = 40.0  # and one more document; clients wait for an answer no longer than a minute
_AT_A_TIME = CapacityLimiter(1)  # an estimate keeps a core busy


@router.post("/v1/estimates", responses=documented())
async def estimate_documents(api: ApiContext, _caller: Admin, body: EstimateRequest) -> Estimate:
    """Estimate what the documents of some places would take: calls, tokens, money, hours, resulting size.

    They are listed, and a sample is read and counted as ingestion counts. No model is called and nothing is
    stored. Places of more than 10,000 files, or samples that take longer than 40 seconds, are left to
    `hopline estimate`.
    """
    return await to_thread.run_sync(_estimate, api, body, limiter=_AT_A_TIME)


def _estimate(api: Api, body: EstimateRequest) -> Estimate:
    wanted = body.model_dump(exclude={"sources"})
    order = EstimateOrder(**wanted, sources=body.places(api), confined=True)
    return api.service.estimates.make(order, EstimateBounds(api.most_listed, time.monotonic() + _SECONDS))
