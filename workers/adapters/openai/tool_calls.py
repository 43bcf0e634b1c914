"""Parses the tool calls that a model writes, natively or as JSON in its reply."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

import orjson
from pydantic import BaseModel, BeforeValidator, Field

from hopline.models.jobs import Json
from hopline.visible import visible, visible_value
from workers.adapters.openai.replies import objects_in, said, text_of, thoughts_of, values_in
from workers.adapters.openai.wire import read_content

Takes = Mapping[str, Mapping[str, Any]]  # by tool: its parameters' schemas by name

# Calls as models print them: Hermes and Qwen, Mistral, Llama, DeepSeek, gpt-oss.
_MARKED = re.compile(
    r"<tool_call>|<function=|\[TOOL_CALLS\]|<\|python_tag\|>|<\|tool_call|tool▁call▁begin|to=functions\.|"
    r"<tools>|<function_call>|functools\[|<\|action_start|<\|START_ACTION|\baction:|<(?:｜DSML｜)?invoke ",
    re.IGNORECASE,
)
# Calls in tags: how one begins and ends, and how a parameter of it does.
_TAGS = (
    (
        re.compile(r"<function=([^>\n]{1,80})>"),
        re.compile("</function>"),
        re.compile(r"<parameter=([^>\n]{1,80})>"),
        re.compile("</parameter>"),
    ),
    (
        re.compile(r"<(?:｜DSML｜)?invoke name=\"([^\"\n]{1,80})\">"),
        re.compile(r"</(?:｜DSML｜)?invoke>"),
        re.compile(r"<(?:｜DSML｜)?parameter name=\"([^\"\n]{1,80})\"[^<>\n]{0,80}>"),
        re.compile(r"</(?:｜DSML｜)?parameter>"),
    ),
    (
        re.compile(r"<tool_call>\s*+([\w.-]{1,80})\s"),
        re.compile("</tool_call>"),
        re.compile(r"<arg_key>([^<]{1,80})</arg_key>\s*+<arg_value>"),
        re.compile("</arg_value>"),
    ),
)
_ORDINAL = re.compile(r":\d++$")  # Kimi appends the call's number to the name
_NAMES = re.compile(r"[\w.-]{1,80}")
_WRAPPERS = ("arguments", "parameters", "args", "input", "kwargs", "params", "properties")
_FUNCTIONS = ("function", "functionCall")  # where a native call may hold its name and arguments
_CALL_FIELDS = ("name", "tool", "function", "tool_name", "recipient_name")
_ENCODED = 3  # times that arguments are written as a text at most
_ODD = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST_NAME = 64  # characters; what endpoints take in a talk that is sent back
_AROUND = 32  # layers that a talk or an item puts around arguments; what writes JSON takes some 250
_TOO_DEEP = "(nested too deeply)"
_LONGEST_FAULT = 500  # characters of what a model reads about one call


@dataclass(frozen=True)
class ToldCall:
    """A tool call as the model wrote it; arguments is None if they are not a JSON object, wrong says why."""

    id: str
    name: str
    text: str  # the arguments as written
    arguments: Json | None
    wrong: str | None = None

    def refused(self, why: str) -> ToldCall:
        """Return the call with its errors."""
        return replace(self, wrong=why[:_LONGEST_FAULT])

    def echo(self) -> Json:
        """Return the call for a conversation, in a form that strict endpoints accept."""
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


def called(message: Json, takes: Takes) -> list[ToldCall]:
    """Return the calls of a message: native ones, or those that the model printed as text.

    takes: by the name of each tool on offer, the names of its parameters.
    """
    calls = message.get("tool_calls") or []
    if isinstance(calls, str):
        calls = _value_of(calls)
    if isinstance(calls, dict):
        calls = [calls]
    content = message.get("content")
    if not calls and isinstance(content, list):  # parts that are calls
        calls = [part for part in content if isinstance(part, dict) and _is_part(part)]
    if not calls and message.get("function_call"):
        calls = [{"function": message["function_call"]}]
    native = [_native(call) for call in (calls if isinstance(calls, list) else ())]
    printed = [] if native else _printed(text_of(content).strip() or thoughts_of(message), takes)
    return _numbered([call for found in (*native, *printed) for call in _parse_calls(found, takes)])


def chosen(message: Json, cut: str, takes: Takes) -> list[ToldCall]:
    """Return the calls of a choice in JSON; takes: as of `called`.

    Raises:
        ReplyMisfit: the message says something else.
    """
    choice = read_content(message, cut, ToolChoice)
    found = [_Found(call.tool, call.arguments) for call in choice.calls]
    return _numbered([call for one in found for call in _parse_calls(one, takes)])


@dataclass(frozen=True)
class _Found:
    """An unprocessed call, whose name and arguments may still have odd forms."""

    name: str
    arguments: object
    id: str = ""


def _numbered(calls: list[ToldCall]) -> list[ToldCall]:
    """Give calls without an id one of nine letters and digits, which every endpoint accepts."""
    return [call if call.id else replace(call, id=f"call{place:05}") for place, call in enumerate(calls)]


def _native(call: Any) -> _Found:
    """Read a native call; one without a name has an empty one."""
    call = call if isinstance(call, dict) else {}
    function = next((call[key] for key in _FUNCTIONS if isinstance(call.get(key), dict)), call)
    name, told_id = function.get("name") or call.get("function"), call.get("id")
    return _Found(
        visible(name) if isinstance(name, str) else "",
        next((function[key] for key in _WRAPPERS if function.get(key)), call.get("input")) or {},
        told_id if isinstance(told_id, str) else "",
    )


def _is_part(part: Json) -> bool:
    return part.get("type") in ("tool_use", "tool_call", "function_call") or "functionCall" in part


def _printed(content: str, takes: Takes) -> list[_Found]:
    """Return the calls that a model printed: marked in a known form, or as JSON and nothing else."""
    found: list[_Found] = []
    harmony = content.find("to=functions.")  # in a channel of its own, which is not what is said
    content = content[harmony:] if harmony >= 0 else said(content)
    is_marked = _MARKED.search(content)
    if not is_marked and not content.strip().startswith(("{", "[", "```")):
        return []
    for begins, ends, key_begins, key_ends in _TAGS:
        for name, body in _elements(content, begins, ends):
            schemas = takes.get(_known_name(name, takes))
            pairs = {
                key.strip(): value.strip("\n") if _is_text(schemas, key.strip()) else _value_of(value)
                for key, value in _elements(body, key_begins, key_ends)
            }
            if pairs and schemas is not None:
                found.append(_Found(name, pairs))
    if found:
        return found
    at = 0
    for value, written in values_in(content):
        start = content.index(written, at)
        entries = value if isinstance(value, list) else [value]
        if named := [call for entry in entries if (call := _named(entry, takes))]:
            found += named
        elif is_marked and isinstance(value, dict) and (before := _NAMES.findall(content[at:start])):
            names = [name for name in before if _known_name(name, takes) in takes]
            found += [_Found(names[-1], value)] if names else []
        at = start + len(written)
    return found


def _is_text(schemas: Mapping[str, Any] | None, key: str) -> bool:
    schema = (schemas or {}).get(key)
    kinds = [schema, *schema.get("anyOf", ())] if isinstance(schema, dict) else []
    return any(kind.get("type") == "string" for kind in kinds)


def _elements(text: str, begins: re.Pattern[str], ends: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """Yield the names and contents of tags."""
    for piece in ends.split(text)[:-1]:
        if begun := begins.search(piece):
            yield begun[1], piece[begun.end() :]


def _named(entry: object, takes: Takes) -> _Found | None:
    """Return the call that an object describes, if it names a tool on offer and its arguments."""
    if not isinstance(entry, dict):
        return None
    function = entry.get("function")
    inner = function if isinstance(function, dict) else entry
    name = next((inner[key] for key in _CALL_FIELDS if isinstance(inner.get(key), str)), "")
    arguments = next((inner[key] for key in _WRAPPERS if key in inner), None)
    is_call = _known_name(name, takes) in takes and isinstance(arguments, dict | str)
    return _Found(name, arguments) if is_call else None


def _value_of(text: str) -> object:
    """Return a parameter's value: parsed JSON if valid, else the text."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text.strip("\n")


def _known_name(name: str, takes: Takes) -> str:
    """Return the offered tool that an odd name means (`functions.look<|channel|>json`); else the name."""
    bare = _ORDINAL.sub("", name.partition("<|")[0].strip("\"'`() \n"))
    parts = re.split(r"[.:/]|__", bare)
    by_small = {known.casefold(): known for known in takes}
    for known in (name, bare, parts[-1], by_small.get(bare.casefold(), "")):
        if known in takes:
            return known
    return name


def _parse_calls(found: _Found, takes: Takes) -> list[ToldCall]:
    """Return the calls in one found: several if the arguments of several were joined."""
    name = _known_name(found.name, takes)
    text = found.arguments if isinstance(found.arguments, str) else _written(found.arguments)
    value = found.arguments
    try:
        for _ in range(_ENCODED):
            value = (orjson.loads(value) if value.strip() else {}) if isinstance(value, str) else value
    except orjson.JSONDecodeError as error:
        if len(alone := [each for each in objects_in(text) if each[0]]) == 1 and text.strip()[-1] not in "}]":
            return _parse_calls(_Found(found.name, alone[0][0], found.id), takes)  # words or fences around
        joined = [each for each in _joined(text) if _written(each) != _TOO_DEEP]
        if not joined:
            return [ToldCall(found.id, name, visible(text), None, f"its arguments are not JSON ({error})")]
        told_id = found.id if len(joined) == 1 else ""
        return [
            ToldCall(told_id, name, visible(text), visible_value(_unwrapped(each, name, takes)))
            for each in joined
        ]
    if isinstance(value, list) and len(value) == 1:
        [value] = value
    if isinstance(value, dict) and _known_name(name, takes) in takes and _named(value, takes):
        value = next(value[key] for key in _WRAPPERS if key in value)  # the arguments repeat the call
        value = _value_of(value) if isinstance(value, str) else value
    if _written(value) == _TOO_DEEP:
        return [ToldCall(found.id, name, visible(text), None, f"its arguments are not JSON {_TOO_DEEP}")]
    if not isinstance(value, dict):
        return [ToldCall(found.id, name, visible(text), None, "its arguments are not a JSON object")]
    arguments = visible_value(_unwrapped(value, name, takes))
    return [ToldCall(found.id, name, visible(text), arguments)]


def _joined(text: str) -> list[Json]:
    """Return the non-empty objects of a text that consists only of consecutive objects."""
    found = list(values_in(text))
    whole = "".join("".join(written.split()) for _, written in found) == "".join(text.split())
    return [value for value, _ in found if value and isinstance(value, dict)] if whole else []


def _unwrapped(arguments: Json, name: str, takes: Takes) -> Json:
    """Return arguments without the one field around them that the tool does not have."""
    if len(arguments) != 1:
        return arguments
    [(key, value)] = arguments.items()
    if key not in (*_WRAPPERS, name) or key in takes.get(name, ()):
        return arguments
    if isinstance(value, str):
        value = _value_of(value)
    return value if isinstance(value, dict) else arguments
