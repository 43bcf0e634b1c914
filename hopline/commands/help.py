"""hopline --help-all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer


def print_help_of_all(context: typer.Context, wanted: bool) -> None:  # noqa: FBT001 - typer gives the option's value
    """Print the help of a group and of everything below it, in the order in which the help lists commands."""
    if not wanted or context.resilient_parsing:
        return
    for each in _contexts(context):
        typer.echo(each.get_help())
    raise typer.Exit


def _contexts(context: Any) -> Iterator[Any]:
    yield context
    names = context.command.list_commands(context) if hasattr(context.command, "list_commands") else ()
    commands = [context.command.get_command(context, name) for name in names]
    panels = list(dict.fromkeys(command.rich_help_panel for command in commands))
    for command in sorted(commands, key=lambda command: panels.index(command.rich_help_panel)):
        if not command.hidden:
            yield from _contexts(type(context)(command, info_name=command.name, parent=context))
