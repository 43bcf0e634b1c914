"""Streams a chat completion in pieces, as server-sent events."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import orjson
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from infra.offline_model.switches import Record

_PIECE = 24  # characters of content


def stream_of(completion: bytes, *, usage: bool) -> list[bytes]:
    """Return the events of a completion: its role, its content piece by piece, its end and its usage."""
    whole = orjson.loads(completion)
    token_counts = whole.pop("usage")
    (choice,) = whole.pop("choices")
    whole["object"] = "chat.completion.chunk"
    if usage:
        whole["usage"] = None
    chunks = [_choice({"role": "assistant", "content": ""})]
    chunks += [_choice(delta) for delta in _deltas(choice["message"])]
    chunks.append(_choice({}, choice["finish_reason"]))
    events = [_event(orjson.dumps({**whole, **chunk})) for chunk in chunks]
    last = [_event(orjson.dumps({**whole, "choices": [], "usage": token_counts}))] if usage else []
    return [*events, *last, _event(b"[DONE]")]


def _choice(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def _deltas(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for name in ("content", "refusal"):
        text = message.get(name) or ""
        yield from ({name: text[at : at + _PIECE]} for at in range(0, len(text), _PIECE))
    if "tool_calls" in message:
        yield {"tool_calls": [{"index": at, **call} for at, call in enumerate(message["tool_calls"])]}


def _event(data: bytes) -> bytes:
    return b"data: " + data + b"\n\n"


class Streamed(Response):
    """Sends events one after another; of a cut reply the first half, then the connection is closed.

    Args:
        events: events of the whole reply.
        pause: seconds before each; without one they go together.
        cut: whether the reply is cut.
        record: where the reply counts as being given.
        held: how many of the last events wait.
        released: waits until they may follow.
    """

    media_type = "text/event-stream"

    def __init__(
        self,
        events: list[bytes],
        pause: float,
        record: Record,
        *,
        cut: bool,
        held: int,
        released: Callable[[], Awaitable[None]],
    ) -> None:
        super().__init__(media_type=self.media_type)
        del self.headers["content-length"]
        if cut:  # a length that is promised and not kept lets the server close the connection
            self.headers["content-length"] = str(sum(map(len, events)))
        self._events = events[: len(events) // 2] if cut else events
        self._pause = pause
        self._record = record
        self._held = held
        self._released = released

    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        """Send them."""
        self._record.now += 1
        try:
            await send(
                {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
            )
            first = max(0, len(self._events) - self._held)
            await self._send_parts(self._events[:first], send)
            if self._held:
                await self._released()
                await self._send_parts(self._events[first:], send)
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            self._record.now -= 1

    async def _send_parts(self, events: list[bytes], send: Send) -> None:
        for part in events if self._pause else [b"".join(events)]:
            if self._pause:
                await asyncio.sleep(self._pause)
            await send({"type": "http.response.body", "body": part, "more_body": True})
