"""Draws a report's charts as scalable SVG; labels are HTML beside it and keep their size."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from html import escape

from hopline.models.reports import Period, Report
from hopline.models.times import seconds_between
from hopline.views.batches.sections import OUTCOMES
from hopline.views.words import clock, day_clock, lasting, number, share

_LONG = timedelta(hours=20)  # a longer night names its days
_TOP, _GAP, _BELOW = 100, 3, 22  # of the columns, of what failed below them
_BAR = 8  # of a row, in the chart's units


def outcome_chart(report: Report) -> str:
    """Return one bar of all documents by outcome, and its legend."""
    counts = {status: report.documents.get(status, 0) for status in OUTCOMES}
    total = sum(counts.values())
    if not total:
        return ""
    parts, at = [], 0.0
    for status, count in counts.items():
        width = 100 * count / total
        label = f"{status}: {number(count)} ({share(count, total)})"
        parts.append(_rect(at, 0, max(0.0, width - 0.25), 10, _style(status), label) if count else "")
        at += width
    legend = "".join(
        f'<li><i class="{_style(status)}"></i>{escape(status)} <b>{number(count)}</b></li>'
        for status, count in counts.items()
        if count
    )
    return f'{_svg("0 0 100 10", "outcomes", "Documents by outcome", parts)}<ul class="legend">{legend}</ul>'


def throughput_chart(report: Report) -> str:
    """Return a column per period of time: chunks a minute, and where documents failed and pauses lay."""
    periods = report.periods
    if len(periods) < 2:  # noqa: PLR2004 - one column is no chart
        return ""
    per_minute = 60 / report.period_seconds
    top = max(1, *(period.chunks for period in periods))
    most_failed = max(1, *(period.failed for period in periods))
    parts = [
        *_pauses(report, periods),
        *(_column(at, period, top, per_minute) for at, period in enumerate(periods)),
    ]
    parts += [_below(at, period, most_failed) for at, period in enumerate(periods) if period.failed]
    chart = _svg(
        f"0 0 {len(periods)} {_TOP + _GAP + _BELOW}", "columns", "Chunks a minute over the night", parts
    )
    ticks = "".join(f"<span>{number(round(part * top * per_minute))}</span>" for part in (1, 0.5, 0))
    ends = (
        periods[0].start,
        periods[len(periods) // 2].start,
        periods[-1].start + timedelta(seconds=report.period_seconds),
    )
    named = day_clock if ends[2] - ends[0] > _LONG else clock
    times = "".join(f"<span>{named(at)}</span>" for at in ends)
    wide = lasting(report.period_seconds)
    marks = f'<li><i class="done"></i>chunks a minute, a column is {wide}</li>'
    marks += (
        '<li><i class="failed"></i>documents that are not wholly in</li>'
        if any(s.failed for s in periods)
        else ""
    )
    marks += '<li><i class="pause"></i>paused</li>' if report.pauses else ""
    return (
        f'<ul class="legend">{marks}</ul><div class="plot"><div class="y">{ticks}</div>{chart}'
        f'<div class="x">{times}</div></div>'
    )


def _column(at: int, period: Period, top: int, per_minute: float) -> str:
    height = _TOP * period.chunks / top
    label = (
        f"{day_clock(period.start)}: {number(round(period.chunks * per_minute))} chunks a minute,"
        f" {number(period.documents)} documents"
    )
    return _rect(at + 0.08, _TOP - height, 0.84, height, "done", label)


def _below(at: int, period: Period, most: int) -> str:
    counted = f"{number(period.failed)} of {number(period.documents)} documents"
    label = f"{day_clock(period.start)}: {counted} not wholly in"
    return _rect(at + 0.08, _TOP + _GAP, 0.84, _BELOW * period.failed / most, "failed", label)


def _pauses(report: Report, periods: Sequence[Period]) -> list[str]:
    first, width = periods[0].start, report.period_seconds
    shapes = []
    for pause in report.pauses:
        start = min(seconds_between(first, pause.since) / width, len(periods))
        end = min(seconds_between(first, pause.until or report.ended) / width, len(periods))
        if end > start:
            shapes.append(_rect(start, 0, end - start, _TOP, "pause", f"paused ({pause.kind}): {pause.why}"))
    return shapes


def waiting_chart(report: Report) -> str:
    """Return a bar per limiter."""
    waited = sorted(
        ((name, seconds) for name, seconds in report.waited.items() if seconds > 0), key=lambda pair: -pair[1]
    )
    longest = max((seconds for _, seconds in waited), default=1)
    return _bars([(name, [("done", seconds / longest)], lasting(seconds)) for name, seconds in waited])


def hub_chart(report: Report) -> str:
    """Return a bar per hub: its facts before, and the added ones."""
    largest = max((hub.after for hub in report.hubs), default=1)
    rows = [
        (
            hub.name,
            [("before", (hub.before or 0) / largest), ("done", (hub.after - (hub.before or 0)) / largest)],
            f"+{number(hub.after - (hub.before or 0))}",
        )
        for hub in report.hubs
    ]
    marks = '<li><i class="before"></i>facts before</li><li><i class="done"></i>added</li>'
    legend = f'<ul class="legend">{marks}</ul>'
    return legend + _bars(rows) if rows else ""


def _bars(rows: Sequence[tuple[str, list[tuple[str, float]], str]]) -> str:
    """Return rows of a name, a bar of some parts (style, share of the longest), and a figure."""
    shown = []
    for name, parts, label in rows:
        at, drawn = 0.0, []
        for style, part in parts:
            drawn.append(_rect(at, 0, max(0.0, 100 * part), _BAR, style, f"{name}: {label}"))
            at += 100 * part
        bar = _svg(f"0 0 100 {_BAR}", "bar", f"{name}: {label}", drawn)
        shown.append(
            f'<li><span class="name">{escape(name)}</span>{bar}<span class="told">{escape(label)}</span></li>'
        )
    return f'<ul class="bars">{"".join(shown)}</ul>' if shown else ""


def _svg(box: str, style: str, label: str, parts: Sequence[str]) -> str:
    return (
        f'<svg class="{style}" viewBox="{box}" preserveAspectRatio="none" role="img"'
        f' aria-label="{escape(label)}">{"".join(parts)}</svg>'
    )


def _rect(x: float, y: float, width: float, height: float, style: str, title: str) -> str:
    place = f'x="{x:.3f}" y="{y:.3f}" width="{width:.3f}" height="{height:.3f}"'
    return f'<rect class="{style}" {place}><title>{escape(title)}</title></rect>'


def _style(status: str) -> str:
    return status.replace(" ", "-")
