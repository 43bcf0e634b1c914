"""Stores the accepted form of requests, and shares what refusals taught about it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from hopline.models.jobs import Json
from workers.core.models.learnt import Learnt

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Form = TypeVar("Form", bound="DataclassInstance")

_FRESH_SECONDS = 600.0  # then it is looked up again: others forget it, or find out more
# By field of a `Dialect` or an `EmbeddingForm`, and by its value; what follows "the model …".
_WORDS: dict[str, dict[Any, str]] = {
    "format": {
        "json_object": "needs the schema in its prompt, with json_object in place of json_schema",
        "prompt": "needs the schema in its prompt, and takes no response_format",
    },
    "limit_field": {
        "max_completion_tokens": "takes max_completion_tokens in place of max_tokens",
        "": "accepts no token limit",
    },
    "temperature": {False: "accepts no temperature: the same request may get different replies"},
    "tools": {
        "auto": "cannot be forced to call a tool",
        "none": "does not support tools: hopline has it choose them in JSON",
    },
    "parallel_calls": {False: "takes no parallel_tool_calls"},
    "stream": {False: "does not stream: people see an answer once it is whole"},
    "stream_usage": {False: "reports no usage when streaming: hopline books the upper bound"},
    "system": {False: "takes no system message: the user's message begins with the prompt"},
    "base64": {False: "returns vectors as numbers, not in base64"},
    "bare": {True: "takes a single text, not a list"},
}
_NUMBERS = {
    "longest": "writes at most {:,} tokens in a reply",
    "shortest": "takes no limit below {:,} tokens for a reply",
    "most": "embeds at most {:,} texts at a time",
}


class KnownForm(Generic[Form]):
    """The form of request that an endpoint takes for one model; thread-safe.

    Args:
        first: the form that is tried first, a frozen dataclass.
        learnt: store shared by processes.
        endpoint: the address of the endpoint.
        name: under which it is shared there.
    """

    def __init__(self, first: Form, learnt: Learnt, endpoint: str, name: str) -> None:
        self._first = self._form = first
        self._learnt = learnt
        self._endpoint = endpoint
        self._name = name
        self._fresh_until = 0.0  # monotonic seconds
        self._lock = threading.Lock()

    def get(self) -> Form:
        """Return the form that is known to be taken, or the first to try."""
        with self._lock:
            if time.monotonic() >= self._fresh_until:
                known = self._learnt.recall(self._endpoint, self._name)
                names = {field.name for field in fields(self._first)}
                changes: dict[str, Any] = {name: known[name] for name in known if name in names}
                self._form = replace(self._first, **changes)
                self._fresh_until = time.monotonic() + _FRESH_SECONDS
            return self._form

    def remember(self, form: Form, *, by_failing: bool = False) -> None:
        """Use a form from now on; one that was found because others failed may be chance: for a while."""
        with self._lock:
            self._form, self._fresh_until = form, time.monotonic() + _FRESH_SECONDS
        if not by_failing:
            self._learnt.keep(self._endpoint, self._name, self.changes())

    def changes(self) -> Json:
        """Return what refusals have changed of the first form."""
        first = vars(self._first)
        return {name: value for name, value in vars(self._form).items() if value != first[name]}


def in_words(changes: Json) -> Iterator[str]:
    """Yield the ending of a sentence about the model, for each change of its form of request."""
    for name, value in changes.items():
        if name in _NUMBERS:
            yield _NUMBERS[name].format(value)
        else:
            yield _WORDS.get(name, {}).get(value) or f"is now asked with {name}={value}"
