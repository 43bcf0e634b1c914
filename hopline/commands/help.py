"""Help of commands: refilled prose, unwrapped examples, and the most used options first."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from inspect import cleandoc
from typing import Any

import typer
from typer.core import TyperCommand

USUAL = 5  # options that `--help` shows of a command: the first of its signature
_ALL = "hopline.help_all"  # in a context's `meta`: all options are shown
EXAMPLE = "cyan"  # the style of examples
_EXIT_CODES = "Exit codes:"
_HELP_ALL = "--help-all"


class HelpfulCommand(TyperCommand):
    """A command whose help shows its first options; `--help-all` shows all."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self.help = filled(self.help or "")
        self._options = sum(map(_is_option, self.params))

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, `--help-all` and `--help` last."""
        summary = f"Show all {self._options} options."
        return with_help_of_all(super().get_params(ctx), summary, hidden=self._options <= USUAL)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help with all options in their panels, or with the most used ones."""
        shown = copy(self)
        if not ctx.meta.get(_ALL):
            arguments = [param for param in self.params if not _is_option(param)]
            options = usual_options(self)
            for option in options:
                option.rich_help_panel = None
            shown.params = arguments + options
        super(HelpfulCommand, shown).format_help(ctx, formatter)


def usual_options(command: Any) -> list[Any]:
    """Return copies of the options shown by the short help of a command."""
    return [copy(param) for param in command.params if _is_option(param)][:USUAL]


def _is_option(param: Any) -> bool:
    return param.param_type_name == "option" and not param.hidden


def with_help_of_all(params: list[Any], summary: str, *, hidden: bool = False) -> list[Any]:
    """Return a command's parameters with `--help-all` before its `--help`; flags have no type."""
    *others, helped = params
    every = copy(helped)
    every.name, every.opts, every.help, every.hidden = "help_all", [_HELP_ALL], summary, hidden
    every.callback = _print_all
    for param in (*others, every, helped):
        if getattr(param, "is_flag", False):
            param.metavar = ""
    return [*others, every, helped]


def _print_all(ctx: Any, _param: Any, wanted: bool) -> None:  # noqa: FBT001 - as click calls it
    if wanted and not ctx.resilient_parsing:
        print_whole(ctx)
        raise typer.Exit


def print_whole(ctx: Any) -> None:
    """Print the full help of a command, or of a group and all its commands in the order listed."""
    ctx.meta[_ALL] = True
    for each in _contexts(ctx):
        typer.echo(each.get_help())


def _contexts(ctx: Any) -> Iterator[Any]:
    yield ctx
    names = ctx.command.list_commands(ctx) if hasattr(ctx.command, "list_commands") else ()
    for name in names:
        below = ctx.command.get_command(ctx, name)
        if not below.hidden:
            yield from _contexts(type(ctx)(below, info_name=name, parent=ctx))


def filled(text: str) -> str:
    """Return a docstring with its prose joined into single lines; indented examples keep their line breaks.

    Examples are coloured, one per line; exit codes get a paragraph of their own.
    """
    parts = list[str]()
    for paragraph in cleandoc(text).split("\n\n"):
        if paragraph.startswith(
            " "
        ):  # markup goes before the indent: Typer takes it from lines that begin with it
            examples = "\n".join(f"[{EXAMPLE}]{line}[/]" for line in paragraph.splitlines())
            parts[-1] += f"\n{examples}"
        else:
            prose, found, codes = " ".join(paragraph.split()).partition(f" {_EXIT_CODES}")
            parts += [prose, f"{_EXIT_CODES}{codes}"] if found else [prose]
    return "\n\n".join(parts)
