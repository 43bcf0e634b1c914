"""The Batch API of the offline model: /v1/files and /v1/batches."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from typing import Any

import orjson
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from infra.offline_model.batch_files import MOST_BYTES, BatchFiles, page_of
from infra.offline_model.batch_work import ENDPOINT, Batch, new_batch
from infra.offline_model.switches import Control
from infra.offline_model.wire import Dropped, failed, json_response

Handler = Callable[[Request], Awaitable[Response]]


class Batches:
    """The handlers; their files are forgotten when the process ends or the switches are reset."""

    def __init__(self, control: Control) -> None:
        self._control = control
        self._files = BatchFiles()
        self._batches: dict[str, Batch] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._numbers = itertools.count(1)

    def routes(self) -> list[Route]:
        """Return the routes."""
        handlers: list[tuple[str, str, Handler]] = [
            ("POST", "/v1/files", self.upload),
            ("GET", "/v1/files", self.files),
            ("GET", "/v1/files/{name}", self.file),
            ("DELETE", "/v1/files/{name}", self.delete),
            ("GET", "/v1/files/{name}/content", self.content),
            ("POST", "/v1/batches", self.create),
            ("GET", "/v1/batches", self.batches),
            ("GET", "/v1/batches/{name}", self.batch),
            ("POST", "/v1/batches/{name}/cancel", self.cancel),
        ]
        return [Route(path, self._spoilt(handler), methods=[method]) for method, path, handler in handlers]

    def forget(self) -> None:
        """Forget all files and batches."""
        for task in list(self._tasks):
            task.cancel()
        self._batches.clear()
        self._files.forget()

    def _spoilt(self, handler: Handler) -> Handler:
        """Return the handler with configured failures; a dropped request is still executed."""

        async def answer(request: Request) -> Response:
            behaviour = self._control.switches.batches
            if not behaviour.served:
                return failed(404, "there is no such route")
            shown = request.url.path.removeprefix("/v1/").split("/")[0]
            self._control.record.counts[f"{request.method} {shown}"] += 1
            failure = behaviour.fail_requests.pop(0) if behaviour.fail_requests else None
            if failure in ("429", "500"):
                return failed(int(failure), "it failed, as told", self._control.switches.retry_after)
            response = await handler(request)
            return Dropped(bytes(response.body)) if failure == "drop" else response

        return answer

    async def upload(self, request: Request) -> Response:
        """POST /v1/files."""
        async with request.form(max_part_size=MOST_BYTES) as form:
            upload, purpose = form.get("file"), form.get("purpose")
            if not isinstance(upload, UploadFile) or purpose != "batch":
                return failed(400, "a file is needed, with the purpose batch")
            if (upload.size or 0) > MOST_BYTES:
                return failed(413, f"at most {MOST_BYTES} bytes are allowed")
            return _respond(await self._files.take(upload, str(purpose)))

    async def files(self, request: Request) -> Response:
        """GET /v1/files, newest first."""
        params = request.query_params
        files = self._files.all(params.get("purpose"))
        return _respond(page_of(files, params.get("after"), params.get("limit")))

    async def file(self, request: Request) -> Response:
        """GET /v1/files/NAME."""
        file = self._files.get(request.path_params["name"])
        return _respond(file) if file else _unknown("file", request)

    async def content(self, request: Request) -> Response:
        """GET /v1/files/NAME/content."""
        name = request.path_params["name"]
        if not self._files.get(name):
            return _unknown("file", request)
        return FileResponse(self._files.path(name), media_type="application/octet-stream")

    async def delete(self, request: Request) -> Response:
        """DELETE /v1/files/NAME."""
        name = request.path_params["name"]
        gone = self._files.delete(name)
        return (
            _respond({"id": name, "object": "file", "deleted": True}) if gone else _unknown("file", request)
        )

    async def create(self, request: Request) -> Response:
        """POST /v1/batches."""
        try:
            body = orjson.loads(await request.body())
            wrong = body["endpoint"] != ENDPOINT or body["completion_window"] != "24h"
            known = self._files.get(body["input_file_id"])
        except (orjson.JSONDecodeError, KeyError, TypeError):
            return failed(400, "input_file_id, endpoint and completion_window are needed")
        if wrong or not known:
            return failed(400, f"a known file, {ENDPOINT} and 24h are allowed")
        behaviour = self._control.switches.batches
        if behaviour.most is not None and len(self._waiting()) >= behaviour.most:
            return failed(
                429, f"{behaviour.most} batches are allowed at a time", self._control.switches.retry_after
            )
        name = f"batch_{next(self._numbers):08d}"
        batch = Batch(
            new_batch(name, body, behaviour.window), self._control, self._files, lambda: self._tokens(name)
        )
        self._batches[name] = batch
        task = asyncio.create_task(batch.run())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return _respond(batch.told)

    def _waiting(self) -> list[Batch]:
        return [batch for batch in self._batches.values() if not batch.ended]

    def _tokens(self, but: str) -> int:
        return sum(batch.tokens for batch in self._waiting() if batch.told["id"] != but)

    async def batches(self, request: Request) -> Response:
        """GET /v1/batches, newest first."""
        batches = [batch.told for batch in reversed(self._batches.values())]
        return _respond(
            page_of(batches, request.query_params.get("after"), request.query_params.get("limit"))
        )

    async def batch(self, request: Request) -> Response:
        """GET /v1/batches/NAME."""
        batch = self._batches.get(request.path_params["name"])
        return _respond(batch.told) if batch else _unknown("batch", request)

    async def cancel(self, request: Request) -> Response:
        """POST /v1/batches/NAME/cancel."""
        batch = self._batches.get(request.path_params["name"])
        if batch is None:
            return _unknown("batch", request)
        if batch.ended:
            return failed(409, f"the batch is {batch.told['status']}")
        batch.cancel()
        return _respond(batch.told)


def _respond(what: dict[str, Any]) -> Response:
    return json_response(orjson.dumps(what))


def _unknown(what: str, request: Request) -> Response:
    return failed(404, f"there is no {what} {request.path_params['name']}")
