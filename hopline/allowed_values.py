"""Rewords validation errors for people: what value was given, and what is allowed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic_core import core_schema

from hopline.words import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic import GetCoreSchemaHandler
    from pydantic_core import ErrorDetails

_PREFIXES = ("Input should be ", "Value error, ")
_OBJECTS = ("dict_type", "model_type", "model_attributes_type")


@dataclass(frozen=True)
class InWords:
    """Annotates a type whose bounds only a program can read: every error of it is these words.

    What the type is documented as does not change.
    """

    words: str

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> Any:
        """Wrap the type's own checks."""
        return core_schema.custom_error_schema(handler(source), "in_words", custom_error_message=self.words)


def allowed_in_words(error: ErrorDetails) -> str:
    """Return what would have been accepted, to be read after "must be"."""
    kind = error["type"]
    if kind in _OBJECTS:
        return "an object"
    if kind in _WORDS:
        return _WORDS[kind](error.get("ctx", {}))
    message = error["msg"]
    for prefix in _PREFIXES:
        message = message.removeprefix(prefix)
    # How the value was parsed says nothing about which values are allowed.
    return message.partition(", unable to parse")[0].partition(", got a number with a fractional part")[0]


def _least(unit: str) -> Callable[[dict[str, Any]], str]:
    return lambda bounds: f"at least {counted(bounds['min_length'], unit)}"


def _most(unit: str) -> Callable[[dict[str, Any]], str]:
    return lambda bounds: f"at most {counted(bounds['max_length'], unit)}"


_WORDS: dict[str, Callable[[dict[str, Any]], str]] = {
    "string_too_short": _least("character"),
    "string_too_long": _most("character"),
    "too_short": _least("item"),
    "too_long": _most("item"),
    "string_pattern_mismatch": lambda _bounds: "text of another form",
    "extra_forbidden": lambda _bounds: "left out: there is no field of this name",
    "missing": lambda _bounds: "a value",
}
