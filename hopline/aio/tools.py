"""Tools over a collection's graph."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from hopline.aio.noun import AsyncNoun
from hopline.models.collections import CollectionName
from hopline.models.tools import ToolList, ToolPacks, ToolResult
from hopline.operation import operation


class AsyncTools(AsyncNoun):
    """Tools and their packs."""

    @operation("GET", "/v1/tools", right="read")
    async def list(self, *, collection: CollectionName | None = None) -> ToolList:
        """List the tools for a collection's graph, described as in OpenAI's chat requests."""
        raise NotImplementedError

    @operation("GET", "/v1/tools/packs", right="read")
    async def packs(self, *, collection: CollectionName | None = None) -> ToolPacks:
        """List the packs of tools: which are active for a collection's graph, and why or why not."""
        raise NotImplementedError

    @operation("POST", "/v1/tools/{name}", right="read")
    async def run(
        self,
        name: Annotated[str, Field(max_length=100, examples=["lookup_knowledge"])],
        arguments: Annotated[dict[str, Any], Field(examples=[{"question": "Who is Mara?"}])] = {},  # noqa: B006 - nobody changes it
        *,
        collection: CollectionName = "default",
    ) -> ToolResult:
        """Run a tool and return its results with the Cypher that found them.

        Raises:
            InvalidInput: there is no such tool, or an argument is not valid.
            AccessDenied: the tool calls a model, and the key lacks the right submit.
        """
        raise NotImplementedError
