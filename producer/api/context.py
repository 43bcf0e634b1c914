"""Shared state of the API's requests, built once per process."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, cast

import redis.asyncio
from fastapi import Depends, Request

from producer.api.admission import QueueBound
from producer.api.streams import Streams
from producer.service.health.readiness import Probes, probes_of
from producer.service.service import Service

if TYPE_CHECKING:
    from workers.core.jobs.messages import Publisher
    from workers.limits.slots import Slots
    from workers.services import Services
    from workers.settings import Settings

_SPARE = 50  # connections to Redis beside those of waits and streams


@dataclass
class Api:
    """The adapters behind the API.

    Args:
        services: the servers.
        publisher: sends the messages of new jobs.
        loopback: the server listens on the loopback only, so that it may do without keys.
    """

    services: Services
    publisher: Publisher
    loopback: bool
    key_needed: bool = False  # there is or was an API key: nobody is the local caller any more

    @property
    def settings(self) -> Settings:
        """The settings."""
        return self.services.settings

    @cached_property
    def service(self) -> Service:
        """The way into hopline: routes make the same calls as clients."""
        return Service(services=self.services, publisher=self.publisher)

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
        return probes_of(self.services)

    @cached_property
    def slots(self) -> Slots:
        """How many jobs of each key are in flight."""
        return self.service.slots(self.settings.api_jobs_in_flight)

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


ApiContext = Annotated[Api, Depends(api_of)]
