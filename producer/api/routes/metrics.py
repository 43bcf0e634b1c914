"""Route that serves the metrics to Prometheus."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from producer.api.access import Admin
from producer.api.context import ApiContext
from producer.api.problems import documented
from producer.service.health.exposition import MEDIA_TYPE

router = APIRouter(tags=["server"])


@router.get(
    "/metrics",
    response_class=Response,
    responses={
        200: {
            "description": "Prometheus's text format.",
            "content": {"text/plain": {"schema": {"type": "string"}}},
        },
        **documented(),
    },
)
async def metrics(api: ApiContext, caller: Admin) -> Response:
    """Return counts, queue lengths and the status of parts in Prometheus's format.

    Raises:
        Problem: the key is limited to collections, but the numbers cover all of them.
    """
    caller.check_unlimited("metrics are of all")
    parts = (await api.probes.now()).parts
    return Response(await run_in_threadpool(api.service.metrics, parts), media_type=MEDIA_TYPE)
