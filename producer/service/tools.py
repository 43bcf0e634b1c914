"""Tools for a collection's graph: lists them and their packs, runs one, reads the tools' own database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hopline.errors import InvalidInput, NotFound, Permanent, Transient
from hopline.models.tools import MOST_RELATIONSHIPS, USUAL_RELATIONSHIPS
from producer.service.backend import Part
from workers.core.jobs.params import check_collection

if TYPE_CHECKING:
    from hopline.models.jobs import Json
    from hopline.models.tools import PackState, ToolResult, ToolsGraph
    from workers.tools.tool import ToolPorts

_DEFAULT = "default"  # the collection whose graph is looked at unless one is named


class Tools(Part):
    """The toolbox of the settings."""

    def all(self, collection: str | None) -> list[Json]:
        """Return the tools for a collection's graph."""
        toolbox = self._services.toolbox
        if not toolbox.depends_on_graph:
            return toolbox.descriptions()
        try:
            return toolbox.fitted(self._ports(collection)).descriptions()
        except (Transient, Permanent):  # without its graph no pack is on
            return toolbox.descriptions()

    def packs(self, collection: str | None) -> list[PackState]:
        """Return which packs of tools are active for a collection's graph, and why."""
        toolbox = self._services.toolbox
        if not toolbox.depends_on_graph:
            return [*toolbox.named]
        return toolbox.packs(self._ports(collection))

    def run(self, name: str, collection: str, arguments: Json, *, limited: bool = False) -> ToolResult:
        """Run a tool; a `limited` caller sees only the schemas of its own collections."""
        toolbox = self._services.toolbox
        toolbox[name].parse(arguments)  # before anything is connected
        ports = self._services.tool_ports(check_collection(collection), limited=limited)
        return toolbox.run(name, arguments, ports)

    def graph(self, *, name: str = "", node: str = "", limit: int = USUAL_RELATIONSHIPS) -> ToolsGraph:
        """Return a node's neighbourhood in the tools' own database, by name or id, or nodes to start from.

        Raises:
            InvalidInput: names the field, what was given and what is allowed.
            NotFound: tools have no database of their own, or it is hopline's, whose collections share labels
                and have their own neighbourhoods.
        """
        from workers.tools.surroundings import around, to_begin_with

        if not 1 <= limit <= MOST_RELATIONSHIPS:
            raise InvalidInput("limit", limit, f"1 to {MOST_RELATIONSHIPS}")
        if (ports := self._graph_ports()) is None:
            raise NotFound("tools have no database of their own: set HOPLINE_TOOLS_NEO4J_URL to one")
        if not (name.strip() or node):
            return to_begin_with(ports)
        return around(ports, limit, name=name, node=node)

    def has_graph(self) -> bool:
        """Return whether `graph` shows something; also true while that database is away."""
        try:
            return self._graph_ports() is not None
        except (Transient, Permanent):
            return True

    def _graph_ports(self) -> ToolPorts | None:
        ports = self._services.foreign_ports()
        return None if ports is None or ports.is_own else ports

    def _ports(self, collection: str | None) -> ToolPorts:
        return self._services.tool_ports(check_collection(collection or _DEFAULT))
