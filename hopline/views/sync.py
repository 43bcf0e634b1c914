"""Prints a sync: what differs, what was done, and what failed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from rich.spinner import Spinner
from rich.text import Text

from hopline.commands.console import harmless, print_indented
from hopline.errors import plain_error
from hopline.views.tables import Listing
from hopline.views.words import usage_parts

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from hopline.models.syncs import SyncReport
    from hopline.progress.sync import SyncProgress

_KINDS = ("new", "changed", "moved", "removed", "unchanged", "doubtful")
_SHOWN = 8  # addresses of each kind


def sync_view(progress: SyncProgress) -> Callable[[], RenderableType]:
    """Return what draws a sync's progress: one line."""
    spinner = Spinner("dots")

    def draw() -> RenderableType:
        spinner.update(text=Text(f" {progress.line}"))
        return spinner

    return draw


def print_sync(console: Console, report: SyncReport) -> None:
    """Print what a sync found and did."""
    print_indented(console, Text(harmless(summary(report)), "bold"), 0)
    if report.error:
        print_indented(console, Text(harmless(report.error), "red"), 0)
    for kind in _KINDS:
        examples = report.examples.get(kind, ())
        for uri in examples[:_SHOWN]:
            print_indented(console, Text(f"{kind:9} {harmless(uri)}"), 2)
        more = report.counts.get(kind, 0) - min(len(examples), _SHOWN)
        if examples and more > 0:
            print_indented(console, Text(f"{kind:9} … and {more} more", "dim"), 2)
    if report.failed:
        table = Listing("document", "what became of it", wide="what became of it", title="Not in step")
        for document in report.failed:
            outcome = f"{document.status}: {plain_error(document.error or 'no reason recorded')}"
            table.add(document.uri, outcome)
        table.print(console)


def summary(report: SyncReport) -> str:
    """Return a line: what differs, what was written and removed, what the models took."""
    differences = [f"{report.counts[kind]} {kind}" for kind in _KINDS if report.counts.get(kind)]
    parts = [", ".join(differences) or "nothing found"]
    if report.refused:
        parts.append(f"{report.refused} no documents")
    if report.dry_run:
        return " · ".join([*parts, "a dry run: nothing was changed"])
    if report.documents:
        written = (f"{count} {status}" for status, count in sorted(report.documents.items()))
        parts.append("written: " + ", ".join(written))
    if report.removals:
        gone = (f"{count} {status}" for status, count in sorted(report.removals.items()))
        parts.append("taken away: " + ", ".join(gone))
    return " · ".join([*parts, *usage_parts(report.usage), f"job {report.job_id}: {report.status}"])
