"""Client calls for tools and the database's schema, without a job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from producer.client.part import Part

if TYPE_CHECKING:
    from hopline.models.graph_schema import GraphSchema
    from hopline.models.jobs import Json
    from hopline.models.tools import PackState, ToolResult


class Tools(Part):
    """What a client does with tools, and the database's schema."""

    def schema(
        self, collection: str | None = None, *, internal: bool = False, refresh: bool = False
    ) -> GraphSchema:
        """Return the schema of the tools' database: labels, relationship types, properties, what joins what.

        Args:
            collection: instead, as a model sees it over this one: the graph that its documents made, if any.
            internal: with what hopline keeps for itself.
            refresh: read it anew; else it may be a minute old.

        Raises:
            DependencyAway: the database cannot be reached.
        """
        return self._link.graph.schema(collection, internal=internal, refresh=refresh)

    def tools(self, collection: str | None = None) -> list[Json]:
        """Return the tools that there are, each as a chat request of the OpenAI form describes it.

        Args:
            collection: over whose graph; unless given, one that the caller may see. Where the database cannot
                be reached, only those that are always there.

        Raises:
            InvalidInput: a file of a pack is wrong; names file, field, value and what is allowed.
        """
        return self._link.tools.all(collection)

    def tool_packs(self, collection: str | None = None) -> list[PackState]:
        """Return which packs of tools are on over a collection's graph, and why, or what the graph lacks.

        Raises:
            InvalidInput: as `tools`.
            DependencyAway: the database cannot be reached.
        """
        return self._link.tools.packs(collection)

    def tool(self, name: str, /, collection: str = "default", **arguments: Any) -> ToolResult:
        """Run a tool; return its findings with the Cypher and the nodes they come from.

        Args:
            name: of the tool.
            collection: nodes of other collections are not shown.
            **arguments: as `tools` describes them.

        Raises:
            InvalidInput: there is no such tool, or it does not take an argument.
            CypherTooLong: the database took longer than it may.
            DependencyAway: a server cannot be reached.
        """
        return self.run_tool(name, collection, arguments)

    def run_tool(self, name: str, collection: str, arguments: Json) -> ToolResult:
        """Run a tool whose arguments may have any name; else as `tool`."""
        return self._link.tools.run(name, collection, arguments)
