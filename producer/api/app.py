"""Assembles the HTTP API: middleware and routes, in the order in which a request passes them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING

from anyio import to_thread
from fastapi import Depends, FastAPI
from fastapi.routing import APIRoute
from starlette.middleware.cors import CORSMiddleware
from starlette_compress import CompressMiddleware, remove_compress_type

from hopline.transport import ACT_AS_HEADER, VERSION_HEADER
from infra.request_log import RequestLog
from producer.api.access import check_sender
from producer.api.body_limit import BodyLimit, refuse_repeated_fields
from producer.api.context import MOST_LISTED, Api
from producer.api.front_door import FrontDoor
from producer.api.openapi import allowed_methods, complete_openapi
from producer.api.page import serve_page
from producer.api.problems import UnexpectedErrors, handle_errors
from producer.api.request_metrics import Metering, describe_request
from producer.api.routes import ROUTERS
from producer.service.startup import reporter_of
from workers.core.server_address import prefix_of

if TYPE_CHECKING:
    from producer.service.service import Service

remove_compress_type("text/event-stream")  # an event is not to wait for others
_THREADS = 64  # calls of servers under way at a time
_DESCRIPTION = """\
Questions in, answers with citations out. Work is submitted as jobs: a request answers at once with the job,
which is read, waited for, followed by its events, cancelled and retried under `/v1/jobs`.

Errors are problem details (RFC 9457) that name the field, the value and what is allowed.
"""


def create_app(
    service: Service,
    *,
    loopback: bool,
    most_listed: int = MOST_LISTED,
    mcp: bool = True,
    observed: bool = True,
    token: str = "",
) -> FastAPI:
    """Return the API over a service.

    Args:
        service: the service that routes call.
        loopback: whether it listens on the loopback only, so that it may need no API keys.
        most_listed: maximum number of files in the places of a batch or an estimate.
        observed: whether requests are logged and metrics are reported.
        token: token of this machine's user (`producer.api.machine`), who needs no API key; "" for none.
        mcp: whether to serve assistants over MCP, whose packages take as long to load as all others.
    """
    api, settings = Api(service, loopback, most_listed, token=token), service.services.settings
    app = FastAPI(
        title="hopline",
        version=version("hopline"),
        summary="Graph question answering with citations.",
        description=_DESCRIPTION,
        lifespan=_lifespan,
        dependencies=[Depends(refuse_repeated_fields)],
        generate_unique_id_function=_operation_id,
        redoc_url=None,
        docs_url=None,
        openapi_url="/openapi.json",
    )
    app.state.api = api
    app.state.observed = observed
    app.state.methods = partial(allowed_methods, app)
    handle_errors(app)
    for router in ROUTERS:
        app.include_router(router)
    serve_page(app)
    app.state.mcp = None
    if mcp:
        from producer.mcp.over_http import McpEndpoint, mcp_route  # noqa: PLC0415 - see `mcp`

        app.state.mcp = McpEndpoint(app, api)
        app.router.routes.append(mcp_route(app.state.mcp))
    origins = frozenset(part.strip() for part in settings.api_origins.split(",") if part.strip())
    app.add_middleware(UnexpectedErrors)
    app.add_middleware(BodyLimit, settings=settings, check=check_sender)
    if origins:
        _allow(app, origins)
    prefix = prefix_of(settings.api_url)
    if observed:  # else the reply stays in this process
        app.add_middleware(CompressMiddleware)
    app.add_middleware(FrontDoor, api=api, origins=origins, prefix=prefix)
    app.add_middleware(Metering)
    if observed:
        app.add_middleware(RequestLog, describe=describe_request)
    complete_openapi(app, prefix)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    to_thread.current_default_thread_limiter().total_tokens = _THREADS
    reporter = reporter_of(app.state.api.service) if app.state.observed else None
    if reporter:
        reporter.start()
    async with app.state.mcp.running() if app.state.mcp else nullcontext():
        yield
    if reporter:
        await to_thread.run_sync(reporter.stop)
    await app.state.api.close()


def _allow(app: FastAPI, origins: frozenset[str]) -> None:
    """Allow pages of other origins to call, if a setting names them."""
    app.add_middleware(
        CORSMiddleware,
        allow_origins=sorted(origins),
        allow_methods=["GET", "POST", "PUT", "PATCH", "DELETE"],
        allow_headers=[
            "Authorization",
            "Content-Type",
            "Idempotency-Key",
            "Last-Event-ID",
            "X-Request-ID",
            "traceparent",
            ACT_AS_HEADER,
            VERSION_HEADER,
        ],
        expose_headers=[
            "Location",
            "Page-Height",
            "Page-Width",
            "Retry-After",
            "X-Request-ID",
            "Idempotency-Replayed",
            VERSION_HEADER,
        ],
    )


def _operation_id(route: APIRoute) -> str:
    return route.name
