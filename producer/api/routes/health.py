"""Health routes: liveness and readiness, without a key and with little detail."""

from __future__ import annotations

from fastapi import APIRouter, Response

from hopline.models.about import Alive, Health, Readiness
from producer.api.context import ApiContext

router = APIRouter(tags=["server"])


@router.get("/health/live")
async def live() -> Alive:
    """Return that the process is alive, without further checks."""
    return Alive()


@router.get("/health/ready", responses={503: {"model": Readiness, "description": "A part is away."}})
async def ready(api: ApiContext, response: Response) -> Readiness:
    """Return the state of each part that work needs, with its response time in milliseconds."""
    readiness = await api.probes.now()
    _tell(response, ready=readiness.ready)
    return readiness


@router.get("/health", responses={503: {"model": Health, "description": "A part is away."}})
async def health(api: ApiContext, response: Response) -> Health:
    """Return whether Redis, Neo4j, vectors, the model endpoint and the workers answer."""
    readiness = await api.probes.now()
    _tell(response, ready=readiness.ready)
    return Health(status="ok" if readiness.ready else "degraded", down=readiness.down)


def _tell(response: Response, *, ready: bool) -> None:
    response.status_code = 200 if ready else 503
    response.headers["Cache-Control"] = "no-store"
