"""Request and response schemas of the API."""

from __future__ import annotations

from pydantic import (
    BaseModel,
    ConfigDict,
)

from hopline.aio.documents import AsyncDocuments
from hopline.operation import operation_of


class Body(BaseModel):
    """Base of request bodies, which refuse unknown fields."""

    model_config = ConfigDict(extra="forbid", frozen=True)


DOCUMENTS_REQUEST = operation_of(AsyncDocuments.submit).body
