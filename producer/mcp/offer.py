"""Defines an MCP tool: its arguments, and what a call may use."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from anyio import CancelScope
from pydantic import BaseModel

from hopline.models.base import Frozen
from hopline.models.jobs import Json
from workers.core.jobs.params import parse_params

if TYPE_CHECKING:
    from hopline.aio.client import AsyncHopline
    from hopline.models.keys import KeyScope

Result = TypeVar("Result")


class Told(Frozen):
    """The result of a tool call."""

    text: str  # to be read
    data: Json  # the same for programs


@dataclass(frozen=True)
class Call:
    """One call of a tool.

    Args:
        client: makes requests with the caller's rights.
        report: sends one line of progress.
        files: whether the caller is on this machine; only then are paths resolved here.
    """

    client: AsyncHopline
    report: Callable[[str], Awaitable[None]]
    files: bool = False


async def uncancelled(making: Awaitable[Result]) -> Result:
    """Return the result even if the tool's call is cancelled meanwhile, so that the caller can end it."""
    with CancelScope(shield=True):
        made = await making
    return made  # noqa: RET504 - inside the scope it might not return, says mypy


@dataclass(frozen=True)
class Offer:
    """A tool.

    Args:
        name: name for assistants.
        title: name for people.
        purpose: description for assistants: when to use it.
        schema: JSON schema of the arguments.
        result: JSON schema of the data that a call returns.
        work: runs the tool with the given arguments.
        scope: scope that the API key needs.
        changes: whether it changes documents or jobs.
    """

    name: str
    title: str
    purpose: str
    schema: Json
    result: Json
    work: Callable[[Call, Json], Awaitable[Told]]
    scope: KeyScope = "read"
    changes: bool = False


Given = TypeVar("Given", bound=Frozen)


def offer(
    model: type[Given],
    work: Callable[[Call, Given], Awaitable[Told]],
    *,
    name: str,
    title: str,
    result: Json,
    scope: KeyScope = "read",
    changes: bool = False,
) -> Offer:
    """Return a tool whose arguments are a model's fields and whose purpose is the model's docstring."""

    async def checked(call: Call, arguments: Json) -> Told:
        return await work(call, parse_params(model, arguments))

    return Offer(
        name=name,
        title=title,
        purpose=" ".join((model.__doc__ or "").split()),
        schema=schema_of(model),
        result=result,
        work=checked,
        scope=scope,
        changes=changes,
    )


def schema_of(model: type[BaseModel]) -> Json:
    """Return the JSON schema of a model's fields; unknown ones are refused."""
    schema = model.model_json_schema()
    kept = {name: schema[name] for name in ("properties", "required", "$defs") if name in schema}
    return {"type": "object", **_untitled(kept), "additionalProperties": False}


def result_of(model: type[BaseModel], names: Collection[str] = (), **more: Json) -> Json:
    """Return the JSON schema of a tool's result; later versions may add fields.

    Args:
        model: model of the result.
        names: fields of the result; all unless given.
        **more: schemas of further fields that every result has.
    """
    schema = _open(_untitled(model.model_json_schema(mode="serialization")))
    kept = {name: part for name, part in schema["properties"].items() if not names or name in names}
    required = [name for name in schema.get("required", ()) if name in kept]
    defined = {"$defs": schema["$defs"]} if "$defs" in schema else {}
    return {"type": "object", "properties": kept | more, "required": [*required, *more], **defined}


def _open(schema: Any) -> Any:
    """Let objects have more fields."""
    if isinstance(schema, list):
        return [_open(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        name: _open(part)
        for name, part in schema.items()
        if not (name == "additionalProperties" and part is False)
    }


def _untitled(schema: Any) -> Any:
    """Drop the titles that pydantic derives from names, since they add nothing."""
    if isinstance(schema, list):
        return [_untitled(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        name: _untitled(part)
        for name, part in schema.items()
        if not (name == "title" and isinstance(part, str))
    }
