"""Tools over a collection's graph: list them, say which packs are on, run one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from producer.service.backend import Part
from workers.core.errors import Permanent, Transient
from workers.core.jobs.params import check_collection

if TYPE_CHECKING:
    from workers.core.jobs.work import Json
    from workers.tools.pack import PackState
    from workers.tools.tool import ToolPorts, ToolResult

_DEFAULT = "default"  # the collection whose graph is looked at unless one is named


class Tools(Part):
    """The toolbox of the settings."""

    def all(self, collection: str | None) -> list[Json]:
        """Return the tools that there are over a collection's graph."""
        toolbox = self._services.toolbox
        if not toolbox.depends_on_graph:
            return toolbox.descriptions()
        try:
            return toolbox.fitted(self._ports(collection)).descriptions()
        except (Transient, Permanent):  # without its graph no pack is on
            return toolbox.descriptions()

    def packs(self, collection: str | None) -> list[PackState]:
        """Return which packs of tools are on over a collection's graph, and why."""
        toolbox = self._services.toolbox
        if not toolbox.depends_on_graph:
            return [*toolbox.named]
        return toolbox.packs(self._ports(collection))

    def run(self, name: str, collection: str, arguments: Json, *, limited: bool = False) -> ToolResult:
        """Run a tool; a `limited` caller sees the schemas of its own collections only."""
        toolbox = self._services.toolbox
        toolbox[name].parse(arguments)  # before anything is connected
        ports = self._services.tool_ports(check_collection(collection), limited=limited)
        return toolbox.run(name, arguments, ports)

    def _ports(self, collection: str | None) -> ToolPorts:
        return self._services.tool_ports(check_collection(collection or _DEFAULT))
