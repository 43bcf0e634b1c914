"""Routes for weights of tenants: which share of the bulk queue an API key or a collection gets."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field

from hopline.models.base import Frozen
from hopline.models.weights import LEAST, MOST, Tenant, WeightList
from producer.api.access import Admin
from producer.api.context import ApiContext
from producer.api.problems import documented

router = APIRouter(tags=["jobs"])

_OF_ALL = "a weight is among all"


class NewWeight(Frozen):
    """A weight to set."""

    kind: Tenant
    name: Annotated[str, Field(min_length=1, max_length=100)]  # a collection's; a key's id or name
    weight: Annotated[float, Field(ge=LEAST, le=MOST)] | None  # null takes it away: then it counts 1


@router.get("/v1/weights", responses=documented())
def list_weights(api: ApiContext, caller: Admin) -> WeightList:
    """List the weights of API keys and collections; what has none counts 1."""
    caller.check_unlimited(_OF_ALL)
    return WeightList(weights=api.service.weights.all())


@router.put("/v1/weights", responses=documented(404))
def set_weight(api: ApiContext, caller: Admin, tenant: NewWeight) -> WeightList:
    """Set the weight of an API key or a collection in bulk work: of twice the weight is twice the share."""
    caller.check_unlimited(_OF_ALL)
    return WeightList(weights=api.service.weights.set(tenant.kind, tenant.name, tenant.weight))
