"""The command line: commands of hopline/commands, and those of producer/commands, which need servers."""

from __future__ import annotations

from typing import Annotated

import typer

from hopline.commands import (
    api,
    ask,
    audit,
    batch,
    chat,
    collections,
    concepts,
    documents,
    elements,
    estimate,
    graph,
    history,
    ingest,
    jobs,
    keys,
    pauses,
    replay,
    schedules,
    schema,
    search,
    sync,
    tool,
    topics,
    weights,
)
from hopline.commands.bounds import BoundedCommand
from hopline.commands.console import ReportingGroup
from hopline.commands.help import print_help_of_all
from hopline.commands.mistakes import REDIS_ADDRESS
from producer.commands import backup, demo, evaluate, import_graph, mcp, messages, serve, stack, workers
from producer.commands import keys as local_keys

app = typer.Typer(
    name="hopline",
    cls=ReportingGroup,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

WORK, WATCH, RUN = "Documents and questions", "Jobs", "Servers and workers"
_PANELS = {
    WORK: (
        ingest.ingest,
        sync.sync,
        estimate.estimate,
        ask.ask,
        chat.chat,
        search.search,
        documents.documents,
        documents.metadata,
        documents.delete,
        documents.reindex,
        graph.graph,
        schema.schema,
        tool.tool,
        mcp.mcp,
        concepts.concept,
        demo.demo,
    ),
    WATCH: (
        jobs.jobs,
        jobs.job,
        jobs.cancel,
        jobs.retry,
        replay.replay,
        batch.batch,
        pauses.pause,
        pauses.resume,
        pauses.pauses,
        audit.audit,
    ),
    RUN: (
        stack.status,
        stack.top,
        stack.doctor,
        api.api,
        serve.serve,
        workers.worker,
        workers.flower,
        workers.beat,
        backup.backup,
        backup.restore,
        stack.migrate,
        stack.version,
    ),
}
_CLASSES: dict[object, type[BoundedCommand]] = {ask.ask: ask.AskCommand}
for _panel, _commands in _PANELS.items():
    for _command in _commands:
        app.command(cls=_CLASSES.get(_command), rich_help_panel=_panel)(_command)
app.add_typer(collections.app, name="collections", rich_help_panel=WORK)
app.add_typer(elements.app, name="elements", rich_help_panel=WORK)
app.add_typer(topics.app, name="topics", rich_help_panel=WORK)
app.add_typer(weights.app, name="weights", rich_help_panel=WATCH)
app.add_typer(history.app, name="history", rich_help_panel=WATCH)
app.add_typer(schedules.app, name="schedules", rich_help_panel=WATCH)
app.add_typer(messages.app, name="messages", rich_help_panel=WATCH)
keys.app.command(name="open")(local_keys.drop_need)
keys.app.command(name="webhook-secret")(local_keys.webhook_secret)
app.add_typer(keys.app, name="keys", rich_help_panel=RUN)
app.command(name="import", rich_help_panel=WORK)(import_graph.import_graph)  # as is import
app.command(name="eval", rich_help_panel=WORK)(evaluate.evaluate)  # eval is taken in Python


def _print_version(wanted: bool) -> None:  # noqa: FBT001 - typer gives the option's value
    if wanted:
        stack.version()
        raise typer.Exit


@app.callback()
def hopline(
    context: typer.Context,
    version: Annotated[  # noqa: FBT002 - a flag
        bool,
        typer.Option("--version", help="Print hopline's version.", callback=_print_version, is_eager=True),
    ] = False,
    help_all: Annotated[  # noqa: FBT002 - a flag
        bool,
        typer.Option(
            "--help-all",
            help="Show this and the help of every command.",
            callback=print_help_of_all,
            is_eager=True,
        ),
    ] = False,
    local: Annotated[  # noqa: FBT002 - a flag
        bool, typer.Option("--local", help="Work on the servers themselves, whatever API is set.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the whole trace of an error.")] = False,  # noqa: FBT002 - read by ReportingGroup
) -> None:
    """Questions in, answers with citations out: a graph of atomic facts, walked by Celery workers.

    [bold]Begin with[/bold]

      make up                                           start the servers

      hopline demo                                      see it work on our own texts

      hopline ingest reports/ -c reports                bring documents in

      hopline ask "Who built the bridge?" -c reports    get an answer out

    Where the servers are comes from HOPLINE_* in the environment, .env, or the local stack; HOPLINE_API_URL
    names an API instead.
    """
    from workers.core.audit import acting, local_actor  # noqa: PLC0415 - `--help` is quick without it

    del version, help_all, local, debug
    context.with_resource(acting(local_actor("cli")))


def _redis_address() -> str:
    from workers.settings import load_settings  # noqa: PLC0415 - `--help` is quick without it

    return load_settings().redis_url.get_secret_value()


REDIS_ADDRESS[:] = [_redis_address]


def main() -> None:
    """Run the command line."""
    app()


if __name__ == "__main__":
    main()
