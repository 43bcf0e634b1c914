"""Prints jobs: a table of many, details of one."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from hopline.commands.console import harmless
from hopline.errors import is_filtered, may_help_again, plain_error
from hopline.progress.steps import position_of
from hopline.views.concepts import print_outcome
from hopline.views.paths import print_paths
from hopline.views.tables import Listing, plain_table
from hopline.views.words import ago, subject_of, usage_parts
from producer.reports.concept import CONCEPT_KIND, concept_outcome_of
from producer.reports.outcomes import BATCH_KIND, DOCUMENT_KIND, QUERY_KIND, answer_of, report_of
from producer.views.questions.answers import print_answer
from producer.views.reports import print_report

if TYPE_CHECKING:
    from rich.console import Console

    from hopline.models.jobs import DeadLetter
    from hopline.progress.reader import ReadingProgress
    from workers.ledger.records import JobRecord

_STATE_STYLES = {
    "running": "cyan",
    "done": "green",
    "abstained": "yellow",
    "partial": "yellow",
    "failed": "red",
    "cancelled": "dim",
}
_SHOWN_DEAD = 20


def print_jobs(console: Console, records: Sequence[JobRecord]) -> None:
    """Print jobs, newest first."""
    if not records:
        console.print("No jobs are recorded; finished ones expire.")
        return
    table = Listing(
        "job",
        "state",
        "kind",
        "items",
        "begun",
        "took",
        "collection",
        "about",
        wide="about",
        spare=("took", "items", "begun"),
        right=("items",),
    )
    for record in records:
        table.add(
            record.job.id,
            _state(record),
            record.job.kind,
            _items(record),
            f"{ago(record.created)} ago",
            _took(record),
            record.job.collection,
            subject_of(record.job.params),
        )
    table.print(console)


def print_job(
    console: Console, record: JobRecord, dead: Sequence[DeadLetter], reading: ReadingProgress
) -> None:
    """Print everything about a job: the progress of its paths, or its result."""
    console.print(Text(f"{record.job.kind} {record.job.id} ") + _state(record))
    console.print(Text(f"  {subject_of(record.job.params, whole=True)}"))
    facts = [
        f"collection {', '.join(record.job.collections)}",
        f"begun {ago(record.created)} ago",
        f"took {_took(record)}",
    ]
    console.print(Text("  " + harmless(" · ".join(facts + usage_parts(record.usage)))))
    for line in _remarks(record):
        console.print(Text(f"  {harmless(line)}", "yellow"))
    _print_steps(console, record)
    _print_dead(console, record, dead)
    if record.ended is None or record.outcome is None:
        print_paths(console, reading)
        return
    console.print()
    if record.job.kind == QUERY_KIND:
        print_answer(console, answer_of(record), record.ended - record.created, explain=True)
    elif record.job.kind in {BATCH_KIND, DOCUMENT_KIND}:
        print_report(console, report_of(record))
    elif record.job.kind == CONCEPT_KIND:
        print_outcome(console, concept_outcome_of(record))


def _print_steps(console: Console, record: JobRecord) -> None:
    table = plain_table(
        "step", "items", "done", "seconds, summed", right=("items", "done", "seconds, summed")
    )
    for step, admitted in sorted(record.items.items(), key=lambda entry: (position_of(entry[0]), entry[0])):
        seconds = record.timings.get(step, 0.0)
        table.add_row(step, str(admitted), str(record.done.get(step, 0)), f"{seconds:.2f}")
    if table.row_count:
        console.print(table)


def _print_dead(console: Console, record: JobRecord, dead: Sequence[DeadLetter]) -> None:
    if not dead:
        return
    table = Listing("item", "step", "error", wide="error", title=f"Given up: {len(dead)}")
    for letter in dead[:_SHOWN_DEAD]:
        table.add(letter.item_id, letter.step, plain_error(letter.error))
    table.print(console)
    if len(dead) > _SHOWN_DEAD:
        console.print(
            Text(f"and {len(dead) - _SHOWN_DEAD} more: `hopline job {record.job.id} --json` has all", "dim")
        )
    asks = record.job.kind == "query"  # of documents a retry helps once the model is another
    if any(may_help_again(each.error) and not (asks and is_filtered(each.error)) for each in dead):
        console.print(Text(f"`hopline retry {record.job.id}` does them again.", "dim"))


def _remarks(record: JobRecord) -> list[str]:
    remarks = []
    if record.closed_for:
        remarks.append(f"cut short: {record.closed_for}")
    if record.waits_for:
        remarks.append(f"waits: {record.waits_for}")
    if record.dropped:
        remarks.append(f"items dropped when it was cut short: {record.dropped}")
    if record.leases_lost:
        remarks.append(f"leases of lost workers recovered: {record.leases_lost}")
    if record.run > 1:
        remarks.append(f"retried: this is run {record.run}")
    return remarks


def _items(record: JobRecord) -> str:
    """Return how many items are done; the flow's own advances are not counted as such."""
    done = sum(record.done.get(step, 0) for step in record.items)
    return f"{done}/{sum(record.items.values())}"


def _state(record: JobRecord) -> Text:
    return Text(str(record.state), _STATE_STYLES.get(str(record.state), ""))


def _took(record: JobRecord) -> str:
    return f"{(record.ended or time.time()) - record.created:.1f} s" + ("" if record.ended else " so far")
