"""Defines a tool: its name, purpose, argument schema and result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from hopline.errors import InvalidInput
from hopline.models.base import Frozen
from workers.core.errors import CypherRefused
from workers.core.graph.cypher import CypherReader, Value
from workers.core.graph.schema import SchemaSource
from workers.core.graph.vectors import Vectors
from workers.core.jobs.params import parse_params
from workers.core.jobs.work import Json
from workers.core.ports import Graph, Model
from workers.search.models import Found
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


class Candidate(Frozen):
    """A node that a name may stand for."""

    id: str  # the database's element id
    name: str
    labels: tuple[str, ...]  # without those that only hopline knows
    aliases: tuple[str, ...] = ()
    score: float = 0.0  # of the search by words; comparable between candidates of one name

    @property
    def shown(self) -> str:
        """The name with what it is, as a caller may give it back to mean this one."""
        return f"{self.name} ({self.labels[0]})" if self.labels else self.name


class ToolItem(Frozen):
    """One thing that a tool found, with where it stands."""

    text: str  # as a sentence that can be read alone
    values: tuple[Value, ...]  # in the order of the result's columns
    nodes: tuple[str, ...] = ()  # element ids
    relationships: tuple[str, ...] = ()  # element ids
    fact_id: str | None = None  # the atomic fact that states it, where it came from a document
    chunk_id: str | None = None  # the chunk of the sentence


class ToolResult(Frozen):
    """What a tool brings back."""

    tool: str
    arguments: Json
    columns: tuple[str, ...] = ()
    items: tuple[ToolItem, ...] = ()
    cypher: str | None = None  # what was run for the items; None where nothing was
    parameters: Json = {}
    markdown: str = ""  # for a model and for people
    note: str = ""  # nothing found and why; which of several nodes a name was taken for
    named: tuple[str, ...] = ()  # the nodes that names were taken for, where rows do not tell them
    taken: dict[str, str] = {}  # names that were asked for, by which a node is not known first; its own name
    candidates: tuple[Candidate, ...] = ()  # other nodes that a name may have meant
    cut: str | None = None  # why there may be more
    found: Found | None = None  # of search_memory: chunks and facts with their places in documents

    @property
    def is_empty(self) -> bool:
        """Whether it found nothing, and its note says why."""
        return bool(self.note) and not self.items and not (self.found and self.found.chunks)

    @property
    def rows(self) -> tuple[tuple[Value, ...], ...]:
        """The items' values, in the order of the columns."""
        return tuple(item.values for item in self.items)


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
        """Validate arguments; null stands for one that was not given.

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
    """Drop what says nothing to a model: titles, and that an optional argument may be null."""
    kept = {key: value for key, value in schema.items() if key not in {"title", "anyOf"}}
    for alternative in schema.get("anyOf", []):
        if alternative.get("type") != "null":
            kept |= _plain(alternative)
    if kept.get("default", ...) is None:
        del kept["default"]
    return kept
