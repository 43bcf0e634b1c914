"""Bridges a Redis outage for the runner: steps do not fail, and results are recorded afterwards."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import redis
import structlog

from hopline.errors import DependencyAway

log = structlog.get_logger()

REDIS_AWAY = (redis.ConnectionError, redis.TimeoutError)
_PAUSE_SECONDS = 0.5  # after a client that has been patient already

Reply = TypeVar("Reply")


def outage_of(error: Exception) -> Exception:
    """Translate a connection error of the Redis client into DependencyAway; other errors are unchanged."""
    if isinstance(error, REDIS_AWAY):
        return DependencyAway(f"Redis is unavailable: {error}", dependency="redis")
    return error


def outlast(call: Callable[[], Reply]) -> Reply:
    """Repeat a call until Redis responds, however long that takes; the item's lease is renewed meanwhile."""
    while True:
        try:
            return call()
        except REDIS_AWAY as error:
            log.warning("redis.away", error=str(error))
            time.sleep(_PAUSE_SECONDS)
