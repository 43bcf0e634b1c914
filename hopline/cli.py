"""The command line: a tree of commands, each of whose modules is imported when it runs."""

from __future__ import annotations

import json
from contextlib import nullcontext
from functools import cache, partial, wraps
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from typer.core import TyperCommand

from hopline.commands.console import ReportingGroup
from hopline.commands.exits import in_words
from hopline.commands.help import HelpfulCommand, filled, with_help_of_all
from hopline.local import find_server_commands

if TYPE_CHECKING:
    from collections.abc import Callable

TEACHING_ORDER = {
    "Documents and questions": (
        "ingest", "sync", "read", "estimate", "ask", "chat", "search", "demo", "mcp",
    ),
    "What the graph holds": (
        "collections", "documents", "elements", "merges", "topics", "concepts", "tools", "export", "import",
        "eval",
    ),
    "Work": (
        "jobs", "batches", "schedules", "conversations", "sessions", "history", "audit", "pauses", "weights",
    ),
    "Servers and workers": (
        "up", "down", "status", "top", "doctor", "settings", "keys", "messages", "api", "serve", "worker",
        "flower", "beat", "backup", "restore", "migrate", "uninstall",
    ),
}  # fmt: skip
_OF_LOCAL = ("demo", "up", "down", "uninstall")  # these start or end servers on this machine
_PANELS = {name: panel for panel, names in TEACHING_ORDER.items() for name in names}
# Module and name of a function, or of a group. What works on the servers themselves comes from the server's
# distribution, by its entry point.
_COMMANDS = {
    **{
        name: f"hopline.commands.{name}:{name}"
        for name in ("api", "ask", "chat", "estimate", "ingest", "search", "settings", "sync")
    },
    **{
        name: f"hopline.commands.{name}:app"
        for name in (
            "audit",
            "batches",
            "collections",
            "concepts",
            "conversations",
            "documents",
            "elements",
            "history",
            "jobs",
            "keys",
            "merges",
            "messages",
            "pauses",
            "schedules",
            "sessions",
            "tools",
            "topics",
            "weights",
        )
    },
    "jobs replay": "hopline.commands.replay:replay",
}
_SUMMARIES = Path(__file__).with_name("commands") / "summaries.json"
_LISTED = "hopline.listed"  # in a context's `meta`: only the lines of commands are asked for


class CommandTree(ReportingGroup):
    """The commands in the order in which one learns them.

    Their list, and the completion of their names, tell each by its line of summaries.json, which
    `python -m infra.client_code` writes: no module of a command is imported for it.
    """

    def __init__(self, **named: Any) -> None:
        super().__init__(**named)
        self.help = filled((self.help or "").replace("{exit_codes}", f"Exit codes: {in_words()}."))

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, `--help-all` and `--help` last."""
        return with_help_of_all(super().get_params(ctx), "Show this and the help of every command.")

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that is named; of a misspelled name, say which may be meant."""
        self.commands = dict.fromkeys(command_names(), cast("Any", None))  # only their names are looked at
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - as click calls it
        """Return the names of the commands that are installed."""
        return command_names()

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command, or only its line where all of them are listed.

        Raises:
            InvalidInput: it comes with the server's distribution, which is not installed.
        """
        if ctx.meta.get(_LISTED) and cmd_name in (lines := _summaries()):
            return TyperCommand(cmd_name, help=lines[cmd_name], rich_help_panel=_PANELS[cmd_name])
        if (found := command(cmd_name)) is None and cmd_name in _PANELS:
            from hopline.errors import InvalidInput  # noqa: PLC0415 - `--help` needs none

            message = (
                f"`hopline {cmd_name}` is part of the server, which is not installed: "
                f"pip install 'hopline[{'local' if cmd_name in _OF_LOCAL else 'server'}]'"
            )
            raise InvalidInput("command", cmd_name, "one that is installed", message=message)
        return found

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the list of commands."""
        ctx.meta[_LISTED] = True
        super().format_help(ctx, formatter)
        ctx.meta[_LISTED] = False

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """Return the names that begin so, each with its line."""
        ctx.meta[_LISTED] = True
        return super().shell_complete(ctx, incomplete)


def command_names() -> list[str]:
    """Return the names of the commands that are installed, in teaching order."""
    known = _places()
    return [name for name in _PANELS if name in known]


@cache
def command(name: str) -> Any:
    """Return the command of a name as click runs it; None if it is not installed."""
    if name not in _PANELS or not (place := _places().get(name)):
        return None
    made = _made(place, name, _PANELS[name])
    for full_name, its_place in _places().items():
        group, _, its_name = full_name.partition(" ")
        if its_name and group == name:
            made.add_command(_made(its_place, its_name, None))
    return made


def _made(place: str, name: str, panel: str | None) -> Any:
    where, _, attribute = place.partition(":")
    loaded = getattr(import_module(where), attribute)
    alone = typer.Typer(add_completion=False, rich_markup_mode="rich", pretty_exceptions_enable=False)
    if isinstance(loaded, typer.Typer):
        alone.add_typer(loaded, name=name, rich_help_panel=panel)
        alone.callback()(lambda: None)
        group: Any = typer.main.get_command(alone)
        made = group.commands[name]
    else:
        alone.command(name, cls=HelpfulCommand, rich_help_panel=panel)(loaded)
        made = typer.main.get_command(alone)
    return made if where.startswith("hopline.") else _in_session(made)


def _in_session(made: Any) -> Any:
    """Have a command of the server's distribution, or those of a group, run in its session."""
    server = find_server_commands()

    def within(callback: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(callback)
        def call(*arguments: Any, **options: Any) -> Any:
            with server.session() if server else nullcontext():
                return callback(*arguments, **options)

        return call

    for each in (made, *getattr(made, "commands", {}).values()):
        if each.callback:
            each.callback = within(each.callback)
    return made


@cache
def _places() -> dict[str, str]:
    server = find_server_commands()
    return _COMMANDS | (server.COMMANDS if server else {})


@cache
def _summaries() -> dict[str, str]:
    lines: dict[str, str] = json.loads(_SUMMARIES.read_text(encoding="utf-8"))
    return lines


app = typer.Typer(
    name="hopline",
    cls=CommandTree,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version_wanted(wanted: bool) -> None:  # noqa: FBT001 - typer gives the option's value
    if wanted:
        typer.echo(version("hopline"))
        raise typer.Exit


@app.callback()
def hopline(
    context: typer.Context,
    version: Annotated[  # noqa: FBT002 - a flag
        bool,
        typer.Option("--version", help="Print hopline's version.", callback=_version_wanted, is_eager=True),
    ] = False,
    local: Annotated[  # noqa: FBT002 - a flag
        bool, typer.Option("--local", help="Work on the servers directly, even if an API is set.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show an error's full traceback.")] = False,  # noqa: FBT002 - read by ReportingGroup
) -> None:
    """Questions in, answers with citations out: a graph of atomic facts, walked by Celery workers.

    [bold]Begin with[/bold]

      hopline up                                        start the servers

      hopline demo                                      see it at work

      hopline ingest reports/ -c reports                bring documents in

      hopline ask "Who built the bridge?" -c reports    get an answer out

    Each noun lists what there is: hopline jobs, hopline documents. A verb behind it does the rest:
    hopline jobs show ID.

    Commands use the API at HOPLINE_API_URL, or the one that runs on this machine. With --local, or where
    HOPLINE_REDIS_URL or HOPLINE_NEO4J_URL is set, they work on the servers directly.

    {exit_codes}
    """
    from hopline.commands.client import LOCAL  # noqa: PLC0415 - `--help` needs none

    del version, debug
    context.call_on_close(partial(LOCAL.reset, LOCAL.set(local)))


def main() -> None:
    """Run the command line."""
    app()
