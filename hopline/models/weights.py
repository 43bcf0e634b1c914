"""Weights of tenants: how much of the bulk queue each gets while others have work there, too."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from hopline.models.base import Frozen

Tenant = Literal["collection", "key"]
LEAST, MOST = 0.1, 100.0


class Weight(Frozen):
    """The weight of a tenant; one that has none counts 1."""

    kind: Tenant
    name: str  # of the collection; the id of the API key
    weight: float = Field(ge=LEAST, le=MOST)
    called: str = ""  # the key's name; empty where it is revoked


class WeightList(Frozen):
    """All of them, by kind and name."""

    weights: tuple[Weight, ...]
