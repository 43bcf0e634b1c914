"""Health routes: liveness and readiness, without a key and with little detail."""

from __future__ import annotations

from fastapi import APIRouter, Response

from hopline.aio.server import AsyncServer
from hopline.models.about import Alive, Health, Readiness
from producer.api.context import Api
from producer.api.serving import serves

router = APIRouter()


@serves(router, AsyncServer.live)
async def live() -> Alive:
    """Return that the process is alive."""
    return Alive()


@serves(router, AsyncServer.ready, responses={503: {"model": Readiness, "description": "A part is away."}})
async def ready(api: Api, response: Response) -> Readiness:
    """Return the state of each part; 503 if one is away."""
    readiness = await api.probes.now()
    _tell(response, ready=readiness.ready)
    return readiness


@serves(router, AsyncServer.health, responses={503: {"model": Health, "description": "A part is away."}})
async def health(api: Api, response: Response) -> Health:
    """Return which parts are away; 503 if one is."""
    readiness = await api.probes.now()
    _tell(response, ready=readiness.ready)
    return Health(status="ok" if readiness.ready else "degraded", down=readiness.down)


def _tell(response: Response, *, ready: bool) -> None:
    response.status_code = 200 if ready else 503
    response.headers["Cache-Control"] = "no-store"
