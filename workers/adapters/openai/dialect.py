"""Learns from refusals which request forms an endpoint accepts, such as json_schema or streaming."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

from hopline.models.jobs import Json
from workers.adapters.openai.partial_reply import Growing

Format = Literal["json_schema", "json_object", "prompt"]
Message = dict[str, Any]
_NUMBER = re.compile(r"\d++(?:,\d{3})*+")
_LEAST = 256  # tokens of a reply; a smaller number in a complaint is something else
_SURE = 4096  # tokens of a reply; an endpoint that refuses these is not asked for fewer
# In complaints about how a reply in JSON is asked for; about other parts of a request; about unknown ones.
_OF_FORMAT = ("response_format", "response format", "json", "schema", "grammar", "structured", "guided")
_OF_FORM = re.compile(
    r"\b(?:response.?format|json.?schema|json.?object|grammar|guided|structured.outputs?|streaming|stream|"
    r"stream.options|tools?|tool.choice|parallel.tool.calls|requested parameters|temperature|"
    r"encoding.format|system (?:role|message|prompt)|roles must alternate)\b",
    re.IGNORECASE,
)
_UNKNOWN = ("unsupported", "not supported", "unknown", "unrecognized", "unexpected", "extra", "not permitted")
_OTHER_NAME = (*_UNKNOWN, "instead", "use max_completion", "use 'max_completion")
# From chat templates and servers without a system role.
_NO_SYSTEM = ("must alternate", "only user and assistant", "developer instruction", "messages.0.role")
_AT_LEAST = ("at least", "minimum", "greater than", "below", ">=")
_OF_LENGTH = ("max tokens", "completion tokens", "output tokens", "in the completion")


@dataclass(frozen=True)
class Dialect:
    """The form of request that an endpoint takes for a model."""

    format: Format = "json_schema"
    limit_field: str = "max_tokens"  # "": none is taken
    temperature: bool = True
    tools: Literal["required", "auto", "none"] = "required"  # none: tools are chosen by a reply in JSON
    parallel_calls: bool = True
    stream: bool = True  # a reply may come in pieces, where somebody wants to see it grow
    stream_usage: bool = True  # then what it took is asked for, too
    system: bool = True  # the prompt goes in a message of its own; else it stands before the input
    thinking: int = 0  # tokens that the model may take for its thoughts, beside the reply
    more: Json = field(default_factory=dict)  # further fields of every request
    longest: int | None = None  # tokens of a reply, where the endpoint refused more
    shortest: int = 1  # lowest token limit that the endpoint takes

    def limit(self, wanted: int) -> int:
        """Return how many tokens a reply and the thoughts before it may take; wanted: of the reply."""
        return max(self.shortest, min(wanted, self.longest or wanted) + self.thinking)

    def shorter(self, wanted: int, complaint: str) -> Dialect | None:
        """Return the form with a shorter reply; None if that does not help.

        As long as the words allow, where they name a number; else half as long, at least 4,096 tokens.
        """
        now = min(wanted, self.longest or wanted)
        if not is_of_length(complaint) or self._named(complaint) is not None:
            return None
        words = "" if "context" in complaint else complaint  # a context's length holds the prompt, too
        numbers = [int(number.replace(",", "")) for number in _NUMBER.findall(words)]
        allowed = max((number for number in numbers if _LEAST <= number < now + self.thinking), default=0)
        if allowed > self.thinking:
            return replace(self, longest=allowed - self.thinking)
        return replace(self, longest=max(_SURE, now // 2)) if now > _SURE else None

    def longer(self, wanted: int, complaint: str) -> Dialect | None:
        """Return the form with the higher token limit that the complaint asks for, None if there is none."""
        if not is_of_length(complaint) or not _mentions(complaint, _AT_LEAST):
            return None
        numbers = [int(number.replace(",", "")) for number in _NUMBER.findall(complaint)]
        least = min((number for number in numbers if self.limit(wanted) < number <= _SURE), default=0)
        return replace(self, shortest=least) if least else None

    def after(self, complaint: str, *, streamed: bool = False, taken: bool = False) -> Dialect | None:
        """Return the form to try after a refusal with these words; None when there is no other.

        A refusal that names no part of the request is acted on at most twice; after that, the request has
        only parts that every endpoint supports.

        Args:
            complaint: the words.
            streamed: whether the reply was asked for in pieces.
            taken: whether the model has answered in this form before, in one piece.
        """
        if (other := self._named(complaint)) is not None:
            return other
        simpler: Format = "json_object" if self.format == "json_schema" else "prompt"
        if _mentions(complaint, _OF_FORMAT) and self.format != "prompt":
            return replace(self, format=simpler)
        whole = replace(self, stream=self.stream and not streamed)
        if streamed and taken:
            return whole
        less = replace(whole, format=simpler)
        plain = replace(less, temperature=False) if simpler == "prompt" else less
        return plain if plain != self else None

    def plain(self) -> Dialect | None:
        """Return the form with nothing that is not in every endpoint's protocol; None if this is it."""
        plain = replace(
            self, format="prompt", temperature=False, stream=False, tools="none", parallel_calls=False
        )
        return plain if plain != self else None

    def after_tools(self, complaint: str) -> Dialect:
        """Return the form to try after a request with tools was refused with these words."""
        if (other := self._named(complaint)) is not None:
            return other
        text = complaint.casefold().replace("_", " ")
        if self.parallel_calls and "parallel" in text:
            return replace(self, parallel_calls=False)
        simplest = self.tools == "auto" and not self.parallel_calls
        about_choice = "tool choice" in text
        if simplest or ("tool" in text and not about_choice):
            return replace(self, tools="none")
        if about_choice:
            return replace(self, tools="auto" if self.tools == "required" else "none")
        return replace(self, tools="auto", parallel_calls=False)

    def _named(self, complaint: str) -> Dialect | None:
        """Return the form without the parts that the message names; None if it names no optional part."""
        text = complaint.casefold()
        if self.limit_field == "max_tokens" and _mentions(text, ("max_completion_tokens",)):
            return (
                replace(self, limit_field="max_completion_tokens") if _mentions(text, _OTHER_NAME) else None
            )
        if self.limit_field and self.limit_field in text and _mentions(text, _UNKNOWN):
            return replace(
                self, limit_field="max_completion_tokens" if self.limit_field == "max_tokens" else ""
            )
        if self.temperature and "temperature" in text:
            return replace(self, temperature=False)
        about_system = "system" in text and _mentions(text, ("role", "instruction", "prompt"))
        if self.system and (about_system or _mentions(text, _NO_SYSTEM)):
            return replace(self, system=False)
        if self.stream and "stream" in text:
            return (
                replace(self, stream_usage=False)
                if self.stream_usage and "options" in text
                else replace(self, stream=False)
            )
        return None


def _mentions(complaint: str, words: Iterable[str]) -> bool:
    text = complaint.casefold()
    return any(word in text for word in words)


def is_of_length(complaint: str) -> bool:
    """Return whether an error message is about a reply's maximal length."""
    return _mentions(complaint.replace("_", " "), _OF_LENGTH)


def is_of_form(complaint: str) -> bool:
    """Return whether an error message concerns the form of a request, not its contents."""
    return bool(_OF_FORM.search(complaint))


class Request(Protocol):
    """A chat request that can be sent in every form that an endpoint may accept."""

    def body(self, model: str, limit: int, dialect: Dialect) -> bytes:
        """Return the request's body as JSON; limit: tokens of the reply."""

    def bound(self, dialect: Dialect) -> int:
        """Return the most tokens that all but the reply takes."""

    def after(self, dialect: Dialect, complaint: str, *, taken: bool) -> Dialect | None:
        """Return the form to try after a refusal with these words; None when there is no other.

        taken: whether the model has answered in this form before.
        """

    def hearer(self, dialect: Dialect) -> Growing | None:
        """Return the listener of a streamed reply; None if it is not streamed."""
