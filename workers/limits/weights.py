"""Stores the weights of tenants, next to the queue that they share."""

from __future__ import annotations

from typing import cast

import redis

from hopline.models.weights import Tenant, Weight
from workers.telemetry.queues import WEIGHTS


class Weights:
    """The weights; a change applies from the next released message on.

    Args:
        broker: a client of the broker's Redis with `decode_responses`.
    """

    def __init__(self, broker: redis.Redis) -> None:
        self._client = broker

    def all(self) -> tuple[Weight, ...]:
        """Return all weights, by kind and name."""
        stored = cast("dict[str, str]", self._client.hgetall(WEIGHTS))
        return tuple(_weight(tenant, weight) for tenant, weight in sorted(stored.items()))

    def set(self, kind: Tenant, name: str, weight: float) -> None:
        """Set a tenant's weight."""
        self._client.hset(WEIGHTS, f"{kind} {name}", repr(float(weight)))

    def clear(self, kind: Tenant, name: str) -> bool:
        """Remove a tenant's weight; False if it has none."""
        return bool(self._client.hdel(WEIGHTS, f"{kind} {name}"))


def _weight(tenant: str, weight: str) -> Weight:
    kind, _, name = tenant.partition(" ")
    return Weight.read_stored({"kind": kind, "name": name, "weight": weight})
