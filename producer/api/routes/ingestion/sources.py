"""Route for what requests may ingest from; for administrators."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from hopline.models.sources import SourcePage
from producer.api.access import Admin
from producer.api.context import ApiContext
from producer.api.problems import documented

router = APIRouter(tags=["batches"])


@router.get("/v1/sources", responses=documented())
def list_sources(
    api: ApiContext,
    _caller: Admin,
    place: Annotated[
        str,
        Query(max_length=2000, description="The address of a folder.", examples=["s3://archive/contracts"]),
    ] = "",
    cursor: Annotated[str, Query(max_length=1000)] = "",
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> SourcePage:
    """List the places that batches, syncs and schedules may name, or what lies in a folder of one."""
    return api.service.sources.page(place, cursor=cursor, limit=limit)
