"""Defines an MCP tool: its arguments, and what a call may use."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from anyio import CapacityLimiter, to_thread
from pydantic import BaseModel

from hopline.models.base import Frozen
from hopline.models.jobs import Json
from workers.core.jobs.params import parse_params

if TYPE_CHECKING:
    from hopline.models.keys import KeyScope
    from producer.client.hopline import Hopline

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

_THREADS = CapacityLimiter(64)  # its own: a call may wait for one of the API's threads


class Told(Frozen):
    """What a call of a tool brings back."""

    text: str  # to be read
    data: Json  # the same for programs


@dataclass(frozen=True)
class Call:
    """One call of a tool.

    Args:
        client: does what is asked, as whoever calls may.
        report: tells one line of progress.
    """

    client: Hopline
    report: Callable[[str], Awaitable[None]]

    async def do(
        self, call: Callable[Parameters, Result], *args: Parameters.args, **kwargs: Parameters.kwargs
    ) -> Result:
        """Return what a call of the client returns; a tool's call that is cancelled does not wait for it."""
        done = partial(call, *args, **kwargs)
        return await to_thread.run_sync(done, abandon_on_cancel=True, limiter=_THREADS)

    async def make(
        self, call: Callable[Parameters, Result], *args: Parameters.args, **kwargs: Parameters.kwargs
    ) -> Result:
        """Return what a call of the client makes, also where the tool's call is cancelled meanwhile.

        Only who knows what was made can end it.
        """
        return await to_thread.run_sync(partial(call, *args, **kwargs), limiter=_THREADS)


@dataclass(frozen=True)
class Offer:
    """A tool.

    Args:
        name: as an assistant calls it.
        title: for people.
        purpose: when to use it, for an assistant.
        schema: JSON schema of the arguments.
        work: does it, with the arguments as they were given.
        scope: what an API key must allow.
        changes: what is kept of documents or jobs.
    """

    name: str
    title: str
    purpose: str
    schema: Json
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
    scope: KeyScope = "read",
    changes: bool = False,
) -> Offer:
    """Return a tool whose arguments are a model's fields, and whose purpose is the model's docstring."""

    async def checked(call: Call, arguments: Json) -> Told:
        return await work(call, parse_params(model, arguments))

    return Offer(
        name=name,
        title=title,
        purpose=" ".join((model.__doc__ or "").split()),
        schema=schema_of(model),
        work=checked,
        scope=scope,
        changes=changes,
    )


def schema_of(model: type[BaseModel]) -> Json:
    """Return the JSON schema of a model's fields; unknown ones are refused."""
    schema = model.model_json_schema()
    kept = {name: schema[name] for name in ("properties", "required", "$defs") if name in schema}
    return {"type": "object", **_untitled(kept), "additionalProperties": False}


def _untitled(schema: Any) -> Any:
    """Drop the titles that pydantic makes of names: they say nothing."""
    if isinstance(schema, list):
        return [_untitled(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        name: _untitled(part)
        for name, part in schema.items()
        if not (name == "title" and isinstance(part, str))
    }
