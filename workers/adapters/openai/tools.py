"""Lets a model choose tools: by function calling where supported, else by a JSON reply."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import orjson

from hopline.models.jobs import Json
from hopline.visible import visible_value
from workers.adapters.openai.dialect import Dialect, Message
from workers.adapters.openai.replies import message_of
from workers.adapters.openai.tool_calls import ToldCall, ToolChoice, called, chosen
from workers.adapters.openai.wire import (
    ReplyMisfit,
    ReplyRequest,
    chat_body,
    input_message,
    prompt_bound,
    repair_messages,
)
from workers.core.models.tokens import count_tokens
from workers.core.models.tool_calls import MOST_CALLS, RefusedCall, ToolCall, ToolCalls
from workers.core.prompts import Prompt

_CALLING = (
    "Answer by calling tools and by nothing else. Calls that do not need each other's results are made "
    f"together, {MOST_CALLS} at most."
)
_CHOOSING = (
    "The input's `tools` describe what may be called. Answer with the calls that are needed, in `calls`, "
    f"{MOST_CALLS} at most: `tool` is a tool's name, `arguments` a JSON object, written as text, that fits "
    "the parameters of that tool."
)
_AGAIN = (
    "Call again what could not be run, corrected or with another tool, and nothing else; leave out what no "
    "tool can do."
)
_NOTHING = "No tool was chosen. Choose at least one."
_ACCEPTED = "ok, accepted"
_PREAMBLE = 400  # tokens of the words that an endpoint itself puts around tools
_SHOWN = 2000  # characters of a call that is refused


class Choosing:
    """A choice of tools in progress: the request, the valid calls so far, and the errors.

    Args:
        tools: entries of `tools` in a chat request of the OpenAI form.
        fault: why a call cannot be run; None if it can.
    """

    def __init__(
        self,
        prompt: Prompt,
        material: Mapping[str, Any],
        tools: Sequence[Json],
        fault: Callable[[ToolCall], str | None],
    ) -> None:
        self._prompt = prompt
        self._material = dict(material)
        self._tools: list[Json] = visible_value(list(tools))
        self._takes = {
            tool["function"]["name"]: tool["function"].get("parameters", {}).get("properties", {})
            for tool in self._tools
        }
        self._fault = fault
        self._kept: list[ToolCall] = []
        self._told: list[ToldCall] = []  # the latest reply's, with what is wrong with each
        self._misfit: ReplyMisfit | None = None  # the latest reply, where it could not be read at all
        self.ignores_tools = False  # the endpoint took the tools, and the model knew nothing of them

    # the request ----------------------------------------------------------------------------------

    def body(self, model: str, limit: int, dialect: Dialect) -> bytes:
        """Return the request's body as JSON."""
        if self._is_json(dialect):
            return self._in_json().body(model, limit, dialect)
        messages = [{"role": "system", "content": self._system}, *self._talk()]
        body = chat_body(model, messages, limit, dialect)
        body |= {"tools": self._tools, "tool_choice": dialect.tools}
        return orjson.dumps(body | {"parallel_tool_calls": True} if dialect.parallel_calls else body)

    def bound(self, dialect: Dialect) -> int:
        """Return the most tokens that prompt, tools and talk take."""
        if self._is_json(dialect):
            return self._in_json().bound(dialect)
        fixed = _fixed_tokens(self._system, orjson.dumps(self._tools).decode())
        return prompt_bound(fixed + _PREAMBLE, self._talk())

    def after(self, dialect: Dialect, complaint: str, *, taken: bool) -> Dialect | None:
        """Return the form to try after a refusal; see `Request`."""
        if self._is_json(dialect):
            return dialect.after(complaint, taken=taken)
        return dialect.after_tools(complaint)

    def hearer(self, _dialect: Dialect) -> None:
        """Return no listener: calls arrive complete."""
        return

    def _is_json(self, dialect: Dialect) -> bool:
        return dialect.tools == "none" or self.ignores_tools

    @property
    def _system(self) -> str:
        return f"{self._prompt.text}\n\n{_CALLING}"

    def _talk(self) -> list[Message]:
        talk: list[Message] = [{"role": "user", "content": input_message(self._material)}]
        if self._told:
            talk.append(
                {"role": "assistant", "content": None, "tool_calls": [call.echo() for call in self._told]}
            )
            talk += [
                {"role": "tool", "tool_call_id": call.id, "content": self._write_verdict(call)}
                for call in self._told
            ]
        return talk

    @staticmethod
    def _write_verdict(call: ToldCall) -> str:
        if call.wrong is None:
            return _ACCEPTED
        quotation = f" You wrote: {call.text[:_SHOWN]}" if call.arguments is None else ""
        return f"Error, not run: {call.wrong}.{quotation} {_AGAIN}"

    def _in_json(self) -> ReplyRequest:
        prompt = Prompt(name=self._prompt.name, text=f"{self._prompt.text}\n\n{_CHOOSING}")
        request = ReplyRequest(prompt, self._material | {"tools": self._tools}, ToolChoice)
        if self._misfit:
            request.talk += repair_messages(self._misfit)
        elif self.wrong and not self.ignores_tools:
            content = orjson.dumps({"calls": [call.as_choice() for call in self._told]}).decode()
            faults = "; ".join(f"{call.name or 'a call'}: {call.wrong}" for call in self._told if call.wrong)
            correction = f"These calls cannot be run: {faults}. The others are accepted. {_AGAIN}"
            request.talk += [
                {"role": "assistant", "content": content},
                {"role": "user", "content": correction if self._told else _NOTHING},
            ]
        return request

    # the reply ------------------------------------------------------------------------------------

    def take(self, payload: dict[str, Any], dialect: Dialect) -> None:
        """Read a reply and keep its valid calls.

        Raises:
            ModelRefused: the model declined, or a filter did.
            Transient: the payload is not a chat completion.
        """
        message, cut = message_of(payload)
        self._misfit, self._told = None, []
        calls = called(message, self._takes)
        if not calls:
            try:
                calls = chosen(message, cut, self._takes)
            except ReplyMisfit as misfit:
                self._misfit = misfit if self._is_json(dialect) and misfit.content.strip() else None
        self.ignores_tools = not calls and not self._is_json(dialect)
        for call in calls[: MOST_CALLS - len(self._kept)]:
            self._told.append(self._judge(call, cut))

    def _judge(self, call: ToldCall, cut: str) -> ToldCall:
        if call.arguments is None:
            return call.refused(f"{cut}{call.wrong}")
        tool_call = ToolCall(name=call.name, arguments=call.arguments)
        if (wrong := self._fault(tool_call)) is not None:
            return call.refused(wrong)
        if tool_call not in self._kept:  # a second reply may say again what was accepted
            self._kept.append(tool_call)
        return call

    @property
    def wrong(self) -> list[str]:
        """Faults of the latest reply; empty if every call of it can be run."""
        if self._misfit or not self._told:
            return [str(self._misfit or "no calls")]
        return [f"{call.name}: {call.wrong}" for call in self._told if call.wrong]

    @property
    def value(self) -> ToolCalls:
        """Calls of all replies that can be run, and the faults of the latest."""
        refused = [
            RefusedCall(name=call.name, arguments=call.text[:_SHOWN], why=call.wrong)
            for call in self._told
            if call.wrong
        ]
        if self._misfit:
            refused.append(
                RefusedCall(name="", arguments=self._misfit.content[:_SHOWN], why=str(self._misfit))
            )
        return ToolCalls(calls=tuple(self._kept), refused=tuple(refused))


@lru_cache(maxsize=64)
def _fixed_tokens(system: str, tools: str) -> int:
    return count_tokens(system) + count_tokens(tools)
