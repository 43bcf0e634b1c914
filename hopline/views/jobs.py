"""Prints jobs: a table of many, details of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from hopline.commands.console import harmless
from hopline.errors import is_filtered, may_help_again, plain_error
from hopline.models.answers import Answer
from hopline.models.concepts import ConceptOutcome
from hopline.models.ingest_reports import IngestReport
from hopline.models.times import seconds_between
from hopline.progress.steps import position_of
from hopline.views.answers import print_answer
from hopline.views.concepts import print_outcome
from hopline.views.paths import print_paths
from hopline.views.reports import print_report
from hopline.views.tables import Listing, plain_table
from hopline.views.words import ago, subject_of, usage_parts

if TYPE_CHECKING:
    from rich.console import Console

    from hopline.models.jobs import DeadLetter
    from hopline.models.results import Job
    from hopline.progress.reader import ReadingProgress

_STATE_STYLES = {
    "queued": "blue",
    "running": "cyan",
    "done": "green",
    "abstained": "yellow",
    "partial": "yellow",
    "failed": "red",
    "cancelled": "dim",
}
_SHOWN_DEAD = 20


def print_jobs(console: Console, jobs: Sequence[Job]) -> None:
    """Print jobs, newest first."""
    if not jobs:
        console.print("No jobs are recorded; finished ones expire.")
        return
    table = Listing(
        "job",
        "state",
        "kind",
        "tasks",
        "begun",
        "took",
        "collection",
        "about",
        wide="about",
        spare=("took", "tasks", "begun"),
        right=("tasks",),
    )
    for job in jobs:
        table.add(
            job.id,
            _state(job),
            job.kind,
            _items(job),
            f"{ago(job.created)} ago",
            _took(job),
            job.collection,
            subject_of(job.params),
        )
    table.print(console)


def print_job(console: Console, job: Job, dead: Sequence[DeadLetter], reading: ReadingProgress) -> None:
    """Print everything about a job: the progress of its paths, or its result."""
    console.print(Text(f"{job.kind} {job.id} ") + _state(job))
    console.print(Text(f"  {subject_of(job.params, whole=True)}"))
    facts = [
        f"collection {', '.join(job.params.get('collections') or [job.collection])}",
        f"begun {ago(job.created)} ago",
        f"took {_took(job)}",
    ]
    console.print(Text("  " + harmless(" · ".join(facts + usage_parts(job.usage)))))
    for line in _remarks(job):
        console.print(Text(f"  {harmless(line)}", "yellow"))
    _print_steps(console, job)
    _print_dead(console, job, dead)
    if job.ended is None or job.outcome is None:
        print_paths(console, reading)
        return
    console.print()
    if job.kind == "query":
        print_answer(console, Answer.of(job), seconds_between(job.created, job.ended), explain=True)
    elif job.kind in {"batch", "document"}:
        print_report(console, IngestReport.of(job))
    elif job.kind == "concept":
        print_outcome(console, ConceptOutcome.of(job))


def _print_steps(console: Console, job: Job) -> None:
    table = plain_table(
        "step", "tasks", "done", "seconds, summed", right=("tasks", "done", "seconds, summed")
    )
    for step, admitted in sorted(job.items.items(), key=lambda entry: (position_of(entry[0]), entry[0])):
        seconds = job.timings.get(step, 0.0)
        table.add_row(step, str(admitted), str(job.done.get(step, 0)), f"{seconds:.2f}")
    if table.row_count:
        console.print(table)


def _print_dead(console: Console, job: Job, dead: Sequence[DeadLetter]) -> None:
    if not dead:
        return
    table = Listing("task", "step", "error", wide="error", title=f"Failed after all attempts: {len(dead)}")
    for letter in dead[:_SHOWN_DEAD]:
        table.add(letter.item_id, letter.step, plain_error(letter.error))
    table.print(console)
    if len(dead) > _SHOWN_DEAD:
        console.print(
            Text(f"and {len(dead) - _SHOWN_DEAD} more: `hopline jobs show {job.id} --json` has all", "dim")
        )
    asks = job.kind == "query"  # of documents a retry helps once the model is another
    if any(may_help_again(each.error) and not (asks and is_filtered(each.error)) for each in dead):
        console.print(Text(f"`hopline jobs retry {job.id}` tries them again.", "dim"))


def _remarks(job: Job) -> list[str]:
    remarks = []
    if job.closed_for:
        remarks.append(f"cut short: {job.closed_for}")
    if job.waits_for:
        remarks.append(f"waits: {job.waits_for}")
    if job.dropped:
        remarks.append(f"tasks dropped when the job was cut short: {job.dropped}")
    if job.leases_lost:
        remarks.append(f"tasks taken over from lost workers: {job.leases_lost}")
    if job.epoch > 1:
        remarks.append(f"retried: this is run {job.epoch}")
    return remarks


def _items(job: Job) -> str:
    """Return how many items are done; the flow's own advances are not counted as such."""
    done = sum(job.done.get(step, 0) for step in job.items)
    return f"{done}/{sum(job.items.values())}"


def _state(job: Job) -> Text:
    return Text(str(job.state), _STATE_STYLES.get(str(job.state), ""))


def _took(job: Job) -> str:
    return f"{seconds_between(job.created, job.ended):.1f} s" + ("" if job.ended else " so far")
