"""Weights of tenants: the share of the bulk queue that each gets while others have work, too."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from hopline.models.base import Frozen

Tenant = Literal["collection", "key"]
LEAST, MOST = 0.1, 100.0


class Weight(Frozen):
    """The weight of a tenant; the default is 1."""

    kind: Tenant
    name: str  # of the collection; the id of the API key
    weight: float = Field(ge=LEAST, le=MOST)
    called: str = ""  # the key's name; empty where it is revoked


class WeightList(Frozen):
    """All weights, by kind and name."""

    weights: tuple[Weight, ...]
