"""Shared state of the API's requests, built once per process."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, cast

import redis.asyncio
from fastapi import Depends, Request

from producer.api.admission import QueueBound
from producer.api.problems import Problem
from producer.service.health.readiness import Probes, probes_of

if TYPE_CHECKING:
    from producer.service.service import Service
    from workers.settings import Settings

MOST_LISTED = 10_000  # files
_SPARE = 50  # connections to Redis beside those of waits and streams
_RETRY_SECONDS = 2


@dataclass
class Api:
    """State that requests share.

    Args:
        service: the service that routes call.
        loopback: whether the server listens on the loopback only, so that it may need no keys.
        most_listed: maximum number of files in the places of a batch or an estimate.
    """

    service: Service
    loopback: bool
    most_listed: int = MOST_LISTED
    token: str = field(default="", repr=False)  # of this machine's user; "" where nobody has one
    key_needed: bool = False  # there is or was an API key: nobody is the local caller any more

    @property
    def settings(self) -> Settings:
        """The settings."""
        return self.service.services.settings

    @cached_property
    def waiting(self) -> redis.asyncio.Redis:
        """A Redis client for waits and streams, each of which takes a connection while it lasts."""
        return self.service.waiting_client(self.settings.api_streams + _SPARE)

    @cached_property
    def queue_bound(self) -> QueueBound:
        """The bound that refuses work while too much is waiting."""
        return QueueBound(self.service, self.settings.queue_bound)

    @cached_property
    def probes(self) -> Probes:
        """The probes of servers and workers."""
        return probes_of(self.service.services)

    @cached_property
    def streams(self) -> Streams:
        """Counter of open waits and event streams."""
        return Streams(self.settings.api_streams, self.settings.api_streams_of_key)

    async def close(self) -> None:
        """Close all connections."""
        if "waiting" in self.__dict__:
            await self.waiting.aclose()
        if "probes" in self.__dict__:
            self.probes.close()


def api_of(request: Request) -> Api:
    """Return the API's state for this request."""
    return cast("Api", request.app.state.api)


async def _context_of(request: Request) -> Api:
    return api_of(request)  # a plain function would be called in a thread, for each request


ApiContext = Annotated[Api, Depends(_context_of)]


class Streams:
    """Counts open waits and event streams in this process.

    Args:
        most: maximum in total.
        share: maximum per caller.
    """

    def __init__(self, most: int, share: int) -> None:
        self._most = most
        self._share = share
        self._open: Counter[str] = Counter()

    def has_room(self, caller: str) -> bool:
        """Return whether a caller may open another one."""
        return self._open.total() < self._most and self._open[caller] < self._share

    def check(self, caller: str) -> None:
        """Check that a caller may open another one.

        Raises:
            Problem: too many are open.
        """
        if not self.has_room(caller):
            reason = "too many event streams and waits are open; close some, or ask without waiting"
            raise Problem(503, reason, retry_after=_RETRY_SECONDS)

    @contextmanager
    def open(self, caller: str) -> Iterator[None]:
        """Count one as open for the duration of the block."""
        self._open[caller] += 1
        try:
            yield
        finally:
            self._open[caller] -= 1
            if not self._open[caller]:
                del self._open[caller]
