"""Route for the places that requests may ingest from; for administrators."""

from __future__ import annotations

from fastapi import APIRouter

from hopline.aio.sources import AsyncSources
from hopline.models.sources import SourcePage
from producer.api.context import Api
from producer.api.serving import serves

router = APIRouter()


@serves(router, AsyncSources.list)
def list_sources(api: Api, place: str, cursor: str, limit: int) -> SourcePage:
    """Return a page of places, or of a folder's contents."""
    return api.service.sources.page(place, cursor=cursor, limit=limit)
