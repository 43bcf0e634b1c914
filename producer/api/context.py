"""Shared state of the API's requests, built once per process."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, cast

import redis.asyncio
from fastapi import Depends, Request

from producer.api.admission import QueueBound
from producer.api.streams import Streams
from producer.service.health.readiness import Probes, probes_of

if TYPE_CHECKING:
    from producer.service.service import Service
    from workers.settings import Settings

MOST_LISTED = 10_000  # files
_SPARE = 50  # connections to Redis beside those of waits and streams


@dataclass
class Api:
    """What requests share.

    Args:
        service: what routes call.
        loopback: the server listens on the loopback only, so that it may do without keys.
        most_listed: how many files the places of a batch, or of an estimate, may hold.
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
        """A Redis client for what is awaited: one connection per wait or stream while it lasts."""
        return self.service.waiting_client(self.settings.api_streams + _SPARE)

    @cached_property
    def queue_bound(self) -> QueueBound:
        """What refuses work while too much of it waits."""
        return QueueBound(self.service, self.settings.queue_bound)

    @cached_property
    def probes(self) -> Probes:
        """The probes of servers and workers."""
        return probes_of(self.service.services)

    @cached_property
    def streams(self) -> Streams:
        """How many waits and event streams are open."""
        return Streams(self.settings.api_streams, self.settings.api_streams_of_key)

    async def close(self) -> None:
        """Close what was opened."""
        if "waiting" in self.__dict__:
            await self.waiting.aclose()
        if "probes" in self.__dict__:
            self.probes.close()


def api_of(request: Request) -> Api:
    """Return what this request works with."""
    return cast("Api", request.app.state.api)


async def _context_of(request: Request) -> Api:
    return api_of(request)  # a plain function would be called in a thread, for each request


ApiContext = Annotated[Api, Depends(_context_of)]
