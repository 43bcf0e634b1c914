"""Prints a batch's report in the requested format."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Literal

from hopline.commands.console import harmless
from hopline.models.reports import Report
from hopline.views.batches.page import as_page
from hopline.views.batches.sections import Section, headline, sections, texts
from hopline.views.batches.text import as_text

if TYPE_CHECKING:
    from hopline.models.reports import Report

ReportForm = Literal["text", "md", "json", "html"]
_SPECIAL = re.compile(r"([\\`*_\[\]<>|#~])")


def render_report(report: Report, form: ReportForm) -> str:
    """Return a report as text, Markdown, JSON or an HTML page, with a line break at its end."""
    match form:
        case "text":
            return as_text(report)
        case "md":
            return as_markdown(report)
        case "html":
            return as_page(report)
    fields = report.model_dump(mode="json") | {"retry": report.retry}
    return json.dumps(fields, indent=2, ensure_ascii=False) + "\n"


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
