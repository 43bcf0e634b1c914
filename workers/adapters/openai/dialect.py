"""Learns from refusals which request forms an endpoint accepts, such as json_schema or streaming."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

from workers.adapters.openai.partial_reply import Growing
from workers.core.jobs.work import Json

Format = Literal["json_schema", "json_object", "prompt"]
Message = dict[str, Any]
_SURE = 4096  # tokens of a reply; an endpoint that refuses these is not asked for fewer
_OF_LENGTH = ("max tokens", "completion tokens", "output tokens", "in the completion")


@dataclass(frozen=True)
class Dialect:
    """The form of request that an endpoint takes for a model."""

    format: Format = "json_schema"
    limit_field: str = "max_tokens"
    temperature: bool = True
    tools: Literal["required", "auto", "none"] = "required"  # none: tools are chosen by a reply in JSON
    parallel_calls: bool = True
    stream: bool = True  # a reply may come in pieces, where somebody wants to see it grow
    thinking: int = 0  # tokens that the model may take for its thoughts, beside the reply
    more: Json = field(default_factory=dict)  # further fields of every request
    longest: int | None = None  # tokens of a reply, where the endpoint refused more

    def limit(self, wanted: int) -> int:
        """Return how many tokens a reply and the thoughts before it may take; wanted: of the reply."""
        return min(wanted, self.longest or wanted) + self.thinking

    def shorter(self, wanted: int, complaint: str) -> Dialect | None:
        """Return the form with half as long a reply, at least 4,096 tokens; None if that is no remedy."""
        now = min(wanted, self.longest or wanted)
        if now <= _SURE or not is_of_length(complaint) or self._renamed(complaint) is not None:
            return None
        return replace(self, longest=max(_SURE, now // 2))

    def after(self, complaint: str) -> Dialect | None:
        """Return the form to try after a refusal with these words; None when there is no other."""
        if (other := self._renamed(complaint)) is not None:
            return other
        if self.format == "prompt":
            return None
        return replace(self, format="json_object" if self.format == "json_schema" else "prompt")

    def after_stream(self, complaint: str) -> Dialect | None:
        """Return the form to try after a request for a reply in pieces was refused with these words.

        Without pieces where the words speak of them, or where every other form was refused too.
        """
        whole = replace(self, stream=False)
        if "stream" in complaint.casefold():
            return whole
        return self.after(complaint) or replace(whole, format=Dialect.format)

    def after_tools(self, complaint: str) -> Dialect:
        """Return the form to try after a request with tools was refused with these words."""
        if (other := self._renamed(complaint)) is not None:
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

    def _renamed(self, complaint: str) -> Dialect | None:
        if self.limit_field == "max_tokens" and "max_completion_tokens" in complaint:
            return replace(self, limit_field="max_completion_tokens")
        if self.temperature and "temperature" in complaint:
            return replace(self, temperature=False)
        return None


def is_of_length(complaint: str) -> bool:
    """Return whether an error message is about a reply's maximal length."""
    text = complaint.casefold().replace("_", " ")
    return any(words in text for words in _OF_LENGTH)


class Request(Protocol):
    """A chat request that can be sent in every form that an endpoint may accept."""

    def body(self, model: str, limit: int, dialect: Dialect) -> bytes:
        """Return the request's body as JSON; limit: tokens of the reply."""

    def bound(self, dialect: Dialect) -> int:
        """Return the most tokens that all but the reply takes."""

    def after(self, dialect: Dialect, complaint: str) -> Dialect | None:
        """Return the form to try after a refusal with these words; None when there is no other."""

    def hearer(self, dialect: Dialect) -> Growing | None:
        """Return the listener of a streamed reply; None if it is not streamed."""
