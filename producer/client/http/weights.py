"""Client calls for weights of tenants, over HTTP."""

from __future__ import annotations

from producer.client.http.connection import HttpPart, read_answer
from workers.core.jobs.weights import Tenant, Weight, WeightList

_PATH = "/v1/weights"


class HttpWeights(HttpPart):
    """Weights over HTTP; see `producer.client.link.WeightsLink`."""

    def all(self) -> tuple[Weight, ...]:
        """Return all weights, by kind and name."""
        return read_answer(WeightList, self._connection.get(_PATH)).weights

    def set(self, kind: Tenant, name: str, weight: float | None) -> tuple[Weight, ...]:
        """Set a weight, or take it away; return all weights."""
        body = {"kind": kind, "name": name, "weight": weight}
        return read_answer(WeightList, self._connection.request("PUT", _PATH, json=body)).weights
