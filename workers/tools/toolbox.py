"""The available tools: hopline's own, and those of packs that fit the graph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from hopline.errors import unknown_name
from hopline.models.graph_schema import GraphSchema
from hopline.models.jobs import Json
from hopline.models.tools import PackState, ToolResult
from workers.core.errors import CypherRefused
from workers.tools.builtin.find_connection import FIND_CONNECTION
from workers.tools.builtin.get_character_events import GET_CHARACTER_EVENTS
from workers.tools.builtin.lookup_knowledge import LOOKUP_KNOWLEDGE
from workers.tools.builtin.respond import RESPOND
from workers.tools.builtin.search_memory import SEARCH_MEMORY
from workers.tools.builtin.text2cypher import TEXT2CYPHER
from workers.tools.builtin.track_journey import TRACK_JOURNEY
from workers.tools.pack import Pack
from workers.tools.tool import Tool, ToolPorts

OWN: tuple[Tool[Any], ...] = (
    LOOKUP_KNOWLEDGE,
    FIND_CONNECTION,
    TRACK_JOURNEY,
    GET_CHARACTER_EVENTS,
    SEARCH_MEMORY,
    TEXT2CYPHER,
    RESPOND,
)


class Toolbox:
    """Tools by name, in the order in which they are offered.

    Args:
        tools: the tools; a later one replaces an earlier one with the same name.
        packs: packs whose tools are added likewise, if the graph has what they need.
        named: how packs stand that a setting switches on or off, whatever the graph has.
    """

    def __init__(
        self, tools: Iterable[Tool[Any]] = OWN, packs: Iterable[Pack] = (), named: Iterable[PackState] = ()
    ) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._packs = tuple(packs)
        self.named = tuple(named)

    def __iter__(self) -> Iterator[Tool[Any]]:
        return iter(self._tools.values())

    def __contains__(self, name: str) -> bool:
        return name in self._tools

    def __getitem__(self, name: str) -> Tool[Any]:
        """Return a tool, also one of a pack that may be off.

        Raises:
            InvalidInput: there is none of this name.
        """
        held = {tool.name: tool for pack in self._packs for tool in pack.tools} | self._tools
        if name not in held:
            raise unknown_name("tool", name, held)
        return held[name]

    @property
    def depends_on_graph(self) -> bool:
        """Whether packs switch themselves on and off."""
        return bool(self._packs)

    def packs(self, ports: ToolPorts) -> list[PackState]:
        """Return the state of the packs that depend on the graph.

        Raises:
            DependencyAway: the database cannot be reached.
        """
        return [pack.state(_schema(ports)) for pack in self._packs]

    def fitted(self, ports: ToolPorts) -> Toolbox:
        """Return the tools with those of the packs that are on over this graph, barred ones included.

        Raises:
            DependencyAway: the database cannot be reached.
        """
        if not self._packs:
            return self
        schema = _schema(ports)
        fitting = (pack.tools for pack in self._packs if pack.state(schema).on)
        return Toolbox([*self, *(tool for tools in fitting for tool in tools)])

    def over(self, ports: ToolPorts) -> Toolbox:
        """Return the tools that may be used over this graph: those to offer to a model.

        Raises:
            DependencyAway: the database cannot be reached.
        """
        return Toolbox(tool for tool in self.fitted(ports) if not (tool.barred and tool.barred(ports)))

    def descriptions(self, ports: ToolPorts | None = None) -> list[Json]:
        """Return the `tools` of an OpenAI chat request, with the values of a graph."""
        return [tool.described(ports) for tool in self]

    def run(self, name: str, arguments: Mapping[str, Any], ports: ToolPorts) -> ToolResult:
        """Run a tool; see `Tool.run`.

        Raises:
            InvalidInput: there is no such tool, or it has no such argument.
            CypherRefused: the tool's pack is inactive for this graph; the message says what the graph lacks.
        """
        packed = [(pack, tool) for pack in self._packs for tool in pack.tools if tool.name == name]
        if not packed:
            return self[name].run(arguments, ports)
        pack, tool = packed[0]
        state = pack.state(_schema(ports))
        if not state.on and name not in self._tools:
            raise CypherRefused(f"{name} belongs to the pack {pack.name}, which is off: {state.why}")
        return (tool if state.on else self._tools[name]).run(arguments, ports)


def _schema(ports: ToolPorts) -> GraphSchema:
    """Return the schema of the collection's graph; a foreign graph has no collections."""
    source = ports.schema_source
    return source.of_collection(ports.collection) if ports.is_own else source.schema()
