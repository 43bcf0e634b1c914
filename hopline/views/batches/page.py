"""Renders a report as one self-contained HTML page, without scripts, fonts or remote images."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from importlib import resources

from hopline.commands.console import harmless
from hopline.models.reports import Report
from hopline.models.times import seconds_between
from hopline.views.batches.charts import hub_chart, outcome_chart, throughput_chart, waiting_chart
from hopline.views.batches.sections import Section, headline, sections, texts
from hopline.views.words import lasting, money, number, share
from hopline.words import counted

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
    parts = "\n".join(_section(report, section) for section in sections(report))
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


def _section(report: Report, section: Section) -> str:
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
