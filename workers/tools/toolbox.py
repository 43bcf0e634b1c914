"""The tools that there are: hopline's own, and those of the packs that are set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from workers.core.errors import unknown_name
from workers.core.work import Json
from workers.tools.find_connection import FIND_CONNECTION
from workers.tools.get_character_events import GET_CHARACTER_EVENTS
from workers.tools.lookup_knowledge import LOOKUP_KNOWLEDGE
from workers.tools.respond import RESPOND
from workers.tools.search_memory import SEARCH_MEMORY
from workers.tools.text2cypher import TEXT2CYPHER
from workers.tools.tool import Tool, ToolPorts, ToolResult
from workers.tools.track_journey import TRACK_JOURNEY

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
        tools: a later one of the same name takes an earlier one's place.
    """

    def __init__(self, tools: Iterable[Tool[Any]] = OWN) -> None:
        self._tools = {tool.name: tool for tool in tools}

    def __iter__(self) -> Iterator[Tool[Any]]:
        return iter(self._tools.values())

    def __contains__(self, name: str) -> bool:
        return name in self._tools

    def __getitem__(self, name: str) -> Tool[Any]:
        """Return a tool.

        Raises:
            InvalidInput: there is none of this name.
        """
        if name not in self._tools:
            raise unknown_name("tool", name, self._tools)
        return self._tools[name]

    def over(self, ports: ToolPorts) -> Toolbox:
        """Return the tools that may be used over this graph: those to offer to a model.

        Raises:
            DependencyAway: the database cannot be reached.
        """
        return Toolbox(tool for tool in self if not (tool.barred and tool.barred(ports)))

    def descriptions(self) -> list[Json]:
        """Return what a chat request of the OpenAI form takes as `tools`."""
        return [tool.description for tool in self]

    def run(self, name: str, given: Mapping[str, Any], ports: ToolPorts) -> ToolResult:
        """Run a tool; see `Tool.run`.

        Raises:
            InvalidInput: there is no such tool, or an argument is none of its.
        """
        return self[name].run(given, ports)
