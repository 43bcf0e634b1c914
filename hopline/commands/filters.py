"""Gives a command the options of a filter, as its model declares them, and reads them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from inspect import Parameter
from types import NoneType
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import typer
from pydantic import AwareDatetime
from pydantic.fields import FieldInfo

from hopline.commands.bounds import Command, with_options
from hopline.commands.completion import complete_collection
from hopline.errors import InvalidInput
from hopline.operation import Pairs

MOST_JOBS = 2000  # that one command lists or acts on
_DURATION = re.compile(r"(\d{1,6}) ?(min|h|d)")
_UNITS = {"min": "minutes", "h": "hours", "d": "days"}
_TIMES = (datetime, AwareDatetime)
_WHEN = "a time such as 2026-11-20 or 2026-11-20T08:00, or how long ago: 30min, 12h, 7d"

Filter = TypeVar("Filter")


def filtered(model: type, *, without: Collection[str] = ()) -> Callable[[Command], Command]:
    """Give a command that accepts any keyword one option per field of a filter; `read_filter` reads them.

    Args:
        model: a TypedDict; its fields' names and descriptions are those of the options.
        without: fields that the command has no option for.
    """
    hints = get_type_hints(model, include_extras=True)
    return with_options([_option(name, hint) for name, hint in hints.items() if name not in without])


def read_filter(model: type[Filter], given: Mapping[str, Any]) -> Filter:
    """Return the filter that the options describe, without fields that were not given.

    Raises:
        InvalidInput: a time or a tag is not valid.
    """
    hints = get_type_hints(model, include_extras=True)
    values = {name: _read(name, value, hints[name]) for name, value in given.items() if value}
    return model(**values)


def _option(name: str, hint: Any) -> Parameter:
    marks, kind = _taken_apart(hint)
    described = next(mark.description for mark in marks if isinstance(mark, FieldInfo) and mark.description)
    option: Any = typer.Option(help=described, show_default=False)
    choices = get_args(kind) if get_origin(kind) is Literal else list(kind) if _is_enum(kind) else []
    if any(isinstance(mark, Pairs) for mark in marks):
        tag = typer.Option("--tag", metavar="NAME=VALUE", help="Only jobs with this tag; may be repeated.")
        kind, option = list[str], tag
    elif kind in _TIMES:
        kind, option.metavar = str, "TIME"
        option.help = f"{described.rstrip('.')}: 2026-11-20, 2026-11-20T08:00, 12h, 7d."
    elif choices:
        option.metavar, option.help = name.upper(), f"{described.rstrip('.')}: {', '.join(choices)}."
    elif name == "collection":
        option.param_decls, option.autocompletion = ("--collection", "-c"), complete_collection
    return Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind | None, option])


def _is_enum(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, StrEnum)


def _taken_apart(hint: Any) -> tuple[list[Any], Any]:
    """Return a type's annotations, at any depth, and the plain type without `None`."""
    if get_origin(hint) is Annotated:
        inner, *marks = get_args(hint)
        deeper, kind = _taken_apart(inner)
        return [*marks, *deeper], kind
    kinds = [kind for kind in get_args(hint) if kind is not NoneType]
    if NoneType in get_args(hint) and len(kinds) == 1:
        return _taken_apart(kinds[0])
    return [], hint


def _read(name: str, value: Any, hint: Any) -> Any:
    marks, kind = _taken_apart(hint)
    if kind in _TIMES:
        return read_since(value, name)
    for mark in marks:
        if isinstance(mark, Pairs):
            return _tags(value, mark)
    return value


def _tags(texts: Collection[str], pairs: Pairs) -> Mapping[str, str]:
    for text in texts:
        if not all(text.partition("=")):
            raise InvalidInput("--tag", text, "NAME=VALUE")
    return pairs.read(list(texts))


def read_since(time_text: str, field: str = "since") -> datetime:
    """Parse a time; without a zone it is in this machine's zone, and `12h` means twelve hours ago.

    Raises:
        InvalidInput: not a time.
    """
    text = time_text.strip()
    try:
        if _DURATION.fullmatch(text):
            return datetime.now().astimezone() - read_duration(text, field)
        return datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError):
        raise InvalidInput(field, time_text, _WHEN) from None


def read_duration(text: str, field: str) -> timedelta:
    """Parse a duration such as 30min, 12h or 7d.

    Raises:
        InvalidInput: not a duration.
    """
    match = _DURATION.fullmatch(text.strip())
    if not match:
        raise InvalidInput(field, text, "minutes, hours or days: 30min, 12h, 7d")
    return timedelta(**{_UNITS[match[2]]: int(match[1])})
