"""Renders a report for a terminal or as plain text."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from hopline.commands.console import harmless, print_indented
from hopline.views.batches.sections import Section, headline, sections, texts

if TYPE_CHECKING:
    from rich.console import Console

    from hopline.models.reports import Report

_WIDTH = 120  # columns of a file


def print_report(console: Console, report: Report) -> None:
    """Print a report."""
    from rich.text import Text  # noqa: PLC0415 - rich is loaded by who prints

    style = "bold green" if not report.again else "bold yellow"
    print_indented(console, Text(harmless(f"Batch {report.name}"), "bold"), 0)
    print_indented(console, Text(harmless(headline(report)), style), 0)
    for section in sections(report):
        _print_section(console, section)


def as_text(report: Report) -> str:
    """Return a report as plain text, at most 120 columns wide."""
    from rich.console import Console  # noqa: PLC0415 - as above

    file = io.StringIO()
    print_report(Console(file=file, width=_WIDTH, highlight=False, color_system=None), report)
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines()) + "\n"


def _print_section(console: Console, section: Section) -> None:
    from rich.text import Text  # noqa: PLC0415 - as above

    from hopline.views.tables import plain_table  # noqa: PLC0415

    console.print(Text(f"\n{section.title}", "bold cyan"))
    table = plain_table(*section.head, right=[section.head[at] for at in section.figures])
    for row in section.rows:
        table.add_row(*(Text(harmless(cell)) for cell in texts(row)))
    console.print(table)
    if section.note:
        print_indented(console, Text(section.note, "dim"), 1)
    if section.command:
        print_indented(console, Text(f"Do again what failed: {harmless(section.command)}"), 1)
