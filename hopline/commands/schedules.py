"""hopline schedules: list, show, pause, resume, delete."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from hopline.commands.client import connected
from hopline.commands.completion import complete_schedule
from hopline.commands.console import agree, answers, notice, print_json
from hopline.commands.ids import whole_schedule_name
from hopline.commands.nouns import noun
from hopline.commands.options import AsJson, Yes
from hopline.errors import NotFound
from hopline.words import counted

if TYPE_CHECKING:
    from hopline import Hopline
    from hopline.models.schedules import Scheduled

app = noun("Syncs that repeat at set times: `hopline sync … --every` or `--between` makes one.")
Names = Annotated[
    list[str],
    typer.Argument(
        metavar="NAME…",
        help="Schedule names, or prefixes of names.",
        show_default=False,
        autocompletion=complete_schedule,
    ),
]
UNWATCHED = "No beat process runs, so nothing will begin: `hopline beat` starts one, as does `hopline up`."


@app.command(name="list")
def list_schedules(as_json: AsJson = False) -> None:
    """List the schedules with their sources, next due times, and the result of their last sync.

    [bold]Example[/bold]

      hopline schedules --json | jq '.schedules[].name'
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
def show(
    name: Annotated[
        str,
        typer.Argument(
            help="Schedule name, or a prefix of it.", show_default=False, autocompletion=complete_schedule
        ),
    ],
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, max=200, help="Maximum number of syncs to show.")
    ] = 20,
    as_json: AsJson = False,
) -> None:
    """Show a schedule, the syncs it started, newest first, and the times it was due but started none.

    [bold]Example[/bold]

      hopline schedules show reports
    """
    from hopline.views.schedules import flat, print_runs, print_schedules

    with connected() as client:
        name = whole_schedule_name(client, name)
        page = client.schedules.runs(name, limit=limit)
        scheduled = _scheduled(client, name)
    if as_json:
        print_json(json.dumps(flat(scheduled) | page.model_dump(mode="json")))
        return
    print_schedules(answers(), [scheduled])
    if not page.runs:
        notice(f"Schedule {name} has begun nothing yet, or its history is gone.")
    print_runs(answers(), page)
    if page.next:
        notice(
            f"There are more: `hopline schedules show {name} --limit 200`, or `hopline history --kind sync`."
        )


@app.command()
def pause(names: Names) -> None:
    """Pause schedules: they start nothing until they are resumed. Jobs that they have started continue.

    [bold]Example[/bold]

      hopline schedules pause reports
    """
    with connected() as client:
        for name in (whole_schedule_name(client, beginning) for beginning in names):
            client.schedules.pause(name)
            notice(f"Paused schedule {name}; `hopline schedules resume {name}` resumes it.")


@app.command()
def resume(names: Names) -> None:
    """Resume paused schedules: each starts its next sync when it is due.

    [bold]Example[/bold]

      hopline schedules resume reports
    """
    from hopline.views.schedules import due_in_words

    with connected() as client:
        for name in (whole_schedule_name(client, beginning) for beginning in names):
            notice(f"Resumed schedule {name}: due next at {due_in_words(client.schedules.resume(name))}.")


@app.command()
def delete(names: Names, yes: Yes = False) -> None:
    """Delete schedules. Jobs that they have started continue; `hopline jobs cancel` ends them.

    [bold]Example[/bold]

      hopline schedules delete reports
    """
    with connected() as client:
        meant = [_scheduled(client, whole_schedule_name(client, beginning)).schedule for beginning in names]
        told = [
            f"{each.name} ({each.every} {each.zone}: {', '.join(each.sync.sources)} → {each.collection})"
            for each in meant
        ]
        agree(f"Delete {counted(len(meant), 'schedule')}: {'; '.join(told)}?", yes=yes)
        for schedule in meant:
            client.schedules.delete(schedule.name)
            notice(f"Deleted schedule {schedule.name}.")


def _scheduled(client: Hopline, name: str) -> Scheduled:
    """Return a schedule's current state.

    Raises:
        NotFound: no schedule has this name.
    """
    for scheduled in client.schedules.list().schedules:
        if scheduled.schedule.name == name:
            return scheduled
    raise NotFound(f"there is no schedule {name}: `hopline schedules` lists them")
