"""Curves over time as an SVG file: one panel per series, each with its own scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

_WIDTH, _PANEL, _LEFT, _TOP = 760, 150, 70, 46
_TICKS = 4
_WHOLE = 100  # from here on without a fraction


@dataclass(frozen=True)
class Series:
    """A curve: its name with its unit, and its (x, y), x growing."""

    name: str
    points: Sequence[tuple[float, float]]


def write_plot(target: Path, title: str, unit: str, series: Sequence[Series]) -> None:
    """Draw series one below the other over the same x; unit: of x."""
    height = _TOP + _PANEL * len(series) + 30
    longest = max((x for curve in series for x, _ in curve.points), default=1.0) or 1.0
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" font-family="sans-serif"'
        f' font-size="12" role="img" aria-label="{escape(title)}">'
    )
    parts = [
        opening,
        f'<rect width="{_WIDTH}" height="{height}" fill="#fff"/>',
        f'<text x="{_LEFT}" y="24" font-size="15" fill="#222">{escape(title)}</text>',
    ]
    for nth, curve in enumerate(series):
        parts += _panel(curve, _TOP + nth * _PANEL, longest)
    for nth in range(_TICKS + 1):
        x = _LEFT + nth * (_WIDTH - _LEFT - 20) / _TICKS
        anchor = "end" if nth == _TICKS else "middle"
        parts.append(_text(x, height - 10, f"{longest * nth / _TICKS:.3g} {unit}", anchor))
    target.write_text("\n".join([*parts, "</svg>", ""]), encoding="utf-8")


def _panel(series: Series, top: float, longest: float) -> list[str]:
    high = max((y for _, y in series.points), default=1.0) or 1.0
    floor, across = top + _PANEL - 26, _WIDTH - _LEFT - 20
    places = [(_LEFT + x / longest * across, floor - y / high * (_PANEL - 50)) for x, y in series.points]
    shown = f"{high:,.0f}" if high >= _WHOLE else f"{high:.3g}"
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    return [
        _text(_LEFT, top + 12, series.name, "start"),
        f'<line x1="{_LEFT}" y1="{floor}" x2="{_WIDTH - 20}" y2="{floor}" stroke="#999"/>',
        _text(_LEFT - 6, floor, "0", "end"),
        _text(_LEFT - 6, floor - (_PANEL - 50) + 4, shown, "end"),
        f'<polyline points="{line}" fill="none" stroke="#1f6feb" stroke-width="1.5"/>',
    ]


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" fill="#444">{escape(text)}</text>'
