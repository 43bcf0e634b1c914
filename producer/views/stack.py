"""Prints the status of servers and workers, and the current activity of the whole system."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from hopline.commands.console import harmless, print_folded, print_indented
from hopline.secrets import scrubbed
from hopline.views.tables import Listing

if TYPE_CHECKING:
    from rich.console import Console

    from infra.local.doctor import Examination
    from infra.local.model_check import Check
    from infra.local.probes import PartStatus


from typing import TYPE_CHECKING

from rich.console import Group
from rich.table import Table

from hopline.models.times import timestamp
from hopline.progress.steps import activity_of
from hopline.views.words import ago, number, subject_of

if TYPE_CHECKING:
    from rich.console import RenderableType

    from producer.reports.activity import Activity
    from workers.core.jobs.records import JobRecord


_STYLES = {"up": "green", "down": "red"}
_MARKS = {"ok": ("✓", "green"), "warning": ("!", "yellow"), "error": ("✗", "red"), "skipped": ("–", "dim")}


def print_status(console: Console, parts: Sequence[PartStatus]) -> None:
    """Print each part of the stack with its state, address and version."""
    table = Listing("part", "state", "address", "version", "says", wide="says", spare=("version",))
    for part in parts:
        state = Text(str(part.state), _STYLES.get(str(part.state), "yellow"))
        cells = [scrubbed(text) for text in (part.address, part.version, part.detail)]
        table.add(part.name, state, *cells)
    table.print(console)
    if any(part.state != "up" for part in parts):
        console.print(Text("`hopline doctor` says what to do.", "dim"))


def print_check(console: Console, check: Check) -> None:
    """Print what the model's endpoint answered to one kind of request."""
    mark, style = ("ok", "green") if check.ok else ("wrong", "red")
    line = Text.assemble((f"{mark} ", style), f"{check.name}: {harmless(scrubbed(check.says))}")
    print_indented(console, line, 0)
    for learned in check.learned:
        print_indented(console, Text(f"learned: {harmless(learned)}", "dim"), 4)


def print_examination(console: Console, examination: Examination) -> None:
    """Print the checks, the problems, and what to do."""
    console.print(Text("Looked at:", "dim"))
    for look in examination.looked:
        mark, style = _MARKS[look.verdict]
        line = Text.assemble((f"{mark} ", style), (harmless(scrubbed(look.what)), "dim"))
        print_indented(console, line, 2)
    if not examination.findings:
        console.print(Text("Nothing of that is wrong.", "green"))
    for finding in examination.findings:
        style = "red" if finding.level == "error" else "yellow"
        problem = Text.assemble((f"{finding.level}: ", style), harmless(scrubbed(finding.problem)))
        print_folded(console, problem)
        print_indented(console, Text(harmless(scrubbed(finding.advice))), 4)


_STEPS = 12  # shown at most, the busiest
_LATE = 30.0  # seconds after which a waiting message is shown as late


def activity_view(activity: Activity | None, jobs: Sequence[JobRecord]) -> RenderableType:
    """Return a picture of queues, steps, models and running jobs.

    Args:
        activity: None until there are two readings.
        jobs: that run now, the newest first.
    """
    if activity is None:
        return Text("Measuring…", "dim")
    tables = [_queues(activity), _steps(activity), _models(activity), _jobs(jobs)]
    paused = [Text(harmless(f"Paused: {kind} {name}"), "yellow") for kind, name in activity.paused()]
    return Group(*paused, *(table for table in tables if table.row_count), Text("Ctrl-C ends.", "dim"))


def _queues(activity: Activity) -> Table:
    table = _table("queue", "workers", "messages", "oldest")
    for name, queue in activity.queues.items():
        oldest = queue["oldest_seconds"]
        late = oldest is not None and oldest > _LATE
        workers = Text(str(queue["workers"]), "" if queue["workers"] or not queue["messages"] else "red")
        waits = Text("" if oldest is None else f"{oldest:.1f} s", "red" if late else "")
        table.add_row(name, workers, number(queue["messages"]), waits)
    return table


def _steps(activity: Activity) -> Table:
    table = _table("step", "done/s", "failed/s", "waits/s", "mean", "")
    for step, figures in list(activity.steps().items())[:_STEPS]:
        failed = Text(_rate(figures["failed"]), "red" if figures["failed"] else "")
        mean = _seconds(figures["mean_seconds"])
        table.add_row(
            step, _rate(figures["done"]), failed, _rate(figures["deferred"]), mean, activity_of(step) or ""
        )
    return table


def _models(activity: Activity) -> Table:
    table = _table("model", "calls/min", "failed/min", "tokens/min", "cost/min", "mean")
    for name, figures in activity.models().items():
        failed = Text(f"{figures['failures']:.0f}", "red" if figures["failures"] else "")
        cost = f"{figures['cost']:.4f}" if figures["cost"] else ""
        table.add_row(
            harmless(name),
            f"{figures['calls']:.0f}",
            failed,
            number(round(figures["tokens"])),
            cost,
            _seconds(figures["mean_seconds"]),
        )
    return table


def _jobs(jobs: Sequence[JobRecord]) -> Table:
    table = _table("running job", "kind", "items", "begun", "about")
    for record in jobs:
        done, all_items = sum(record.done.get(step, 0) for step in record.items), sum(record.items.values())
        about = subject_of(record.job.params)
        table.add_row(
            record.job.id,
            record.job.kind,
            f"{done}/{all_items}",
            f"{ago(timestamp(record.created))} ago",
            about,
        )
    return table


def _table(first: str, *others: str) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column(first, no_wrap=True)
    for name in others:
        words = name in ("", "about", "kind")
        table.add_column(name, justify="left" if words else "right", no_wrap=True, overflow="ellipsis")
    return table


def _rate(value: float) -> str:
    return f"{value:.1f}" if value else ""


def _seconds(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value * 1000:.0f} ms" if value < 1 else f"{value:.1f} s"
