"""Reads a model's reply in any endpoint's form: content, thoughts, and the JSON in it.

Everything that comes out of a chat completion goes through here: replies of a schema, tool calls, lines of a
batch. Nothing that is broken is repaired by guessing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from hopline.errors import Transient
from workers.core.errors import ModelRefused

WITHOUT_FILTER = "(use other words, or a model without this filter)"
# Marks around a thought: of Qwen, DeepSeek and Seed, Mistral, Kimi, Cohere, MedGemma, Gemma, and models
# without a template; tags may have attributes, and be escaped as HTML.
_MARKS = [
    *(
        (rf"(?:<|&lt;){word}(?:\s[^<>&]{{0,80}})?(?:>|&gt;)", rf"(?:<|&lt;)/{word}\s{{0,3}}(?:>|&gt;)")
        for word in ("think", "thinking", "thought", "thoughts", "reasoning", "reflection", "seed:think")
    ),
    (r"\[THINK\]", r"\[/THINK\]"),
    ("◁think▷", "◁/think▷"),
    (r"<\|think\|>", r"<\|/think\|>"),
    (r"<\|START_THINKING\|>", r"<\|END_THINKING\|>"),
    (r"<\|begin_of_thought\|>", r"<\|end_of_thought\|>"),
    (r"<unused94>", r"<unused95>"),
    (r"<\|channel>", r"<channel\|>"),
]
_CLOSED_BY = [re.compile(closing, re.IGNORECASE) for _, closing in _MARKS]
_OPENING = re.compile("|".join(f"({opening})" for opening, _ in _MARKS), re.IGNORECASE)
_CLOSING = re.compile("|".join(closing for _, closing in _MARKS), re.IGNORECASE)
# The channels of gpt-oss's "harmony" form; what is said to the user is in the final one.
_CHANNEL = re.compile(r"<\|channel\|>\s*+(?P<name>\w++)[^<]*+(?:<\|constrain\|>\w*+)?<\|message\|>")
_CHANNEL_ENDS = re.compile(r"<\|(?:end|return|call|start)\|>")
_BEGINS_OBJECT = re.compile(r'\{\s*+(?:["}]|\Z)')
_BEGINS_JSON = re.compile(r'\{\s*+["}]|\[\s*+[{\]]')
_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\Z)|[][{}]', re.DOTALL)
_MOST_TRIES = 200  # places at which a JSON value is looked for in one reply
# Reasons why a reply ended, in small letters: of OpenAI, Mistral, Gemini; of filters; of servers that broke.
_CUT = frozenset(("length", "max_tokens", "model_length"))
_FILTERED = frozenset(
    ("content_filter", "safety", "sensitive", "recitation", "prohibited_content", "blocklist", "spii")
)
_BROKEN_OFF = frozenset(("error", "insufficient_system_resource", "network_error", "abort", "malformed"))
_THOUGHTS = ("reasoning_content", "reasoning")  # fields of a message
_NO_TEXT = frozenset(("thinking", "reasoning", "reasoning_content", "redacted_thinking"))  # types of parts


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(strict=False, parse_constant=_refuse_constant)


def text_of(content: object) -> str:
    """Return the text of a message's content: a text, or a list of parts whose thoughts are passed over."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        if not content or content.get("type") in _NO_TEXT:
            return ""
        is_part = "type" in content or content.keys() <= {"text", "value", "annotations"}
        for name in ("text", "value"):
            if is_part and isinstance(content.get(name), str | dict):
                return text_of(content[name])
        return "" if "type" in content else json.dumps(content, ensure_ascii=False)
    if isinstance(content, list):
        return "".join(map(text_of, content))
    return ""


def thoughts_of(message: dict[str, Any]) -> str:
    """Return the text of a message's field for thoughts."""
    return next((text for name in _THOUGHTS if (text := text_of(message.get(name)))), "")


def content_of(message: dict[str, Any]) -> str:
    """Return the text of a message's content.

    If it is empty: the arguments of its only tool call, as some gateways pass a JSON reply that way, or the
    field for thoughts, if that holds a JSON object instead.
    """
    content = text_of(message.get("content"))
    if content.strip():
        return content
    calls = message.get("tool_calls")
    if isinstance(calls, list) and len(calls) == 1 and isinstance(calls[0], dict):
        function = calls[0].get("function")
        arguments = function.get("arguments") if isinstance(function, dict) else None
        is_object = isinstance(arguments, dict)
        return json.dumps(arguments, ensure_ascii=False) if is_object else text_of(arguments)
    thoughts = said(thoughts_of(message)).strip()
    return thoughts if thoughts.startswith("{") and thoughts.endswith("}") else content


def said(text: str) -> str:
    """Return a text without the thoughts before the reply; "" while the model is still thinking.

    Some thoughts have only an end marker. After a brace, the marker counts only at the end of a line, where
    it cannot be inside a JSON string.
    """
    channels = list(_CHANNEL.finditer(text))
    if channels:
        final = [channel for channel in channels if channel["name"] == "final"]
        return _CHANNEL_ENDS.split(text[final[-1].end() :], maxsplit=1)[0] if final else ""
    start, opened = 0, _OPENING.search(text)
    while True:
        if opened and opened.start() < start:
            opened = _OPENING.search(text, start)
        if opened and "{" not in text[start : opened.start()]:
            closed = _CLOSED_BY[(opened.lastindex or 1) - 1].search(text, opened.end())
            if not closed:
                return text[start:] if text[start : opened.start()].strip() else ""
        else:
            closed = _CLOSING.search(text, start)
            if not closed:
                return text[start:]
            if "{" in text[start : closed.start()] and not text.startswith(("\n", "\r"), closed.end()):
                return text[start:]
        start = closed.end()


def begun_object(text: str) -> str:
    """Return the received part of a reply's JSON object; "" before it begins."""
    text = said(text)
    begins = _BEGINS_OBJECT.search(text)
    return text[begins.start() :] if begins else ""


def values_in(text: str) -> Iterator[tuple[Any, str]]:
    """Yield the complete top-level JSON objects and lists in a text, each with its text."""
    position = 0
    for _ in range(_MOST_TRIES):
        if not (begins := _BEGINS_JSON.search(text, position)):
            return
        start = begins.start()
        try:
            value, position = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            if (position := _end_of_broken(text, start)) < 0:
                return
        else:
            yield value, text[start:position]


def objects_in(text: str) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield the complete JSON objects in a reply, each with its text, in order.

    They may be in code fences, among words, after thoughts, or alone in a list. Anything inside an object or
    list, complete or broken, does not count.
    """
    text = said(text)
    if text.lstrip().startswith('"'):
        text = _decoded(text)
    for value, written in values_in(text):
        alone = value[0] if isinstance(value, list) and len(value) == 1 else value
        if isinstance(alone, dict):
            yield alone, written


def _decoded(text: str) -> str:
    """Return the value of a text that is a JSON string; any other text unchanged."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, str) else text


def _end_of_broken(text: str, start: int) -> int:
    """Return where a bracket that does not begin a JSON value closes; -1 if it does not close."""
    pair = "{}" if text[start] == "{" else "[]"
    depth = 0
    for token in _STRING_OR_BRACKET.finditer(text, start):
        depth += (token[0] == pair[0]) - (token[0] == pair[1])
        if depth == 0:
            return token.end()
    return -1


def broken_off(payload: dict[str, Any]) -> str | None:
    """Return why a chat completion's server broke it off; None if it did not."""
    choice = _choice(payload)
    finish = str((choice or {}).get("finish_reason")).casefold()
    return finish if finish in _BROKEN_OFF else None


def error_in(payload: dict[str, Any]) -> bytes:
    """Return the error in a completion's choice, as JSON; empty if there is none."""
    error = (_choice(payload) or {}).get("error")
    return json.dumps({"error": error}).encode() if error else b""


def message_of(payload: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """Return a chat completion's message, and the error if it was cut off.

    Raises:
        ModelRefused: the model declined, or a filter did.
        Transient: the payload is not a chat completion, or one that was broken off.
    """
    choice = _choice(payload)
    if choice is None:
        raise Transient("the model's reply is not a chat completion")
    if finish := broken_off(payload):
        raise Transient(f"the model's reply was cut off: {finish}")
    message = choice.get("message") or choice.get("delta")
    if message is None and isinstance(choice.get("text"), str):
        message = {"content": choice["text"]}
    if isinstance(message, str):
        message = {"content": message}
    if not isinstance(message, dict):
        raise Transient("the model's reply is not a chat completion")
    refusal, finish = message.get("refusal"), str(choice.get("finish_reason")).casefold()
    if refusal:
        raise ModelRefused(f"the model declined: {str(refusal)[:300]}")
    if finish in _FILTERED:
        raise ModelRefused(f"the model's filter stopped the reply {WITHOUT_FILTER}")
    return message, "it was cut at the token limit; be shorter; " if finish in _CUT else ""


def _choice(payload: dict[str, Any]) -> dict[str, Any] | None:
    choices = payload.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    return choice if isinstance(choice, dict) else None
