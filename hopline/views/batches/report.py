"""Prints a batch's report in the requested format."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Literal

from hopline.views.batches.markdown import as_markdown
from hopline.views.batches.page import as_page
from hopline.views.batches.text import as_text

if TYPE_CHECKING:
    from hopline.models.reports import Report

ReportForm = Literal["text", "md", "json", "html"]


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
