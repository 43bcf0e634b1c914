"""Builds a tool from its declaration in a pack's file."""

from __future__ import annotations

import copy
import re
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, ValidationError, create_model

from hopline.allowed_values import allowed_in_words
from hopline.errors import InvalidInput
from hopline.models.base import Frozen
from hopline.models.jobs import Json
from hopline.models.tools import Candidate, ToolItem, ToolResult
from workers.core.graph.cypher import Value
from workers.tools.arguments import Name
from workers.tools.lines import inline
from workers.tools.names import Fitting, Resolved, resolve, resolve_all
from workers.tools.queries import Ran, Row, run_text
from workers.tools.relations import known_relation
from workers.tools.texts import joined
from workers.tools.tool import Tool, ToolPorts

Identifier = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,59}$")]
Told = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1000)]
CYPHER_PARAMETER = re.compile(r"\$(\w+)")  # parameters of Cypher
_Name = Resolved | Fitting
_PROVENANCE = ("_nodes", "_relationships")  # columns of element ids: where a row stands, not shown

_TYPES: dict[str, Any] = {
    "string": Name,
    "integer": int,
    "number": float,
    "boolean": bool,
    "node": Name,
    "nodes": Name,
    "relation": Name,
}


class Parameter(Frozen):
    """An argument of a declared tool."""

    # node: a name that is resolved, the Cypher gets the node's element id; nodes: a name that may fit
    # several, the Cypher gets the list of their element ids, best first; relation: a type of the schema.
    type: Literal["string", "integer", "number", "boolean", "node", "nodes", "relation"]
    description: Told
    required: bool = True
    default: str | int | float | bool | None = None  # given one, it is not required
    allowed: tuple[str | int | float, ...] = ()  # the only values
    minimum: int | float | None = None
    maximum: int | float | None = None
    labels: tuple[Told, ...] = ()  # of a node or nodes: each bears one of these

    @property
    def is_required(self) -> bool:
        """Whether a caller has to give it."""
        return self.required and self.default is None


class OwnDeclaration(Frozen):
    """One of hopline's own tools, told for a domain, with other defaults."""

    tool: str
    name: Identifier | None = None  # the tool's own unless given
    description: Told
    defaults: dict[str, Any] = {}


class CypherDeclaration(Frozen):
    """A tool made of Cypher."""

    name: Identifier
    description: Told
    cypher: str  # a file beside this one
    heading: Told = "Found"  # of the Markdown
    nothing: Told = "Nothing was found."
    parameters: dict[Identifier, Parameter] = Field(default={}, max_length=20)


def tool_over(declared: OwnDeclaration, own: Tool[Any]) -> Tool[Any]:
    """Return one of hopline's own tools under a description and defaults of a pack.

    Raises:
        InvalidInput: a default is for no argument, or is no value of it.
    """
    fields = own.arguments.model_fields
    stated = dict.fromkeys((name for name, info in fields.items() if info.is_required()), "x")
    try:
        checked = own.arguments.model_validate(stated | declared.defaults)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        allowed = allowed_in_words(first)
        if first["type"] == "extra_forbidden":
            allowed = f"a default for one of: {', '.join(fields)}"
        raise InvalidInput(f"defaults.{first['loc'][0]}", first["input"], allowed) from error
    changed: dict[str, Any] = {}
    for name in declared.defaults:
        info = copy.copy(fields[name])
        info.default = getattr(checked, name)
        changed[name] = (info.rebuild_annotation(), info)
    arguments = create_model(own.arguments.__name__, __base__=own.arguments, **changed)
    return Tool(declared.name or own.name, declared.description, arguments, own.work, own.barred, own.values)


def tool_of(declared: CypherDeclaration, cypher: str) -> Tool[Any]:
    """Return the tool that runs a declaration's Cypher.

    Raises:
        InvalidInput: a default does not fit its own parameter.
    """
    fields: dict[str, Any] = {
        name: _field(name, parameter) for name, parameter in declared.parameters.items()
    }
    arguments = create_model(f"{declared.name}_arguments", __base__=Frozen, **fields)

    def work(values: Frozen, ports: ToolPorts) -> ToolResult:
        return _run(declared, cypher, values.model_dump(), ports)

    return Tool(declared.name, declared.description, arguments, work)


def _field(name: str, parameter: Parameter) -> tuple[Any, Any]:
    kind = Literal[parameter.allowed] if parameter.allowed else _TYPES[parameter.type]
    bounds: dict[str, Any] = {} if parameter.allowed else {"ge": parameter.minimum, "le": parameter.maximum}
    if (parameter.minimum is not None or parameter.maximum is not None) and parameter.type not in {
        "integer",
        "number",
    }:
        raise InvalidInput(
            f"parameters.{name}.minimum", parameter.minimum, "a bound of an integer or a number"
        )
    if parameter.is_required:
        return kind, Field(description=parameter.description, **bounds)
    if parameter.default is None:
        return kind | None, Field(default=None, description=parameter.description, **bounds)
    alone: dict[str, Any] = {"value": (kind, Field(**bounds))}
    try:
        create_model("alone", **alone)(value=parameter.default)
    except ValidationError as error:
        wrong = allowed_in_words(error.errors(include_url=False)[0])
        raise InvalidInput(f"parameters.{name}.default", parameter.default, wrong) from error
    return kind, Field(default=parameter.default, description=parameter.description, **bounds)


def _run(declared: CypherDeclaration, cypher: str, arguments: Json, ports: ToolPorts) -> ToolResult:
    values, resolutions = dict(arguments), list[_Name]()
    for name, parameter in declared.parameters.items():
        if arguments[name] is None:
            continue
        if parameter.type == "relation":
            values[name] = known_relation(arguments[name], ports)
        elif parameter.type == "node":
            resolution = resolve(arguments[name], ports, parameter.labels)
            resolutions.append(resolution)
            values[name] = resolution.chosen.id if resolution.chosen else None
        elif parameter.type == "nodes":
            fitting = resolve_all(arguments[name], ports, parameter.labels)
            resolutions.append(fitting)
            values[name] = [node.id for node in fitting.chosen]
    note = joined(*(resolution.note for resolution in resolutions))
    result = ToolResult(
        tool=declared.name,
        arguments={name: value for name, value in arguments.items() if value is not None},
        note=note,
        markdown=note,
        candidates=tuple(other for resolution in resolutions for other in _not_taken(resolution)),
    )
    if not all(resolution.chosen for resolution in resolutions):
        return result
    values |= {"collection": ports.collection, "own": ports.is_own}
    ran = run_text(cypher, ports, {name: values[name] for name in set(CYPHER_PARAMETER.findall(cypher))})
    return _add_rows(declared, ran, resolutions, result)


def _not_taken(resolution: _Name) -> tuple[Candidate, ...]:
    return resolution.others if isinstance(resolution, Resolved) else resolution.lesser


def _taken(resolution: _Name) -> tuple[Candidate, ...]:
    if isinstance(resolution, Fitting):
        return resolution.chosen
    return (resolution.chosen,) if resolution.chosen else ()


def _add_rows(
    declared: CypherDeclaration, ran: Ran, resolutions: list[_Name], result: ToolResult
) -> ToolResult:
    columns = tuple(name for name in (ran.rows[0] if ran.rows else ()) if name not in _PROVENANCE)
    # If a name fits several nodes, each row itself says which one it belongs to.
    resolved = tuple(
        resolution.chosen.id
        for resolution in resolutions
        if isinstance(resolution, Resolved) and resolution.chosen
    )
    items = tuple(_item(row, columns, resolved) for row in ran.rows)
    note = joined(result.note, "" if items else declared.nothing)
    lines = [f"### {declared.heading}", "", *(f"- {item.text}" for item in items)] if items else []
    return result.model_copy(
        update={
            "columns": columns,
            "items": items,
            "cypher": ran.cypher,
            "parameters": ran.parameters,
            "named": tuple(node.name for resolution in resolutions for node in _taken(resolution)),
            "cut": ran.cut,
            "note": note,
            "markdown": "\n".join([*lines, *([""] if lines and note else []), *([note] if note else [])]),
        }
    )


def _item(row: Row, columns: tuple[str, ...], resolved: tuple[str, ...]) -> ToolItem:
    shown = [(name, inline(row[name])) for name in columns if row[name] not in (None, "", [])]
    first, rest = (shown[:1], shown[1:])
    text = "".join(value for _, value in first)
    text += "".join(f" · {name}: {value}" for name, value in rest)
    values: tuple[Value, ...] = tuple(row[name] for name in columns)
    nodes = dict.fromkeys((*row.get("_nodes", ()), *resolved))
    return ToolItem(
        text=text, values=values, nodes=tuple(nodes), relationships=tuple(row.get("_relationships", ()))
    )
