"""Defines a tool: its name, purpose, argument schema and result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from hopline.errors import InvalidInput
from hopline.models.base import Frozen
from hopline.models.jobs import Json
from hopline.models.tools import ToolResult
from workers.core.errors import CypherRefused
from workers.core.graph.cypher import CypherReader
from workers.core.graph.schema import SchemaSource
from workers.core.graph.vectors import Vectors
from workers.core.jobs.params import parse_params
from workers.core.ports import Graph, Model
from workers.tools.texts import Language, language_of_call, speaking

Arguments = TypeVar("Arguments", bound=Frozen)


@dataclass(frozen=True)
class ToolPorts:
    """All that a tool may use, and whose nodes it may show."""

    collection: str  # in hopline's own database nodes of another one are never shown; those of none are
    schema_source: SchemaSource
    reader: CypherReader
    graph: Graph
    vectors: Vectors
    model: Model
    language: Language | None = None  # of what is said; None: of the arguments
    limited: bool = False  # who asks may not see other collections

    @property
    def is_own(self) -> bool:
        """Whether the database is hopline's own, in which collections share a graph."""
        return self.schema_source.schema(internal=True).is_own


@dataclass(frozen=True)
class Tool(Generic[Arguments]):
    """Something that a question can be answered with, by a model or by hand.

    Args:
        name: as a model calls it.
        purpose: when to use it, in a sentence or two for a model.
        arguments: their names, types, defaults and descriptions.
        work: does it.
        barred: why it may not be used over this graph, empty where it may; None: it always may.
        values: which values an argument may have in this graph, by argument; None: it is asked of no graph.
    """

    name: str
    purpose: str
    arguments: type[Arguments]
    work: Callable[[Arguments, ToolPorts], ToolResult]
    barred: Callable[[ToolPorts], str] | None = None
    values: Callable[[ToolPorts], Mapping[str, tuple[str, ...]]] | None = None

    @property
    def description(self) -> Json:
        """The tool as an entry of `tools` in a chat request of the OpenAI form."""
        return self.described()

    def described(self, ports: ToolPorts | None = None) -> Json:
        """Return the description; over a graph, an argument's values are those that the graph has."""
        parameters = self.parameters
        for name, values in (self.values(ports) if ports and self.values else {}).items():
            if values:
                parameters["properties"][name]["enum"] = list(values)
        function = {"name": self.name, "description": self.purpose, "parameters": parameters}
        return {"type": "function", "function": function}

    @property
    def parameters(self) -> Json:
        """The JSON schema of the arguments."""
        schema = self.arguments.model_json_schema()
        properties = {name: _plain(argument) for name, argument in schema.get("properties", {}).items()}
        required = schema.get("required", [])
        return {
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": False,
        }

    def parse(self, arguments: Mapping[str, Any]) -> Arguments:
        """Validate arguments; null counts as not given.

        Raises:
            InvalidInput: names the argument, its value and what is allowed.
        """
        stated = {name: value for name, value in arguments.items() if value is not None}
        missing = [name for name in self.parameters["required"] if name not in stated]
        if missing:
            wanted = self.parameters["properties"][missing[0]].get("description", "a value")
            raise InvalidInput(missing[0], None, f"{wanted} (required)")
        return parse_params(self.arguments, stated)

    def run(self, arguments: Mapping[str, Any], ports: ToolPorts) -> ToolResult:
        """Validate the arguments and do the work.

        Raises:
            InvalidInput: as `parse`; also where a value is checked against the graph, as a relation is.
            CypherRefused: the tool is barred from this graph; says why.
            CypherTooLong: the database took longer than it may.
            CypherLost: the connection was lost over a statement that a model wrote.
            DependencyAway: a server cannot be reached.
        """
        params = self.parse(arguments)
        if self.barred and (why := self.barred(ports)):
            raise CypherRefused(why)
        # A pack may offer a tool under a name of its own.
        with speaking(ports.language or language_of_call(arguments)):
            return self.work(params, ports).model_copy(update={"tool": self.name})


def _plain(schema: Json) -> Json:
    """Drop parts that mean nothing to a model: titles, and null for optional arguments."""
    kept = {key: value for key, value in schema.items() if key not in {"title", "anyOf"}}
    for alternative in schema.get("anyOf", []):
        if alternative.get("type") != "null":
            kept |= _plain(alternative)
    if kept.get("default", ...) is None:
        del kept["default"]
    return kept
