"""Estimates of what ingesting documents would cost."""

from __future__ import annotations

from typing import Annotated, Unpack

from pydantic import Field

from hopline.aio.noun import AsyncNoun
from hopline.models.estimates import DIMENSION, Estimate, Via
from hopline.models.fields import ChunkSizesFields
from hopline.models.ingestion import Places
from hopline.models.params import EncodingName
from hopline.operation import operation


class AsyncEstimates(AsyncNoun):
    """Estimates of what an ingestion would cost."""

    @operation("POST", "/v1/estimates", right="admin", safe=True)
    async def make(
        self,
        sources: Places,
        *,
        sample: Annotated[
            int,
            Field(
                ge=0,
                description="Maximum number of plain documents to read, and a tenth of that for other "
                "formats: 1 to 2,000. The user who runs the server may give any number; 0 reads all.",
            ),
        ] = 200,
        via: Via = "calls",
        latency: Annotated[
            float | None,
            Field(gt=0, le=3600, description="Seconds that one chat call takes, if known."),
        ] = None,
        dimension: Annotated[
            int, Field(ge=1, le=100_000, description="Number of dimensions of the embedder's vectors.")
        ] = DIMENSION,
        encoding: Annotated[EncodingName, Field(json_schema_extra={"default": ""})] = "",
        code: Annotated[bool, Field(description="Also count source code and configuration.")] = False,
        **sizes: Unpack[ChunkSizesFields],
    ) -> Estimate:
        """Estimate the ingestion of documents in some places: calls, tokens, money, hours, resulting size.

        The documents are listed, and a sample of them is read and counted as ingestion would. No model is
        called and nothing is stored. For places with more than 10,000 files, or samples that take longer than
        40 seconds, run `hopline estimate` on the server.

        Raises:
            InvalidInput: a value is not valid, a place may not be read, or there are too many files.
        """
        raise NotImplementedError
