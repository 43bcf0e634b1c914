"""The HTTP interface of the endpoint: paths, JSON, and errors in Qdrant's form."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any

import orjson
import structlog
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from infra.gate import Gate
from infra.local.vectors import operations
from infra.local.vectors.engine import Store
from infra.local.vectors.refusals import Json, Refused, bad_request, require_object
from infra.request_log import RequestLog

_MAX_BODY = 32 * 1024 * 1024  # bytes, as the Qdrant server has it
_API_VERSION = "1.20.0"  # of Qdrant, whose paths these are; the client compares it with its own
_FLUSH_SECONDS = 5.0
_THREADS = 4
_HEALTH = ("/readyz", "/healthz", "/livez")  # open, as a Qdrant server has them
log = structlog.get_logger()

Operation = Callable[[Store, str, Json], Any]
_PATHS: dict[str, dict[str, Operation]] = {
    "/collections": {"GET": operations.list_collections},
    "/collections/{name}": {
        "GET": operations.get_collection,
        "PUT": operations.create_collection,
        "DELETE": operations.delete_collection,
    },
    "/collections/{name}/exists": {"GET": operations.collection_exists},
    "/collections/{name}/index": {"PUT": operations.create_index},
    "/collections/{name}/points": {"PUT": operations.upsert_points, "POST": operations.retrieve_points},
    "/collections/{name}/points/query": {"POST": operations.query_points},
    "/collections/{name}/points/query/batch": {"POST": operations.query_batch},
    "/collections/{name}/points/count": {"POST": operations.count_points},
    "/collections/{name}/points/scroll": {"POST": operations.scroll_points},
    "/collections/{name}/points/delete": {"POST": operations.delete_points},
}


def build_app(store: Store, key: str) -> Starlette:
    """Return the application that serves the store to callers with the key, and flushes and closes it."""
    pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="vectors")

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        stop = threading.Event()
        flusher = threading.Thread(target=_flush_until, args=(stop, store), name="flush")
        flusher.start()
        yield
        stop.set()
        flusher.join()
        pool.shutdown()
        store.close()

    routes = [Route("/", _greet), *(Route(path, _say_ready) for path in _HEALTH)]
    for path, by_method in _PATHS.items():
        routes.append(Route(path, _endpoint(store, pool, by_method), methods=list(by_method)))
    gate = Middleware(Gate, key=key, guards=lambda path: path not in _HEALTH, refuse=_refuse)
    return Starlette(
        routes=routes,
        middleware=[Middleware(RequestLog, quiet=_HEALTH), gate],
        lifespan=lifespan,
        exception_handlers={HTTPException: _refuse_path},
    )


def _flush_until(stop: threading.Event, store: Store) -> None:
    while not stop.wait(_FLUSH_SECONDS):
        try:
            store.flush()
        except Exception:  # the engine raises nothing finer; the log on disk still holds the writes
            log.exception("flush.failed")
        try:
            store.keep()
        except Exception:  # searches are answered without it
            log.exception("memory.failed")


def _endpoint(
    store: Store, pool: ThreadPoolExecutor, by_method: dict[str, Operation]
) -> Callable[[Request], Awaitable[Response]]:
    async def serve(request: Request) -> Response:
        operation = by_method["GET" if request.method == "HEAD" else request.method]
        name = request.path_params.get("name", "")
        body = await _read_body(request)
        # Off the event loop, so that health checks are answered while a large upsert is parsed.
        return await asyncio.get_running_loop().run_in_executor(pool, _run, operation, store, name, body)

    return serve


async def _read_body(request: Request) -> bytes | None:
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > _MAX_BODY:
            return None
        parts.append(part)
    return b"".join(parts)


def _run(operation: Operation, store: Store, name: str, body: bytes | None) -> Response:
    began = time.perf_counter()
    try:
        result = operation(store, name, _parse(body))
        content = {"result": result, "status": "ok", "time": time.perf_counter() - began}
        return Response(orjson.dumps(content), media_type="application/json")
    except Refused as refused:
        return _error(refused.status, refused.text, began)
    except (ValueError, TypeError, OverflowError) as error:  # the engine on values that it cannot take
        return _error(400, f"Wrong input: {error}", began)
    except Exception as error:  # the engine raises nothing finer
        log.exception("operation.failed", operation=operation.__name__, collection=name)
        return _error(500, f"Service internal error: {error}", began)


def _parse(body: bytes | None) -> Json:
    if body is None:
        raise Refused(413, f"the body is larger than {_MAX_BODY} bytes")
    if not body:
        return {}
    try:
        return require_object(orjson.loads(body), "the body")
    except orjson.JSONDecodeError as error:
        raise bad_request(f"the body is not JSON: {error}") from None


def _error(status: int, text: str, began: float) -> Response:
    content = {"status": {"error": text}, "time": time.perf_counter() - began}
    return Response(orjson.dumps(content), status_code=status, media_type="application/json")


def _refuse(status: int, text: str) -> Response:
    return _error(status, text, time.perf_counter())


async def _greet(_request: Request) -> Response:
    content = {"title": "hopline local vectors (qdrant-edge)", "version": _API_VERSION}
    return Response(orjson.dumps(content), media_type="application/json")


async def _say_ready(_request: Request) -> Response:
    return Response("all shards are ready", media_type="text/plain")


async def _refuse_path(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    text = f"{request.method} {request.url.path} is not supported by this local endpoint"
    return _error(status, text, time.perf_counter())
