"""Builds chat requests and reads the replies."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, TypeVar

import orjson
from pydantic import BaseModel, ValidationError
from pydantic_core import to_json

from hopline.visible import visible, visible_value
from workers.adapters.openai.dialect import Dialect, Format, Message
from workers.adapters.openai.partial_reply import Growing
from workers.adapters.openai.replies import content_of, message_of, objects_in, said
from workers.core.errors import ModelRefusedSchema
from workers.core.models.tokens import count_tokens
from workers.core.ports import FollowUp
from workers.core.prompts import Prompt

Reply = TypeVar("Reply", bound=BaseModel)

_SCHEMA = (
    "Answer with one JSON object and nothing else, without a code fence. It must fit this JSON schema:\n"
)
_WITH_USAGE = {"stream_options": {"include_usage": True}}
MARGIN = 1.15  # other vocabularies than the counted one take some percent more
_FRAME = 16  # tokens that an endpoint adds around two messages
# Tokens of a picture at most: of 1,568 pixels on its longer side, as endpoints that count pixels take it.
_PICTURE_TOKENS = 3300
_SHOWN_ERRORS = 5
_SHOWN_REPLY = 8000  # characters of a bad reply that are shown to the model again
# Endpoints that constrain the reply refuse these; the reply is validated against the full schema here.
_UNCONSTRAINED = frozenset(
    ("default", "minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems", "pattern", "format")
)


class ReplyMisfit(Exception):
    """A reply does not fit its schema.

    Attributes:
        content: content of the reply.
        is_cut: it was cut at the token limit.
    """

    def __init__(self, content: str, reason: str, *, is_cut: bool = False) -> None:
        super().__init__(reason)
        self.content = content
        self.is_cut = is_cut


def input_message(material: Mapping[str, Any]) -> str:
    """Return the user message, its texts as a reader sees them; no `<` of them can close the block."""
    seen = visible_value(material)
    try:
        text = orjson.dumps(seen).decode()
    except TypeError:  # half a surrogate pair: broken text still is material
        text = json.dumps(seen, ensure_ascii=False).encode("utf-8", "replace").decode()
    return f"<input>{text.replace('<', chr(92) + 'u003c')}</input>"


def _with_pictures(text: str, pictures: Sequence[bytes]) -> str | list[dict[str, Any]]:
    """Return the content of a message: a text and pictures (PNG), or the text alone."""
    if not pictures:
        return text
    urls = (f"data:image/png;base64,{b64encode(picture).decode()}" for picture in pictures)
    return [
        {"type": "text", "text": text},
        *({"type": "image_url", "image_url": {"url": url}} for url in urls),
    ]


def repair_messages(misfit: ReplyMisfit) -> list[Message]:
    """Return the messages that ask the model to repair its reply."""
    content = misfit.content[:_SHOWN_REPLY] or "(nothing)"
    ask = f"This reply cannot be used: {misfit}. Answer again with the whole corrected JSON object only."
    return [{"role": "assistant", "content": content}, {"role": "user", "content": ask}]


def follow_up_messages(reply: BaseModel, follow_up: FollowUp) -> list[Message]:
    """Return the messages that ask the model for another reply."""
    content = reply.model_dump_json()[:_SHOWN_REPLY]
    ask = f"{follow_up.prompt.text}\n\n{input_message(follow_up.material)}"
    return [{"role": "assistant", "content": content}, {"role": "user", "content": ask}]


class ReplyRequest:
    """A request for a reply of a schema; further messages follow the material.

    Args:
        growing: sees the reply grow, where the endpoint gives it in pieces.
        pictures: PNG files that go with the material.
    """

    def __init__(
        self,
        prompt: Prompt,
        material: Mapping[str, Any],
        reply: type[BaseModel],
        growing: Growing | None = None,
        pictures: Sequence[bytes] = (),
    ) -> None:
        self._prompt = prompt
        self._reply = reply
        self._growing = growing
        content = _with_pictures(input_message(material), pictures)
        self.talk: list[Message] = [{"role": "user", "content": content}]

    def body(self, model: str, limit: int, dialect: Dialect) -> bytes:
        """Return the request's body as JSON."""
        messages = [
            {"role": "system", "content": system_text(self._prompt, self._reply, dialect.format)},
            *self.talk,
        ]
        body = chat_body(model, messages, limit, dialect)
        if dialect.format == "json_schema":
            body["response_format"] = _schema_format(self._reply)
        elif dialect.format == "json_object":
            body["response_format"] = {"type": "json_object"}
        if self.hearer(dialect):
            body |= {"stream": True} | (_WITH_USAGE if dialect.stream_usage else {})
        return orjson.dumps(body)

    def bound(self, dialect: Dialect) -> int:
        """Return the most tokens that prompt, schema and talk take; the fixed part is counted once."""
        return prompt_bound(_fixed_tokens(self._prompt, self._reply, dialect.format), self.talk)

    def after(self, dialect: Dialect, complaint: str, *, taken: bool = False) -> Dialect | None:
        """Return the form to try after a refusal; see `Request`."""
        return dialect.after(complaint, streamed=self.hearer(dialect) is not None, taken=taken)

    def hearer(self, dialect: Dialect) -> Growing | None:
        """Return the listener of a streamed reply; None if it is not streamed."""
        return self._growing if dialect.stream else None


def chat_body(model: str, messages: list[Message], limit: int, dialect: Dialect) -> dict[str, Any]:
    """Return what every chat request has."""
    body: dict[str, Any] = {"temperature": 0} if dialect.temperature else {}
    own: dict[str, Any] = {"model": model, "messages": messages if dialect.system else _joined(messages)}
    if dialect.limit_field:
        own[dialect.limit_field] = dialect.limit(limit)
    return body | dialect.more | own


def _joined(messages: list[Message]) -> list[Message]:
    """Return a conversation with the system text moved into the first user message."""
    system, first, *rest = messages
    content = first["content"]
    if isinstance(content, list):
        return [first | {"content": [{"type": "text", "text": system["content"]}, *content]}, *rest]
    return [first | {"content": f"{system['content']}\n\n{content}"}, *rest]


@lru_cache(maxsize=256)
def system_text(prompt: Prompt, reply: type[BaseModel], form: Format) -> str:
    """Return the system text: the prompt, and the schema if the request does not carry it."""
    if form == "json_schema":
        return prompt.text
    return f"{prompt.text}\n\n{_SCHEMA}{orjson.dumps(_shown(reply.model_json_schema())).decode()}"


def prompt_bound(fixed: int, talk: list[Message]) -> int:
    """Return the most tokens that a prompt takes; fixed: those of all but the talk."""
    varying = sum(count_tokens(part) for message in talk for part in _texts(message))
    return int((fixed + varying) * MARGIN) + _FRAME + _PICTURE_TOKENS * sum(map(_pictures_in, talk))


def _texts(message: Message) -> Iterator[str]:
    """Yield a message's texts: of calls that are shown to the model again, the calls."""
    content = message["content"] or ""
    yield from (part.get("text", "") for part in content) if isinstance(content, list) else [content]
    if "tool_calls" in message:
        yield orjson.dumps(message["tool_calls"]).decode()


def _pictures_in(message: Message) -> int:
    content = message["content"]
    return sum(part["type"] == "image_url" for part in content) if isinstance(content, list) else 0


@lru_cache(maxsize=256)
def _fixed_tokens(prompt: Prompt, reply: type[BaseModel], form: Format) -> int:
    schema = orjson.dumps(_schema_format(reply)).decode() if form == "json_schema" else ""
    return count_tokens(system_text(prompt, reply, form)) + count_tokens(schema)


@cache
def _schema_format(reply: type[BaseModel]) -> dict[str, Any]:
    schema = _strict(_shown(reply.model_json_schema()))
    return {"type": "json_schema", "json_schema": {"name": reply.__name__, "strict": True, "schema": schema}}


def _shown(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema without our classes' descriptions, because the prompt says what a model needs."""
    parts = [_silent(part) for part in schema.get("$defs", {}).values()]
    shown = {"title": schema.get("title", ""), **_silent(schema)}
    return shown | ({"$defs": dict(zip(schema["$defs"], parts, strict=True))} if parts else {})


def _silent(schema: dict[str, Any]) -> dict[str, Any]:
    kept = {word: part for word, part in schema.items() if word not in {"title", "description"}}
    if "properties" in kept:
        kept["properties"] = {
            name: {word: part for word, part in field.items() if word not in {"title", "description"}}
            for name, field in kept["properties"].items()
        }
    return kept


def _strict(schema: Any, *, names: bool = False) -> Any:
    """Return the schema as strict endpoints want it: every property required, nothing else allowed.

    names: the keys of this object are names of properties or definitions, not words of the schema language.
    """
    if isinstance(schema, list):
        return [_strict(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if names:
        return {name: _strict(part) for name, part in schema.items()}
    strict = {
        word: _strict(part, names=word in ("properties", "$defs"))
        for word, part in schema.items()
        if word not in _UNCONSTRAINED
    }
    if "properties" in strict:
        strict |= {"required": list(strict["properties"]), "additionalProperties": False}
    return strict


def read_reply(payload: dict[str, Any], reply: type[Reply]) -> Reply:
    """Return the validated reply of a chat completion.

    Raises:
        ModelRefused: the model declined, or a filter did.
        ReplyMisfit: the reply does not fit the schema.
        Transient: the payload is not a chat completion.
    """
    return read_content(*message_of(payload), reply)


def read_content(message: dict[str, Any], cut: str, reply: type[Reply]) -> Reply:
    """Return a message's validated reply, with invisible characters removed.

    cut: the first words about a reply that does not fit.

    Raises:
        ReplyMisfit: the reply does not fit the schema.
    """
    content = content_of(message)
    found = sorted(objects_in(content), key=lambda pair: pair[0].keys().isdisjoint(reply.model_fields))
    faults: list[ValidationError] = []
    inner = [
        (value, "")
        for outer, _ in found
        if outer.keys().isdisjoint(reply.model_fields)
        for value in outer.values()
        if isinstance(value, dict) and not value.keys().isdisjoint(reply.model_fields)
    ]  # wrapped in a field such as `result` or the schema's name
    for told in [_visible_json(*pair) for pair in found + inner] or [said(content).strip()]:
        try:
            return reply.model_validate_json(told)
        except ValidationError as error:
            faults.append(error)
    raise ReplyMisfit(visible(content), cut + _reasons(faults[0]), is_cut=bool(cut)) from faults[0]


def _visible_json(value: dict[str, Any], text: str) -> str | bytes:
    """Return an object's JSON with all texts in it visible; what cannot be is left to the validation."""
    try:
        return to_json(visible_value(value))
    except (ValueError, RecursionError):
        return text


def _reasons(error: ValidationError) -> str:
    details = error.errors(include_url=False, include_context=False, include_input=False)
    shown = [
        f"{'.'.join(map(str, detail['loc'])) or 'reply'}: {detail['msg']}"
        for detail in details[:_SHOWN_ERRORS]
    ]
    return "; ".join(shown)


def build_refusal(reply: type[BaseModel], misfit: ReplyMisfit) -> ModelRefusedSchema:
    """Return the error for a reply that did not fit after its repair either."""
    return ModelRefusedSchema(
        f"the model does not reply in the JSON that hopline asks for ({reply.__name__}), "
        f"even when it is asked again: {misfit}",
        next((text for _, text in objects_in(misfit.content)), said(misfit.content).strip()),
    )
