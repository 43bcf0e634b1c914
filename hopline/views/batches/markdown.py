"""Renders a report as Markdown."""

from __future__ import annotations

import re

from hopline.commands.console import harmless
from hopline.models.reports import Report
from hopline.views.batches.sections import Section, headline, sections, texts

_SPECIAL = re.compile(r"([\\`*_\[\]<>|#~])")


def as_markdown(report: Report) -> str:
    """Return a report in Markdown, with tables as GitHub knows them."""
    title = f"# Batch {_escaped(report.name)}"
    return "\n\n".join([title, headline(report), *(_section(section) for section in sections(report))]) + "\n"


def _section(section: Section) -> str:
    rules = ["---:" if at in section.figures else "---" for at in range(len(section.head))]
    table = [_row(texts(section.head)), _row(rules)]
    table += [_row([_escaped(cell) for cell in texts(row)]) for row in section.rows]
    parts = [f"## {section.title}", "\n".join(table)]
    parts += [section.note] if section.note else []
    parts += [f"Do again what failed:\n\n```\n{section.command}\n```"] if section.command else []
    return "\n\n".join(parts)


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", harmless(text))
