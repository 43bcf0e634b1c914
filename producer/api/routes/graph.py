"""Routes for browsing the graph: the facts around a name, and the tools' database."""

from __future__ import annotations

from fastapi import APIRouter

from hopline.aio.graph import AsyncGraph
from hopline.models.graph import Neighbourhood
from hopline.models.graph_schema import GraphSchema
from hopline.models.tools import ToolsGraph
from producer.api.access import Caller
from producer.api.context import Api
from producer.api.serving import serves

router = APIRouter()


@serves(router, AsyncGraph.neighbourhood)
def neighbourhood(
    api: Api,
    caller: Caller,
    name: str | None,
    element: str | None,
    collection: str,
    document: str | None,
    limit: int,
) -> Neighbourhood:
    """Return the facts around a key element."""
    where = caller.collection(collection)
    return api.service.graph.neighbourhood(where, name=name, element=element, document=document, limit=limit)


@serves(router, AsyncGraph.schema)
def show_schema(
    api: Api, caller: Caller, *, collection: str | None, internal: bool, refresh: bool
) -> GraphSchema:
    """Return the schema of the tools' database."""
    caller.check_unlimited("the schema covers all")
    return api.service.graph.schema(collection, internal=internal, refresh=refresh)


@serves(router, AsyncGraph.tools, 404)
def tools_graph(api: Api, caller: Caller, name: str, node: str, limit: int) -> ToolsGraph:
    """Return a part of the tools' database."""
    caller.check_unlimited("the tools' database belongs to none")
    return api.service.tools.graph(name=name, node=node, limit=limit)
