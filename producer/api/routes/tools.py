"""Routes for the graph's tools and schema, without a job."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path

from producer.api.access import Caller, Reader
from producer.api.context import ApiContext
from producer.api.problems import Problem, documented
from producer.api.schemas import CollectionName, ToolPacks, ToolRequest, Tools
from workers.core.graph.schema import GraphSchema
from workers.tools.builtin.text2cypher import TEXT2CYPHER
from workers.tools.tool import ToolResult

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
    if caller.is_limited:
        raise Problem(403, "the schema tells of all collections, and the key is limited to some")
    return api.service.graph.schema(collection, internal=internal, refresh=refresh)


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
