"""Weights of tenants: the share of the bulk queue that an API key or a collection gets."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from hopline.aio.noun import AsyncNoun
from hopline.allowed_values import InWords
from hopline.models.weights import LEAST, MOST, Tenant, WeightList
from hopline.operation import operation


class AsyncWeights(AsyncNoun):
    """Weights of API keys and collections."""

    @operation("GET", "/v1/weights", right="admin")
    async def list(self) -> WeightList:
        """List the weights of API keys and collections; the default is 1."""
        raise NotImplementedError

    @operation("PUT", "/v1/weights", right="admin")
    async def set(
        self,
        kind: Tenant,
        name: Annotated[
            str,
            Field(
                min_length=1, max_length=100, description="The collection's name, or the key's id or name."
            ),
        ],
        weight: Annotated[
            Annotated[float, Field(ge=LEAST, le=MOST), InWords(f"a number from {LEAST:g} to {MOST:g}")]
            | None,
            Field(description="The new weight; null removes it, which means 1."),
        ],
    ) -> WeightList:
        """Set the weight of an API key or a collection in bulk work; twice the weight gets twice the share.

        Returns:
            All weights.

        Raises:
            InvalidInput: a value is not valid, or several keys have that name.
            NotFound: there is no such key, or no weight to remove.
        """
        raise NotImplementedError
