"""Follows server-sent events, each exactly once, across reconnects."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import Any, cast

import httpx2

from hopline.aio.session import AsyncSession
from hopline.errors import DependencyAway
from hopline.operation import Operation, Sent
from hopline.transport import CONNECT, SILENCE

PATIENCE = 60.0  # seconds; a server that is away for longer is reported
BACKOFF = 0.3  # seconds before a stream is opened again that brought nothing, or could not be opened
HEARTBEAT = "heartbeat"  # the name of an event without an id, which only whoever asks for it is sent
_LAST = "Last-Event-ID"


async def follow(
    session: AsyncSession,
    operation: Operation,
    given: Mapping[str, Any],
    *,
    timeout: float | None = None,
    patience: float = PATIENCE,
    backoff: float = BACKOFF,
) -> AsyncIterator[Any]:
    """Yield the events of a stream until the server ends it.

    With a heartbeat, None is yielded for each heartbeat, and while the server is away.

    Args:
        session: of the client.
        operation: an operation declared by `hopline.operation.stream`.
        given: its arguments.
        timeout: seconds after which TimeoutError is raised, at the latest with the stream's next sign of
            life; None waits without limit.
        patience: seconds that the server may be away before its error is raised.
        backoff: seconds to wait after a stream that failed or brought nothing.

    Raises:
        NotFound: the job is unknown, or has expired.
        TimeoutError: it has not ended in time.
        DependencyAway: the server was away for longer than the patience.
    """
    sent = operation.request(given)
    beats = given.get("heartbeat") is not None
    deadline = None if timeout is None else time.monotonic() + timeout
    away_since: float | None = None
    while True:
        brought = False
        try:
            async with aclosing(_stream(session, operation, sent, deadline)) as events:
                async for after, event in events:
                    away_since = None
                    if event is not None:
                        brought = True
                        sent = replace(sent, headers={**sent.headers, _LAST: after})
                        yield event
                    elif beats:
                        yield None
        except _NoMore:
            return
        except DependencyAway as error:
            now = time.monotonic()
            away_since = away_since or now
            if now - away_since > patience:
                raise DependencyAway(f"no answer for {patience:g} s: {error}") from error
        _check(deadline)
        if not brought:
            if beats:
                yield None
            await asyncio.sleep(backoff)


async def _stream(
    session: AsyncSession, operation: Operation, sent: Sent, deadline: float | None
) -> AsyncGenerator[tuple[str, Any]]:
    """Yield the events of one connection with their ids, and None when the server answers and for heartbeats.

    Raises:
        _NoMore: everything was read.
    """
    after = sent.headers.get(_LAST, "")
    headers = {"Accept": "text/event-stream", "Cache-Control": "no-store", **sent.headers}
    left = SILENCE if deadline is None else min(SILENCE, max(0.1, deadline - time.monotonic()))
    timeout = httpx2.Timeout(left, connect=min(left, CONNECT))
    async with session.open(replace(sent, headers=headers), timeout) as response:
        if response.status_code == httpx2.codes.NO_CONTENT:
            raise _NoMore
        yield after, None
        response.stream = _Until(cast("httpx2.AsyncByteStream", response.stream), deadline)
        async for message in httpx2.EventSource(response, max_event_size=None):
            if message.event == HEARTBEAT:
                yield after, None
                continue
            # What has no id of its own, a snapshot, comes behind the one before it.
            after = message.id or after
            yield after, operation.returned(name=message.event, data=message.json(), id=after)


class _NoMore(Exception):
    """No more events will come."""


def _check(deadline: float | None) -> None:
    if deadline is not None and time.monotonic() > deadline:
        raise TimeoutError("the work being followed has not ended in time; it continues")


class _Until(httpx2.AsyncByteStream):
    """A stream that stops at the first bytes after a deadline."""

    def __init__(self, stream: httpx2.AsyncByteStream, deadline: float | None) -> None:
        self._stream = stream
        self._deadline = deadline

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._stream:
            yield piece
            _check(self._deadline)

    async def aclose(self) -> None:
        """Close the stream."""
        await self._stream.aclose()
