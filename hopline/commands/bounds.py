"""Options of a command for the bounds of its job; their names, defaults and help are those of a model.

The model is imported when the command is looked at, so that `hopline --help` is quick.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib import import_module
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, cast

import typer
from typer.core import TyperCommand

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic.fields import FieldInfo

_GIVEN = "hopline.bounds"


class BoundedCommand(TyperCommand):
    """A command with an option for each bound; its function takes the context, and `bounds_of` reads them."""

    model: ClassVar[str]  # in hopline.models.params
    panel: ClassVar[str]  # of the help
    panels: ClassVar[Mapping[str, Sequence[str]]] = {}  # others, each with its bounds

    @cached_property
    def bounds(self) -> list[Any]:
        """The options, as Typer makes them of a function's parameters."""
        model: type[BaseModel] = getattr(import_module("hopline.models.params"), self.model)
        panels = {name: panel for panel, names in self.panels.items() for name in names}

        def declared() -> None: ...

        parameters = [
            _parameter(name, field, panels.get(name, self.panel))
            for name, field in model.model_fields.items()
        ]
        cast("Any", declared).__signature__ = Signature(parameters)
        app = typer.Typer(add_completion=False)
        app.command()(declared)
        return list(typer.main.get_command(app).params)

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the options of the function, and those of the bounds."""
        return [*super().get_params(ctx), *self.bounds]

    def invoke(self, ctx: Any) -> Any:
        """Run the function, which has no parameters for the bounds."""
        ctx.meta[_GIVEN] = {option.name: ctx.params.pop(option.name) for option in self.bounds}
        return super().invoke(ctx)


def bounds_of(context: typer.Context) -> dict[str, Any]:
    """Return the bounds that are given."""
    given: dict[str, Any] = context.meta[_GIVEN]
    return {name: value for name, value in given.items() if value is not None}


def _parameter(name: str, field: FieldInfo, panel: str) -> Parameter:
    option = typer.Option(help=f"{field.description}{_shown(field.default)}", rich_help_panel=panel)
    kind: Any = Annotated[cast("Any", field.annotation) | None, option]
    return Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=kind)


def _shown(default: object) -> str:
    if default is None:
        return ""
    if isinstance(default, bool):
        return f" (default {'yes' if default else 'no'})"
    return f" (default {default:g})" if isinstance(default, int | float) else f" (default {default})"
