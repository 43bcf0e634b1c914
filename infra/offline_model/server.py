"""The OpenAI-compatible HTTP API of the offline model."""

from __future__ import annotations

import asyncio
import time
from base64 import b64encode
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import orjson
from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Scope

from infra.gate import Gate
from infra.offline_model.batches import Batches
from infra.offline_model.embedder import Embed
from infra.offline_model.minute import tokens_of
from infra.offline_model.replies import NotForMe, calls_of, content_of, kind_of, material_of, pictures_in
from infra.offline_model.stream import Streamed, stream_of
from infra.offline_model.switches import Behaviour, Control, Failure, Side
from infra.offline_model.wire import Dropped, completion, embeddings, failed, json_response, tool_calls
from infra.request_log import RequestLog
from workers.core.ids import content_hash

_MOST_TEXTS = 2048
_LOOK = 0.02  # seconds between two looks at the switches
_CONTROL, _LOG, _HEALTH = "/control", "/log", "/health"
Answer = Callable[[Request], Awaitable[Response]]


class OfflineModel:
    """The handlers, over one set of switches and one embedder."""

    def __init__(self, control: Control, embed: Embed, log: Path | None = None) -> None:
        self._control = control
        self._embed = embed
        self._batches = Batches(control)
        self._log = log.open("ab", buffering=0) if log else None

    def app(self, key: str | None = None) -> Starlette:
        """Return the ASGI application; its switches and log are for who shows the key."""
        routes = [
            Route("/v1/chat/completions", self.chat, methods=["POST"]),
            Route("/v1/embeddings", self.embeddings, methods=["POST"]),
            *self._batches.routes(),
            Route("/v1/models", self.models),
            Route(_HEALTH, self.health),
        ]
        logged = Middleware(RequestLog, describe=_describe, quiet=(_HEALTH,))
        if key is None:
            return Starlette(routes=routes, middleware=[logged])
        routes += [
            Route(_CONTROL, self.show),
            Route(_CONTROL, self.change, methods=["POST"]),
            Route(_LOG, self.latest),
        ]
        gate = Middleware(Gate, key=key, guards=(_CONTROL, _LOG).__contains__, refuse=failed)
        return Starlette(routes=routes, middleware=[logged, gate])

    async def chat(self, request: Request) -> Response:
        """POST /v1/chat/completions."""
        raw = await request.body()
        record = self._control.record
        try:
            body = _object(raw)
            self._known_format(body)
            self._known_tools(body)
            self._known_stream(body)
            kind = kind_of(body)
            material = material_of(body)
            if pictures_in(body):
                material["on_pictures"] = self._on_pictures()
        except NotForMe as error:
            self._note("refused", None)
            return failed(400, str(error))
        request.state.kind = kind
        over = self._over("chat", tokens_of(body, len(raw), chat=True))
        if over is not None:
            self._note(kind, "429")
            return over
        allowed = self._control.switches.allowed
        if allowed is not None and record.now >= allowed:
            self._note(kind, "429")
            return failed(429, f"{allowed} calls are allowed at a time", self._control.switches.retry_after)
        behaviour = self._control.behaviour("chat", kind)
        failure = self._control.failure(behaviour)
        port = request.client.port if request.client else 0
        self._note(kind, failure, port=port, content=content_hash(str(material.get("text", ""))))
        record.now += 1
        record.most = max(record.most, record.now)
        try:
            return await self._answer_chat(behaviour, failure, kind, material, len(raw), body)
        finally:
            record.now -= 1

    async def _answer_chat(
        self,
        behaviour: Behaviour,
        failure: Failure | None,
        kind: str,
        material: dict[str, Any],
        size: int,
        body: dict[str, Any],
    ) -> Response:
        if failure != "429":
            await self._take_time("chat", behaviour, kind)
        spoilt = self._failed(failure)
        if spoilt is not None:
            return spoilt
        if "tools" in body and failure != "refusal":
            reply = tool_calls(calls_of(material, failure), size)
        else:
            reply = completion(content_of(kind, material, failure), size, refused=failure == "refusal")
        if body.get("stream"):
            usage = bool((body.get("stream_options") or {}).get("include_usage"))
            events, pause = stream_of(reply, usage=usage), behaviour.piece_latency
            return Streamed(
                events,
                pause,
                self._control.record,
                cut=failure == "drop",
                held=behaviour.hold_last,
                released=partial(self._wait_released, kind),
            )
        return Dropped(reply) if failure == "drop" else json_response(reply)

    async def _wait_released(self, kind: str) -> None:
        while self._control.behaviour("chat", kind).hold_last:  # noqa: ASYNC110 - a switch is no event
            await asyncio.sleep(_LOOK)

    async def _take_time(self, side: Side, behaviour: Behaviour, kind: str = "") -> None:
        """Wait for the configured latency, and while calls are held."""
        if behaviour.latency:
            await asyncio.sleep(behaviour.latency)
        while self._control.behaviour(side, kind).hold:  # noqa: ASYNC110 - a switch is no event
            await asyncio.sleep(_LOOK)

    async def embeddings(self, request: Request) -> Response:
        """POST /v1/embeddings."""
        raw = await request.body()
        try:
            body = _object(raw)
            texts = self._texts(body)
        except NotForMe as error:
            return failed(400, str(error))
        over = self._over("embeddings", tokens_of(body, len(raw), chat=False))
        if over is not None:
            self._note("embeddings", "429")
            return over
        behaviour = self._control.behaviour("embeddings")
        failure = self._control.failure(behaviour)
        self._note("embeddings", failure, texts=len(texts))
        if failure != "429":
            await self._take_time("embeddings", behaviour)
        spoilt = self._failed(failure)
        if spoilt is not None:
            return spoilt
        vectors = await asyncio.to_thread(self._embed, texts)  # MiniLM takes seconds for a batch
        in_base64 = body.get("encoding_format") == "base64"
        rows = [b64encode(row.tobytes()).decode() if in_base64 else row.tolist() for row in vectors]
        reply = embeddings(rows, self._embed.name, len(raw))
        if failure is not None:
            return Dropped(reply) if failure == "drop" else json_response(reply[: len(reply) // 2])
        return json_response(reply)

    def _over(self, side: Side, tokens: int) -> Response | None:
        switches = self._control.switches
        limits = switches.chat_limits if side == "chat" else switches.embedding_limits
        return self._control.record.minutes[side].admit(tokens, limits, switches.retry_after)

    def _texts(self, body: dict[str, Any]) -> list[str]:
        raw_input = body.get("input")
        texts = [raw_input] if isinstance(raw_input, str) else raw_input
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise NotForMe("input: a text or a list of texts is allowed")
        if not texts or len(texts) > _MOST_TEXTS:
            raise NotForMe(f"input: 1 to {_MOST_TEXTS} texts are allowed at a time")
        if body.get("encoding_format") == "base64" and not self._control.switches.base64:
            raise NotForMe("encoding_format: only float is allowed")
        return texts

    def _known_format(self, body: dict[str, Any]) -> None:
        form = (body.get("response_format") or {}).get("type")
        if form not in (None, "text", *self._control.switches.formats):
            raise NotForMe(f"response_format: {form!r} is not supported")

    def _known_tools(self, body: dict[str, Any]) -> None:
        if "tools" not in body:
            return
        if not self._control.switches.tools:
            raise NotForMe("tools is not supported")
        if not isinstance(body["tools"], list) or not all(isinstance(tool, dict) for tool in body["tools"]):
            raise NotForMe("tools: a list of descriptions is allowed")

    def _known_stream(self, body: dict[str, Any]) -> None:
        if body.get("stream") and not self._control.switches.streams:
            raise NotForMe("stream is not supported")

    def _on_pictures(self) -> list[str]:
        if self._control.switches.pictures is None:
            raise NotForMe("this model does not support image input")
        return self._control.switches.pictures

    def _failed(self, failure: Failure | None) -> Response | None:
        if failure == "429":
            return failed(429, "too many requests, as told", self._control.switches.retry_after)
        return failed(500, "the server failed, as told") if failure == "500" else None

    def _note(self, kind: str, failure: Failure | None, *, texts: int = 0, **more: int | str) -> None:
        record = self._control.record
        record.counts[kind] += 1
        if texts:
            record.counts["texts"] += texts
        if failure:
            record.failed[failure] += 1
        entry: dict[str, Any] = {
            "at": time.time(),
            "kind": kind,
            **more,
        }
        entry |= {"failure": failure} if failure else {}
        record.latest.append(entry)
        if self._log:
            self._log.write(orjson.dumps(entry) + b"\n")

    async def models(self, _request: Request) -> Response:
        """GET /v1/models."""
        names = ("offline", self._embed.name)
        data = [{"id": name, "object": "model", "created": 0, "owned_by": "hopline"} for name in names]
        return json_response(orjson.dumps({"object": "list", "data": data}))

    async def health(self, _request: Request) -> Response:
        """GET /health."""
        return json_response(orjson.dumps({"status": "ok", "embedder": self._embed.name}))

    async def show(self, _request: Request) -> Response:
        """GET /control: the switches and what happened."""
        shown = self._control.switches.model_dump() | self._control.record.shown()
        return json_response(orjson.dumps(shown))

    async def change(self, request: Request) -> Response:
        """POST /control: set switches; answers as GET does."""
        try:
            wanted = _object(await request.body())
            self._control.change(wanted)
            if wanted.get("reset"):
                self._batches.forget()
        except (NotForMe, ValidationError) as error:
            return failed(400, str(error))
        return await self.show(request)

    async def latest(self, _request: Request) -> Response:
        """GET /log: the latest requests, oldest first."""
        return json_response(orjson.dumps(list(self._control.record.latest)))


def _describe(scope: Scope, _headers: Headers) -> dict[str, object]:
    """Return the log fields of a request: the schema of the requested reply."""
    kind = scope.get("state", {}).get("kind")
    return {"kind": kind} if kind else {}


def _object(raw: bytes) -> dict[str, Any]:
    try:
        body = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise NotForMe(f"the body is not JSON: {error}") from error
    if not isinstance(body, dict):
        raise NotForMe("the body is not a JSON object")
    return body
