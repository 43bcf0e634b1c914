"""Parses the tool calls that a model writes, natively or as JSON in its reply."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Annotated, Any

import orjson
from pydantic import BaseModel, BeforeValidator, Field

from workers.adapters.openai.wire import read_content
from workers.core.jobs.work import Json
from workers.core.language.visible import visible, visible_value

_ODD = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST_NAME = 64  # characters; what endpoints take in a talk that is sent back
_AROUND = 32  # layers that a talk or an item puts around arguments; what writes JSON takes some 250
_TOO_DEEP = "(nested too deeply)"
_LONGEST_FAULT = 500  # characters of what a model is told about one call


@dataclass(frozen=True)
class ToldCall:
    """A tool call as the model wrote it; arguments is None if they are not a JSON object, wrong says why."""

    id: str
    name: str
    text: str  # the arguments as written
    arguments: Json | None
    wrong: str | None = None

    def refused(self, why: str) -> ToldCall:
        """Return the call with what is wrong with it."""
        return replace(self, wrong=why[:_LONGEST_FAULT])

    def echo(self) -> Json:
        """Return the call as a talk shows it to an endpoint, which may parse it and refuse what is odd."""
        name = _ODD.sub("_", self.name)[:_LONGEST_NAME] or "unnamed"
        arguments = "{}" if self.arguments is None else orjson.dumps(self.arguments).decode()
        return {"id": self.id, "type": "function", "function": {"name": name, "arguments": arguments}}

    def as_choice(self) -> Json:
        """Return the call as a choice in JSON shows it."""
        return {"tool": self.name, "arguments": self.text}


def _as_text(value: object) -> object:
    return _written(value) if isinstance(value, dict) else value


def _written(value: Any) -> str:
    """Return a value as JSON; something that is none if it could not be written around."""
    layered = value
    for _ in range(_AROUND):
        layered = [layered]
    try:
        orjson.dumps(layered)
    except TypeError:
        return _TOO_DEEP
    return orjson.dumps(value).decode()


class ChosenTool(BaseModel):
    """One call of a choice in JSON."""

    tool: str = Field(description="the name of a tool")
    arguments: Annotated[str, BeforeValidator(_as_text)] = Field(
        description="a JSON object as text: the tool's arguments"
    )


class ToolChoice(BaseModel):
    """Which tools to call, for endpoints that know no tools."""

    calls: list[ChosenTool]


def called(message: Json) -> list[ToldCall]:
    """Return the native calls of a message; those without a name have an empty one."""
    calls = message.get("tool_calls")
    return [_native(call, place) for place, call in enumerate(calls if isinstance(calls, list) else ())]


def _native(call: Any, place: int) -> ToldCall:
    function = call.get("function") if isinstance(call, dict) else None
    function = function if isinstance(function, dict) else {}
    name, arguments = function.get("name"), function.get("arguments")
    told_id = call.get("id") if isinstance(call, dict) else None
    text = arguments if isinstance(arguments, str) else _written(arguments or {})
    # Nine letters and digits are what every endpoint takes for an id.
    call_id = told_id if isinstance(told_id, str) and told_id else f"call{place:05}"
    return _parse_call(call_id, visible(name) if isinstance(name, str) else "", text)


def chosen(message: Json, cut: str) -> list[ToldCall]:
    """Return the calls of a choice in JSON.

    Raises:
        ReplyMisfit: the message says something else.
    """
    choice = read_content(message, cut, ToolChoice)
    return [
        _parse_call(f"call{place:05}", call.tool, call.arguments) for place, call in enumerate(choice.calls)
    ]


def _parse_call(call_id: str, name: str, text: str) -> ToldCall:
    try:
        arguments = orjson.loads(text) if text.strip() else {}
    except orjson.JSONDecodeError as error:
        return ToldCall(call_id, name, visible(text), None, f"its arguments are not JSON ({error})")
    if _written(arguments) == _TOO_DEEP:
        return ToldCall(call_id, name, visible(text), None, f"its arguments are not JSON {_TOO_DEEP}")
    if not isinstance(arguments, dict):
        return ToldCall(call_id, name, visible(text), None, "its arguments are not a JSON object")
    return ToldCall(call_id, name, visible(text), visible_value(arguments))
