"""Groups of commands by noun: `hopline jobs`, `hopline keys`."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

LIST, SHOW = "list", "show"


class NounGroup(TyperGroup):
    """The commands of one noun; where it has a `list`, that runs when none is named."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put `list` before options of it, or where nothing is given; a shell completes the names first."""
        lists = LIST in self.commands and (
            args[0].startswith("-") and args[0] not in self.get_help_option_names(ctx)
            if args
            else not ctx.resilient_parsing
        )
        parsed: list[str] = super().parse_args(ctx, [LIST, *args] if lists else args)
        return parsed

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that is named; of what may be an id or a name, say how it is shown."""
        try:
            return super().resolve_command(ctx, args)
        except Exception as error:
            if SHOW in self.commands and hasattr(error, "message"):
                error.message = f"{error.message.rstrip('.')}. `{ctx.command_path} {SHOW} …` shows one."
            raise


def noun(summary: str) -> typer.Typer:
    """Return a group for the commands of a noun, with this line in the list of commands."""
    return typer.Typer(cls=NounGroup, no_args_is_help=True, rich_markup_mode="rich", help=summary)
