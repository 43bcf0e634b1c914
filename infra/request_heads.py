"""Limits the time for a request's head, so that silent connections do not pile up."""

from __future__ import annotations

import asyncio
from typing import ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol


class TimedHeads(H11Protocol):
    """uvicorn's protocol, which waits for ever for a first head, and for the rest of any.

    Between two requests its own time limit of idle connections holds. Bodies and replies take their time.
    """

    head_seconds: ClassVar[float] = 20.0
    _over: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first head."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Keep waiting while the head is incomplete; slow bytes do not extend the time limit."""
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._rest()
        elif self._over is None:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._rest()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._over = self.loop.call_later(self.head_seconds, self.transport.abort)

    def _rest(self) -> None:
        if self._over is not None:
            self._over.cancel()
            self._over = None
