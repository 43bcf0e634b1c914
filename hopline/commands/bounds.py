"""Gives a command options that a model declares: one for each bound of its job, with its default and help."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, cast

import typer

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic.fields import FieldInfo

Command = TypeVar("Command", bound=Callable[..., None])


def bounded(
    model: type[BaseModel], panel: str, panels: Mapping[str, Sequence[str]]
) -> Callable[[Command], Command]:
    """Give a command that accepts any keyword one option per field of a model; None if it is not given.

    Args:
        model: the model whose fields are the bounds.
        panel: the help panel that shows the options.
        panels: further panels, each with the names of the bounds that it shows.
    """
    of = {name: other for other, names in panels.items() for name in names}
    return with_options(
        [_option(name, field, of.get(name, panel)) for name, field in model.model_fields.items()]
    )


def with_options(options: Sequence[Parameter]) -> Callable[[Command], Command]:
    """Give a command that accepts any keyword these options, placed before its own keyword-only ones."""

    def given(command: Command) -> Command:
        own = signature(command, eval_str=True)
        named = [each for each in own.parameters.values() if each.kind is not Parameter.VAR_KEYWORD]
        last = [each for each in named if each.kind is Parameter.KEYWORD_ONLY]
        first = [each for each in named if each not in last]
        cast("Any", command).__signature__ = own.replace(parameters=[*first, *options, *last])
        return command

    return given


def _option(name: str, field: FieldInfo, panel: str) -> Parameter:
    option = typer.Option(help=f"{field.description}{_shown(field.default)}", rich_help_panel=panel)
    kind: Any = Annotated[cast("Any", field.annotation) | None, option]
    return Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=kind)


def _shown(default: object) -> str:
    if default is None:
        return ""
    if isinstance(default, bool):
        return f" (default {'yes' if default else 'no'})"
    return f" (default {default:g})" if isinstance(default, int | float) else f" (default {default})"
