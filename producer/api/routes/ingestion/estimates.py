"""Route for estimates of an ingestion's cost; for administrators."""

from __future__ import annotations

import math
import time

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Request

from hopline.aio.estimates import AsyncEstimates
from hopline.errors import InvalidInput
from hopline.models.estimates import Estimate, Via
from hopline.models.fields import ChunkSizesFields
from producer.api.access import Caller
from producer.api.context import Api
from producer.api.routes.ingestion.places import allowed_places
from producer.api.serving import serves
from producer.api.submission import leaving
from producer.service.batches.estimates import EstimateBounds, EstimateOrder
from workers.sources.uploads import is_upload

router = APIRouter()

_SECONDS = 40.0  # and one more document; clients wait for an answer no longer than a minute
_MOST_SAMPLED = 2000
_AT_A_TIME = CapacityLimiter(1)  # an estimate keeps a core busy


@serves(router, AsyncEstimates.make)
async def estimate_documents(
    api: Api,
    caller: Caller,
    request: Request,
    sources: tuple[str, ...],
    sample: int,
    via: Via,
    latency: float | None,
    dimension: int,
    encoding: str,
    code: bool,
    sizes: ChunkSizesFields,
) -> Estimate:
    """Return an estimate, with limits for requests from elsewhere; stops if the caller no longer waits."""
    bounds = EstimateBounds()
    if not caller.reads_paths:
        most = math.inf if all(map(is_upload, sources)) else api.most_listed
        bounds = EstimateBounds(most, time.monotonic() + _SECONDS)
    if not caller.reads_paths and not 1 <= sample <= _MOST_SAMPLED:
        raise InvalidInput("sample", sample, f"from 1 to {_MOST_SAMPLED:,}")

    def estimate() -> Estimate:
        order = EstimateOrder(
            **allowed_places(api, caller, sources, uploads=True),
            sample=sample,
            via=via,
            latency=latency,
            dimension=dimension,
            encoding=encoding,
            code=code,
            **sizes,
        )
        return api.service.estimates.make(order, bounds)

    async with leaving(request, bounds.leave):
        return await to_thread.run_sync(estimate, limiter=_AT_A_TIME)
