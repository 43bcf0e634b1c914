"""Routes for weights of tenants: the share of the bulk queue that an API key or a collection gets."""

from __future__ import annotations

from fastapi import APIRouter

from hopline.aio.weights import AsyncWeights
from hopline.models.weights import Tenant, WeightList
from producer.api.access import Caller
from producer.api.context import Api
from producer.api.serving import serves

router = APIRouter()

_OF_ALL = "a weight is among all"


@serves(router, AsyncWeights.list)
def list_weights(api: Api, caller: Caller) -> WeightList:
    """Return the weights."""
    caller.check_unlimited(_OF_ALL)
    return WeightList(weights=api.service.weights.all())


@serves(router, AsyncWeights.set, 404)
def set_weight(api: Api, caller: Caller, kind: Tenant, name: str, weight: float | None) -> WeightList:
    """Set or remove a weight."""
    caller.check_unlimited(_OF_ALL)
    return WeightList(weights=api.service.weights.set(kind, name, weight))
