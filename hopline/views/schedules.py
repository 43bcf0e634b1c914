"""Prints schedules and their syncs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from hopline.models.times import seconds_between
from hopline.views.tables import Listing
from hopline.views.words import moment

if TYPE_CHECKING:
    from rich.console import Console

    from hopline.models.schedules import Scheduled, ScheduleRuns


def print_schedules(console: Console, schedules: Sequence[Scheduled]) -> None:
    """Print schedules as a table."""
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
        last = f"{scheduled.last_job} {state_of_last(scheduled)}" if scheduled.last_job else ""
        left_out = ", ".join(_left_out(scheduled))
        table.add(
            schedule.name, times, due_in_words(scheduled), last, left_out, schedule.collection, hours, sources
        )
    table.print(console)


def print_runs(console: Console, page: ScheduleRuns) -> None:
    """Print the syncs that a schedule began, and the times at which it was due and began none."""
    if page.not_begun:
        missed = Listing("due", "times", "outcome", "reason", wide="reason")
        for each in page.not_begun:
            missed.add(moment(each.due), str(each.times), each.outcome, each.reason)
        missed.print(console)
    if not page.runs:
        return
    table = Listing("job", "state", "begun", "took", "calls", "reason", wide="reason", spare=("calls",))
    for run in page.runs:
        took = "" if run.ended is None else f"{seconds_between(run.created, run.ended):.0f} s"
        table.add(run.job_id, str(run.state), moment(run.created), took, str(run.calls), run.reason)
    table.print(console)


def due_in_words(scheduled: Scheduled) -> str:
    """Return when a schedule is due next, read off its own clock: 2026-03-01 02:30 Europe/Berlin."""
    if scheduled.schedule.paused:
        return "paused"
    if scheduled.due is None:
        return "never"
    return moment(scheduled.due, scheduled.schedule.zone)


def state_of_last(scheduled: Scheduled) -> str:
    """Return the state of a schedule's latest job; "" if there is none."""
    return str(scheduled.last_state or ("expired" if scheduled.last_job else ""))


def flat(scheduled: Scheduled) -> dict[str, Any]:
    """Return a schedule as one flat JSON object."""
    standing = scheduled.model_dump(mode="json")
    schedule = standing.pop("schedule")
    named = ("name", "collection", "every", "zone", "overlap_policy", "catchup_window", "paused")
    return {
        **{name: schedule[name] for name in named},
        "sources": schedule["sync"]["sources"],
        "hours": schedule["sync"]["hours"],
        **standing,
    }


def _left_out(scheduled: Scheduled) -> Iterator[str]:
    """Yield in words how often a schedule was due but started nothing, and its waiting run."""
    for count, outcome in ((scheduled.missed, "missed"), (scheduled.skipped, "skipped")):
        if count:
            yield f"{count} {outcome}"
    if scheduled.waiting is not None:
        why = "the sync before it to end" if scheduled.buffered else "a worker"
        yield f"that of {moment(scheduled.waiting)} waits for {why}"
