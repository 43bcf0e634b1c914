"""Routes for the graph's tools, without a job."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from hopline.aio.tools import AsyncTools
from hopline.models.tools import ToolList, ToolPacks, ToolResult
from producer.api.access import Caller
from producer.api.context import Api
from producer.api.problems import Problem
from producer.api.serving import serves
from workers.tools.builtin.text2cypher import TEXT2CYPHER

router = APIRouter()


@serves(router, AsyncTools.list)
def list_tools(api: Api, caller: Caller, collection: str | None) -> ToolList:
    """Return the tools."""
    return ToolList(tools=api.service.tools.all(_where(caller, collection)))


@serves(router, AsyncTools.packs)
def list_packs(api: Api, caller: Caller, collection: str | None) -> ToolPacks:
    """Return the packs of tools."""
    return ToolPacks(packs=api.service.tools.packs(_where(caller, collection)))


@serves(router, AsyncTools.run, 413)
def run_tool(api: Api, caller: Caller, name: str, arguments: dict[str, Any], collection: str) -> ToolResult:
    """Run a tool."""
    if name == TEXT2CYPHER.name and not caller.key.may("submit"):  # it asks a model, which costs
        raise Problem(403, f"the key {caller.key.name!r} lacks the scope 'submit', which {name} needs")
    where = caller.collection(collection)
    return api.service.tools.run(name, where, arguments, limited=caller.is_limited)


def _where(caller: Caller, collection: str | None) -> str:
    """Return the requested collection, else one that the caller may use."""
    if collection is not None:
        return caller.collection(collection)
    return min(caller.collections or ("default",))
