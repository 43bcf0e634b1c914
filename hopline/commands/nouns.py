"""Groups of commands by noun: `hopline jobs`, `hopline keys`."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any, TypeVar

import typer
from typer.core import TyperGroup

from hopline.commands.help import HelpfulCommand, usual_options, with_help_of_all

Command = TypeVar("Command", bound=Callable[..., Any])
LIST, SHOW = "list", "show"


class NounGroup(TyperGroup):
    """The commands of one noun; `list`, if it has one, runs by default."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, `--help-all` and `--help` last."""
        return with_help_of_all(super().get_params(ctx), "Show this and the help of every command.")

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Insert `list` before its options, or if there are no arguments, except in shell completion."""
        lists = LIST in self.commands and (
            args[0].startswith("-")
            and args[0] not in {name for param in self.get_params(ctx) for name in param.opts}
            if args
            else not ctx.resilient_parsing
        )
        parsed: list[str] = super().parse_args(ctx, [LIST, *args] if lists else args)
        return parsed

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help, including the most used options of `list`, which also work without that word."""
        shown = copy(self)
        if (listing := self.commands.get(LIST)) is not None:
            options = usual_options(listing)
            shown.params = [*self.params, *options]
            for option in options:
                option.rich_help_panel = f"Options of the list, as for {ctx.command_path} {LIST}"
        super(NounGroup, shown).format_help(ctx, formatter)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command; if there is none, the error says how to show something by id or name."""
        try:
            return super().resolve_command(ctx, args)
        except Exception as error:
            if SHOW in self.commands and hasattr(error, "message"):
                error.message = f"{error.message.rstrip('.')}. `{ctx.command_path} {SHOW} …` shows one."
            raise


class Noun(typer.Typer):
    """The commands of one noun, in order of declaration."""

    def command(self, name: str | None = None, **options: Any) -> Callable[[Command], Command]:
        """Declare a command, by default with a help that shows its most used options first."""
        return super().command(name, **({"cls": HelpfulCommand} | options))


def noun(summary: str) -> Noun:
    """Return a group for the commands of a noun, with this line in the list of commands."""
    return Noun(cls=NounGroup, no_args_is_help=True, rich_markup_mode="rich", help=summary)
