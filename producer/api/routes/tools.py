"""Routes for the graph's tools and schema, without a job."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query

from hopline.models.collections import CollectionName
from hopline.models.graph_schema import GraphSchema
from hopline.models.tools import ToolPacks, ToolResult, Tools, ToolsGraph
from producer.api.access import Caller, Reader
from producer.api.context import ApiContext
from producer.api.problems import Problem, documented
from producer.api.schemas import ToolRequest
from producer.service.graph import LONGEST_NAME
from workers.core.graph.tools_graph import MOST_RELATIONSHIPS, USUAL_RELATIONSHIPS
from workers.tools.builtin.text2cypher import TEXT2CYPHER

router = APIRouter(tags=["tools"])


@router.get("/v1/schema", responses=documented())
def show_schema(
    api: ApiContext,
    caller: Reader,
    *,
    collection: CollectionName | None = None,
    internal: bool = False,
    refresh: bool = False,
) -> GraphSchema:
    """Return the schema of the tools' database: labels, relationship types, properties.

    With a collection: what a model sees over it. Where its documents made a graph of their own, it is that.
    """
    caller.check_unlimited("the schema covers all")
    return api.service.graph.schema(collection, internal=internal, refresh=refresh)


@router.get("/v1/graph/tools", responses=documented(404))
def tools_graph(
    api: ApiContext,
    caller: Reader,
    name: Annotated[
        str,
        Query(max_length=LONGEST_NAME, description="A node's name, title or alias.", examples=["Tom Hanks"]),
    ] = "",
    node: Annotated[str, Query(max_length=100, description="A node's id, instead of its name.")] = "",
    limit: Annotated[
        int, Query(ge=1, le=MOST_RELATIONSHIPS, description="Maximum number of relationships.")
    ] = USUAL_RELATIONSHIPS,
) -> ToolsGraph:
    """Return a node's neighbourhood in the tools' own database, or labels and nodes to begin with.

    HOPLINE_TOOLS_NEO4J_URL is its address, and it belongs to no collection; 404 if there is none.
    """
    caller.check_unlimited("the tools' database belongs to none")
    return api.service.tools.graph(name=name, node=node, limit=limit)


@router.get("/v1/tools", responses=documented())
def list_tools(api: ApiContext, caller: Reader, collection: CollectionName | None = None) -> Tools:
    """List the tools over a collection's graph, each as a chat request of the OpenAI form describes it."""
    return Tools(tools=api.service.tools.all(_where(caller, collection)))


@router.get("/v1/tools/packs", responses=documented())
def list_packs(api: ApiContext, caller: Reader, collection: CollectionName | None = None) -> ToolPacks:
    """List the packs of tools: which are on over a collection's graph and why, or what the graph lacks."""
    return ToolPacks(packs=api.service.tools.packs(_where(caller, collection)))


@router.post("/v1/tools/{name}", responses=documented(413))
def run_tool(
    api: ApiContext,
    caller: Reader,
    name: Annotated[str, Path(max_length=100, examples=["lookup_knowledge"])],
    body: ToolRequest,
) -> ToolResult:
    """Run a tool; return its results with the Cypher that found them."""
    if name == TEXT2CYPHER.name and not caller.key.may("submit"):  # it asks a model, which costs
        raise Problem(403, f"the key {caller.key.name!r} lacks the scope 'submit', which {name} needs")
    arguments: dict[str, Any] = body.arguments
    where = caller.collection(body.collection)
    return api.service.tools.run(name, where, arguments, limited=caller.is_limited)


def _where(caller: Caller, collection: str | None) -> str:
    """Return the requested collection, else one that the caller may use."""
    if collection is not None:
        return caller.collection(collection)
    return min(caller.collections or ("default",))
