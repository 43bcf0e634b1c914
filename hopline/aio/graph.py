"""The graph: the facts around a name, and what the tools' database holds."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from hopline.aio.noun import AsyncNoun
from hopline.models.collections import CollectionName
from hopline.models.graph import LONGEST_NAME, MOST_FACTS, USUAL_FACTS, Neighbourhood
from hopline.models.graph_schema import GraphSchema
from hopline.models.tools import MOST_RELATIONSHIPS, USUAL_RELATIONSHIPS, ToolsGraph
from hopline.operation import operation

_Id = Annotated[str, Field(min_length=1, max_length=100)]


class AsyncGraph(AsyncNoun):
    """The graph of facts, and the tools' database."""

    @operation("GET", "/v1/graph/neighbourhood", right="read")
    async def neighbourhood(
        self,
        name: Annotated[
            str | None,
            Field(
                min_length=1,
                max_length=LONGEST_NAME,
                description="A key element's full name or alias, or words from its name.",
                examples=["Thomas Telford"],
            ),
        ] = None,
        *,
        element: Annotated[_Id | None, Field(description="A key element's id, instead of its name.")] = None,
        collection: CollectionName = "default",
        document: Annotated[_Id | None, Field(description="Only facts from this document.")] = None,
        limit: Annotated[
            int, Field(ge=1, le=MOST_FACTS, description="Maximum number of facts.")
        ] = USUAL_FACTS,
    ) -> Neighbourhood:
        """Return the facts around a key element, best first, with places, elements and typed relations.

        Facts with a supporting sentence come first, then those stated in most places, then those whose
        sentence contains most of their words. `centre` is null if the collection has nothing with that name.

        Raises:
            InvalidInput: neither a name nor an id is given, or both are.
        """
        raise NotImplementedError

    @operation("GET", "/v1/schema", right="read")
    async def schema(
        self, *, collection: CollectionName | None = None, internal: bool = False, refresh: bool = False
    ) -> GraphSchema:
        """Return the schema of the tools' database: labels, relationship types, properties.

        With a collection, it is the schema that a model sees for it: that of the graph which its documents
        made, if they did.
        """
        raise NotImplementedError

    @operation("GET", "/v1/graph/tools", right="read")
    async def tools(
        self,
        name: Annotated[
            str,
            Field(
                max_length=LONGEST_NAME,
                description="A node's name, title or alias.",
                examples=["Tom Hanks"],
            ),
        ] = "",
        *,
        node: Annotated[str, Field(max_length=100, description="A node's id, instead of its name.")] = "",
        limit: Annotated[
            int, Field(ge=1, le=MOST_RELATIONSHIPS, description="Maximum number of relationships.")
        ] = USUAL_RELATIONSHIPS,
    ) -> ToolsGraph:
        """Return a node's neighbourhood in the tools' own database, or labels and some nodes to start from.

        HOPLINE_TOOLS_NEO4J_URL is its address, and it has no collections; 404 if it is not set.

        Raises:
            NotFound: the tools have no database of their own.
        """
        raise NotImplementedError
