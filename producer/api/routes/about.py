"""Route that describes the server: version, limits, access."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from typing import Any

from fastapi import APIRouter
from redis.exceptions import RedisError

from hopline.aio.server import AsyncServer
from hopline.models.about import About, AboutCaller, SettingList
from hopline.models.formats import ARCHIVES, LINES
from hopline.models.params import QueryBounds
from hopline.models.strategies import strategy_names
from producer.api.access import Caller
from producer.api.context import Api
from producer.api.serving import serves
from workers.sources.formats import FORMATS

router = APIRouter()


@serves(router, AsyncServer.about)
def about(api: Api, caller: Caller) -> About:
    """Return what a page or client needs to know about the server."""
    settings = api.settings
    return About(
        version=version("hopline"),
        access="keys" if caller.id else "local",
        caller=AboutCaller(
            name=caller.key.name,
            scopes=sorted(caller.key.scopes),
            collections=_sorted(caller.collections),
            principals=None if caller.principals is None else list(caller.principals),
            reads_paths=caller.reads_paths,
        ),
        flower_url=settings.flower_url,
        model=settings.strong_model,
        model_trouble=_known(api.service.model_trouble),
        tools_trouble=_known(api.service.tools_trouble),
        tools_graph=caller.principals is None and not caller.is_limited and api.service.tools.has_graph(),
        strategies=list(strategy_names()),
        formats=[*FORMATS, *LINES, *ARCHIVES],
        limits={
            "body_bytes": settings.api_body_bytes,
            "documents": settings.api_documents,
            "lines": settings.api_lines,
            "document_bytes": min(settings.limits.max_document_bytes, settings.api_upload_bytes),
            "wait_seconds": settings.api_wait,
        },
        parameters=_parameters(),
    )


@serves(router, AsyncServer.settings)
def list_settings(api: Api, caller: Caller) -> SettingList:
    """Return the settings."""
    caller.check_unlimited("settings are those of all")
    return SettingList(settings=api.service.settings())


def _known(trouble: Callable[[], str]) -> str:
    """Return a known problem; "" also if Redis, which stores it, is away."""
    with suppress(RedisError):
        return trouble()
    return ""


@cache
def _parameters() -> dict[str, Any]:
    schema = QueryBounds.model_json_schema()
    return {name: schema["properties"][name] for name in QueryBounds.model_fields}


def _sorted(names: frozenset[str] | None) -> list[str] | None:
    return None if names is None else sorted(names)
