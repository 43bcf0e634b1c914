"""hopline schedules."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from hopline.commands.client import connected
from hopline.commands.console import ReportingGroup, answers, notice, print_json
from hopline.commands.options import AsJson

app = typer.Typer(
    name="schedules",
    cls=ReportingGroup,
    no_args_is_help=True,
    help="Syncs that repeat at set times: `hopline sync … --every` or `--between` makes one.",
)
Names = Annotated[list[str], typer.Argument(metavar="NAME…", help="As `hopline schedules list` shows.")]
UNWATCHED = "No beat process runs, so nothing will begin: `hopline beat` starts one, as does `make up`."


@app.command(name="list")
def list_schedules(as_json: AsJson = False) -> None:
    """List the schedules: what each syncs, when it is due next, and how its last sync ended.

    [bold]Example[/bold]

      hopline schedules list --json | jq '.schedules[].name'
    """
    from hopline.views.schedules import flat, print_schedules, state_of_last

    with connected() as client:
        listed = client.schedules.list()
    if as_json:
        rows = [flat(scheduled) | {"last_state": state_of_last(scheduled)} for scheduled in listed.schedules]
        print_json(json.dumps({"schedules": rows, "watched": listed.watched}))
        return
    if not listed.schedules:
        notice("There are none. `hopline sync SOURCE --every …` makes one.")
        return
    print_schedules(answers(), listed.schedules)
    if not listed.watched:
        notice(UNWATCHED)


@app.command()
def runs(
    name: Annotated[str, typer.Argument(help="As `hopline schedules list` shows.")],
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=200, help="How many at most.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List the syncs that a schedule began, newest first, and when it was due and began none.

    [bold]Example[/bold]

      hopline schedules runs reports
    """
    from hopline.views.schedules import print_runs

    with connected() as client:
        page = client.schedules.runs(name, limit=limit)
    if as_json:
        print_json(page.model_dump_json())
        return
    if not page.runs:
        notice(f"Schedule {name} has begun nothing yet, or history holds nothing of it any more.")
    print_runs(answers(), page)
    if page.next:
        notice(
            f"There are more: `hopline schedules runs {name} --limit 200`, or `hopline history --kind sync`."
        )


@app.command()
def pause(names: Names) -> None:
    """Pause schedules: they begin nothing until they are resumed. A job that one of them began goes on.

    [bold]Example[/bold]

      hopline schedules pause reports
    """
    with connected() as client:
        for name in names:
            client.schedules.pause(name)
            notice(f"Paused schedule {name}; `hopline schedules resume {name}` lets it go on.")


@app.command()
def resume(names: Names) -> None:
    """Resume paused schedules: each begins again when it is due next.

    [bold]Example[/bold]

      hopline schedules resume reports
    """
    from hopline.views.schedules import due_in_words

    with connected() as client:
        for name in names:
            notice(f"Resumed schedule {name}: due next at {due_in_words(client.schedules.resume(name))}.")


@app.command()
def remove(names: Names) -> None:
    """Delete schedules. A job that one of them began goes on: `hopline cancel` ends it.

    [bold]Example[/bold]

      hopline schedules remove reports
    """
    with connected() as client:
        for name in names:
            client.schedules.delete(name)
            notice(f"Removed schedule {name}.")
