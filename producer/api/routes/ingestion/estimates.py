"""Route for estimates: what documents would take, before they are ingested; for administrators."""

from __future__ import annotations

import time

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter

from hopline.aio.estimates import AsyncEstimates
from hopline.models.estimates import Estimate, Via
from hopline.models.fields import ChunkSizesFields
from producer.api.context import Api
from producer.api.routes.ingestion.places import allowed_places
from producer.api.serving import serves
from producer.service.batches.estimates import EstimateBounds, EstimateOrder

router = APIRouter()

_SECONDS = 40.0  # and one more document; clients wait for an answer no longer than a minute
_AT_A_TIME = CapacityLimiter(1)  # an estimate keeps a core busy


@serves(router, AsyncEstimates.make)
async def estimate_documents(
    api: Api,
    sources: tuple[str, ...],
    sample: int,
    via: Via,
    latency: float | None,
    dimension: int,
    sizes: ChunkSizesFields,
) -> Estimate:
    """Return an estimate of places that requests may read."""

    def estimate() -> Estimate:
        order = EstimateOrder(
            sources=allowed_places(api, sources),
            confined=True,
            sample=sample,
            via=via,
            latency=latency,
            dimension=dimension,
            **sizes,
        )
        return api.service.estimates.make(order, EstimateBounds(api.most_listed, time.monotonic() + _SECONDS))

    return await to_thread.run_sync(estimate, limiter=_AT_A_TIME)
