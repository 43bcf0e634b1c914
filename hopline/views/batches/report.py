"""Prints a batch's report in the requested format."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Literal

from hopline.commands.console import harmless
from hopline.models.reports import Report
from hopline.views.batches.sections import Section, headline, sections, texts
from hopline.views.batches.text import as_text

if TYPE_CHECKING:
    from hopline.models.reports import Report


import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from rich.console import Group
from rich.live import Live
from rich.padding import Padding
from rich.progress_bar import ProgressBar
from rich.text import Text

from hopline.commands.console import notices
from hopline.models.jobs import NOBODY_BEGAN
from hopline.views.batches.status import how_far, status_texts, waiting
from hopline.views.live import NOBODY_BEGAN_SECONDS, cleared
from hopline.views.words import lasting, number, usage_parts

if TYPE_CHECKING:
    from rich.console import RenderableType

    from hopline.models.batches import BatchStatus


from html import escape
from importlib import resources

from hopline.models.reports import Report
from hopline.models.times import seconds_between
from hopline.views.batches.charts import hub_chart, outcome_chart, throughput_chart, waiting_chart
from hopline.views.words import money, share
from hopline.words import counted

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


_LOOK_SECONDS = 2.0
_LINE_SECONDS = 10.0
_BAR = 50  # characters


def watch_batch(look: Callable[[], BatchStatus], *, quiet: bool) -> BatchStatus:
    """Show a batch's status until its end, pauses included; return the last status.

    Args:
        look: returns its status.
        quiet: show nothing.
    """
    console = notices()
    if quiet or not console.is_terminal:
        return _until_ended(look, _silent if quiet else _Lines())
    with cleared(Live(console=console, transient=True, refresh_per_second=4)) as live:
        return _until_ended(look, lambda batch, hint: live.update(_drawn(batch, hint)))


def _until_ended(look: Callable[[], BatchStatus], show: Callable[[BatchStatus, str], None]) -> BatchStatus:
    started = time.monotonic()
    while (batch := look()).lasts:
        begun = batch.ended or batch.usage.model_calls or batch.state == "paused" or batch.batch_mode
        waited = time.monotonic() - started > NOBODY_BEGAN_SECONDS
        hint = NOBODY_BEGAN if waited and not begun else ""
        show(batch, hint)
        time.sleep(_LOOK_SECONDS)
    return batch


def _drawn(batch: BatchStatus, hint: str) -> RenderableType:
    title, *lines = status_texts(batch)
    bar = ProgressBar(total=max(1, batch.documents), completed=batch.ended, width=_BAR)
    below: list[RenderableType] = [bar, *lines, *([Text(hint, "yellow")] if hint else [])]
    return Group(title, *(Padding(line, (0, 0, 0, 2)) for line in below))


def _silent(_batch: BatchStatus, _hint: str) -> None:
    """Show nothing."""


class _Lines:
    """Prints a line now and then for logs; at once when a batch pauses or no worker begins it."""

    def __init__(self) -> None:
        self._at, self._line = -_LINE_SECONDS, ""
        self._urgent: tuple[str, ...] = ("",)

    def __call__(self, batch: BatchStatus, hint: str) -> None:
        line, urgent = hint or _line(batch), (hint, *(pause.kind for pause in batch.pauses))
        late = time.monotonic() - self._at >= _LINE_SECONDS
        if urgent != self._urgent or (late and line != self._line):
            self._at, self._line, self._urgent = time.monotonic(), line, urgent
            notices().print(harmless(line), markup=False, soft_wrap=True)


def _line(batch: BatchStatus) -> str:
    parts = [how_far(batch)]
    if batch.failed:
        parts.append(f"{number(batch.failed)} failed")
    if batch.rate and batch.left is not None:
        parts += [f"{batch.rate:.1f} a minute", f"{lasting(batch.left)} left"]
    parts += usage_parts(batch.usage)
    parts += [f"paused: {pause.why}" for pause in batch.pauses]
    if batch.waits_until:
        parts.append(waiting(batch.waits_until, batch.zone))
    return " · ".join(parts)


_CHARTS: dict[str, Callable[[Report], str]] = {
    "documents": outcome_chart,
    "throughput": throughput_chart,
    "waiting": waiting_chart,
    "hubs": hub_chart,
}
_FOLDED = {"throughput", "waiting", "hubs"}  # their charts say it; the tables are there to be opened
_NARROW = {"overview", "model", "chunks", "waiting", "documents"}  # tables of few figures


def as_page(report: Report) -> str:
    """Return a report as an HTML page."""
    style = (resources.files("hopline.views.batches") / "report.css").read_text(encoding="utf-8")
    parts = "\n".join(_html_section(report, section) for section in sections(report))
    name = escape(harmless(report.name))
    verdict = "open" if report.running else "left" if report.again else "whole"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Batch {name}: report</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n"
        f'<header><p class="kind">Batch report</p><h1>{name}</h1>\n'
        f'<p class="headline {verdict}">{escape(harmless(headline(report)))}</p>\n{_tiles(report)}</header>\n'
        f"{parts}\n</main>\n</body>\n</html>\n"
    )


def _tiles(report: Report) -> str:
    total = sum(report.documents.values())
    chunks = report.chunks.get("read", 0)
    cost = report.usage.cost
    tiles = [
        ("documents in", number(report.whole), f"{share(report.whole, total)} of {number(total)}"),
        ("chunks", number(chunks), counted(report.facts, "fact")),
        ("took", lasting(seconds_between(report.created, report.ended)), ""),
        (
            "model calls",
            number(report.usage.model_calls),
            f"stored replies: {number(report.chunks.get('kept', 0))}",
        ),
        ("cost", "unknown" if cost is None else money(cost), "no prices are set" if cost is None else ""),
    ]
    shown = (
        f"<div><dt>{name}</dt><dd>{escape(value)}<small>{escape(more)}</small></dd></div>"
        for name, value, more in tiles
    )
    return f'<dl class="tiles">{"".join(shown)}</dl>'


def _html_section(report: Report, section: Section) -> str:
    draw = _CHARTS.get(section.key)
    chart = draw(report) if draw else ""
    table = _table(section)
    if chart and section.key in _FOLDED:
        table = f"<details><summary>As a table</summary>{table}</details>"
    note = f'<p class="note">{escape(section.note)}</p>' if section.note else ""
    command = escape(harmless(section.command))
    command = f'<p class="note">Retry what failed:</p><pre>{command}</pre>' if command else ""
    return f"<section>\n<h2>{escape(section.title)}</h2>\n{chart}{table}{note}{command}\n</section>"


def _table(section: Section) -> str:
    head = "".join(_cell("th", section, at, name) for at, name in enumerate(section.head))
    named = f"<thead><tr>{head}</tr></thead>" if any(section.head) else ""
    rows = "".join(
        f"<tr>{''.join(_cell('td', section, at, cell) for at, cell in enumerate(texts(row)))}</tr>"
        for row in section.rows
    )
    kind = "narrow" if section.key in _NARROW else "wide"
    return f'<div class="scroll"><table class="{kind}">{named}<tbody>{rows}</tbody></table></div>'


def _cell(tag: str, section: Section, at: int, text: str) -> str:
    kind = ' class="figure"' if at in section.figures else ""
    head = section.head[at]
    named = f' data-head="{escape(head)}"' if tag == "td" and head else ""
    return f"<{tag}{kind}{named}>{escape(harmless(text))}</{tag}>"
