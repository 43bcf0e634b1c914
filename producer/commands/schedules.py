"""hopline schedules, and `hopline sync --every`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hopline.commands.console import ReportingGroup, answers, notice, print_json
from hopline.commands.options import AsJson
from producer.commands.client import open_client

if TYPE_CHECKING:
    from hopline.models.schedules import Scheduled
    from producer.client.hopline import Hopline
    from producer.service.schedules import Schedules

app = typer.Typer(
    name="schedules",
    cls=ReportingGroup,
    no_args_is_help=True,
    help="Syncs that repeat at set times: `hopline sync … --every` or `--between` makes one.",
)
Names = Annotated[list[str], typer.Argument(metavar="NAME…", help="As `hopline schedules list` shows.")]
_UNWATCHED = "No beat process runs, so nothing will begin: `hopline beat` starts one, as does `make up`."


def add_schedule(
    client: Hopline, sources: list[str], collection: str, when: dict[str, Any], *, as_json: bool
) -> None:
    """Save a schedule of syncs, and print when it is due."""
    from producer.service.schedules import schedule_of

    schedule = schedule_of(sources, collection, **when)
    kept = _schedules(client)
    added = kept.add(schedule)
    if as_json:
        print_json(json.dumps(_shown(added)))
        return
    notice(f"Schedule {schedule.name}: due next at {_moment(added)}. `hopline schedules list` shows all.")
    if not kept.watched():
        notice(_UNWATCHED)


@app.command(name="list")
def list_schedules(as_json: AsJson = False) -> None:
    """List the schedules: what each syncs, when it is due next, and how its last sync ended.

    [bold]Example[/bold]

      hopline schedules list --json | jq '.schedules[].name'
    """
    with open_client() as client:
        kept = _schedules(client)
        schedules = kept.all()
        states = {scheduled.last_job: _state(client, scheduled.last_job) for scheduled in schedules}
        watched = kept.watched()
    if as_json:
        rows = [_shown(scheduled) | {"last_state": states[scheduled.last_job]} for scheduled in schedules]
        print_json(json.dumps({"schedules": rows, "watched": watched}))
        return
    if not schedules:
        notice("There are none. `hopline sync SOURCE --every …` makes one.")
        return
    from hopline.views.tables import Listing

    table = Listing(
        "name",
        "times",
        "due next",
        "last time",
        "begun nothing",
        "collection",
        "hours",
        "sources",
        wide="sources",
        spare=("hours", "collection"),
    )
    for scheduled in schedules:
        schedule = scheduled.schedule
        sources, hours = ", ".join(schedule.sync.sources), schedule.sync.hours
        times = f"{schedule.every} ({schedule.zone})"
        last = f"{scheduled.last_job} {states[scheduled.last_job]}" if scheduled.last_job else ""
        left_out = ", ".join(_left_out(scheduled))
        table.add(
            schedule.name, times, _moment(scheduled), last, left_out, schedule.collection, hours, sources
        )
    table.print(answers())
    if not watched:
        notice(_UNWATCHED)


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
    with open_client() as client:
        page = client.schedule_runs(name, limit)
    if as_json:
        print_json(page.model_dump_json())
        return
    if not page.runs:
        notice(f"Schedule {name} has begun nothing yet, or history holds nothing of it any more.")
    from hopline.views.tables import Listing

    if page.not_begun:
        missed = Listing("due", "times", "outcome", "reason", wide="reason")
        for each in page.not_begun:
            missed.add(_local(each.due), str(each.times), each.outcome, each.reason)
        missed.print(answers())
    if not page.runs:
        return
    table = Listing("job", "state", "begun", "took", "calls", "reason", wide="reason", spare=("calls",))
    for run in page.runs:
        took = "" if run.ended is None else f"{run.ended - run.created:.0f} s"
        table.add(run.job_id, str(run.state), _local(run.created), took, str(run.calls), run.reason)
    table.print(answers())
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
    with open_client() as client:
        kept = _schedules(client)
        for name in names:
            kept.pause(name)
            notice(f"Paused schedule {name}; `hopline schedules resume {name}` lets it go on.")


@app.command()
def resume(names: Names) -> None:
    """Resume paused schedules: each begins again when it is due next.

    [bold]Example[/bold]

      hopline schedules resume reports
    """
    with open_client() as client:
        kept = _schedules(client)
        for name in names:
            notice(f"Resumed schedule {name}: due next at {_moment(kept.resume(name))}.")


@app.command()
def remove(names: Names) -> None:
    """Delete schedules. A job that one of them began goes on: `hopline cancel` ends it.

    [bold]Example[/bold]

      hopline schedules remove reports
    """
    with open_client() as client:
        kept = _schedules(client)
        for name in names:
            kept.remove(name)
            notice(f"Removed schedule {name}.")


def _schedules(client: Hopline) -> Schedules:
    return client.service.schedules


def _state(client: Hopline, job_id: str) -> str:
    record = client.service.jobs.find(job_id) if job_id else None
    return str(record.state) if record else ("expired" if job_id else "")


def _local(moment: float) -> str:
    return f"{datetime.fromtimestamp(moment).astimezone():%Y-%m-%d %H:%M}"


def _left_out(scheduled: Scheduled) -> Iterator[str]:
    """Yield in words how often a schedule was due and began nothing, and what it is to begin."""
    for count, outcome in ((scheduled.missed, "missed"), (scheduled.skipped, "skipped")):
        if count:
            yield f"{count} {outcome}"
    if scheduled.waiting is not None:
        why = "the sync before it to end" if scheduled.buffered else "a worker"
        yield f"that of {_local(scheduled.waiting)} waits for {why}"


def _moment(scheduled: Scheduled) -> str:
    from datetime import UTC, datetime
    from zoneinfo import ZoneInfo

    if scheduled.schedule.paused:
        return "paused"
    if scheduled.due is None:
        return "never"
    local = datetime.fromtimestamp(scheduled.due, UTC).astimezone(ZoneInfo(scheduled.schedule.zone))
    return f"{local:%Y-%m-%d %H:%M} {scheduled.schedule.zone}"


def _shown(scheduled: Scheduled) -> dict[str, Any]:
    schedule = scheduled.schedule
    return {
        "name": schedule.name,
        "collection": schedule.collection,
        "sources": list(schedule.sync.sources),
        "every": schedule.every,
        "zone": schedule.zone,
        "hours": schedule.sync.hours,
        "overlap_policy": schedule.overlap_policy,
        "catchup_window": schedule.catchup_window,
        "missed": scheduled.missed,
        "skipped": scheduled.skipped,
        "waiting": scheduled.waiting,
        "buffered": scheduled.buffered,
        "due": scheduled.due,
        "last_job": scheduled.last_job,
        "paused": schedule.paused,
    }
