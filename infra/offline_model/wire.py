"""Builds replies in the form of the OpenAI API, valid and broken."""

from __future__ import annotations

import itertools
from typing import Any

import orjson
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

_BYTES_PER_TOKEN = 4  # of English JSON, roughly; counting would cost more than reading
_numbers = itertools.count(1)


def completion(content: str, prompt_bytes: int, *, refused: bool = False) -> bytes:
    """Return a chat completion."""
    message: dict[str, Any] = {"role": "assistant", "content": content, "refusal": None}
    if refused:
        message |= {"content": None, "refusal": "I cannot help with that."}
    return _completed(message, len(content), prompt_bytes)


def tool_calls(calls: list[dict[str, Any]], prompt_bytes: int) -> bytes:
    """Return a chat completion that calls tools; without any it says nothing."""
    message: dict[str, Any] = {"role": "assistant", "content": None, "refusal": None}
    if calls:
        message["tool_calls"] = calls
    return _completed(message, len(orjson.dumps(calls)), prompt_bytes)


def _completed(message: dict[str, Any], size: int, prompt_bytes: int) -> bytes:
    finish = "tool_calls" if "tool_calls" in message else "stop"
    prompt, reply = prompt_bytes // _BYTES_PER_TOKEN, max(1, size // _BYTES_PER_TOKEN)
    return orjson.dumps(
        {
            "id": f"offline-{next(_numbers)}",
            "object": "chat.completion",
            "created": 0,
            "model": "offline",
            "choices": [{"index": 0, "message": message, "finish_reason": finish}],
            "usage": {"prompt_tokens": prompt, "completion_tokens": reply, "total_tokens": prompt + reply},
        }
    )


def embeddings(rows: list[str] | list[list[float]], model: str, size: int) -> bytes:
    """Return a list of embeddings, in base64 or as numbers."""
    data = [{"object": "embedding", "index": place, "embedding": row} for place, row in enumerate(rows)]
    tokens = size // _BYTES_PER_TOKEN
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return orjson.dumps({"object": "list", "data": data, "model": model, "usage": usage})


def failed(status: int, reason: str, retry_after: float | None = None) -> Response:
    """Return an error as the API words it."""
    headers = {} if retry_after is None else {"Retry-After": f"{retry_after:g}"}
    error = {"error": {"message": reason, "type": "offline_model", "param": None, "code": None}}
    return json_response(orjson.dumps(error), status, headers)


def json_response(content: bytes, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """Return a response with this JSON."""
    return Response(content, status, headers, media_type="application/json")


class Dropped(Response):
    """A reply whose connection is lost in the middle of its body."""

    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        """Send half of the announced length; the server then closes the connection."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        half = bytes(self.body[: len(self.body) // 2])
        await send({"type": "http.response.body", "body": half, "more_body": False})
