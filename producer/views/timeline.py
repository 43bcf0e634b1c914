"""Prints a job's timeline as a waterfall: a line for each item, or for each step where they are many."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from rich.text import Text

from producer.console import harmless
from producer.progress.steps import activity_of
from producer.reports.words import counted
from producer.views.questions.answers import usage_parts
from producer.views.tables import Listing
from workers.core.events.timeline import TimedItem, Timeline

if TYPE_CHECKING:
    from rich.console import Console

    from workers.core.jobs.work import Usage

_SINGLE = 30  # items of a step in a phase that have a line each; of more the slowest
_SLOWEST = 5
_LEVELS = " ▁▂▃▄▅▆▇█"
_MARKS = {"failed": "x", "dead": "X", "lost": "!", "deferred": "~"}
_STYLES = {"failed": "red", "dead": "red", "lost": "yellow", "deferred": "yellow", "running": "cyan"}
_NARROWEST, _BESIDE = 16, 72  # columns of the bar; of what stands before it
_NAME, _HEAD = 30, 12  # characters of an item, and of its beginning where it is cut in the middle
_WORKERS = 8  # that are named
_LEGEND = "█ runs   x failed   X given up   ! worker lost   ~ waits for a server or a limit"


def print_timeline(
    console: Console, timeline: Timeline, usage: Usage | None = None, *, every: bool = False
) -> None:
    """Print when the items of a job ran.

    Args:
        console: where to print.
        timeline: of the job.
        usage: what its model calls took in all, those included that led to no result.
        every: a line for each item, however many there are.
    """
    if not timeline.items:
        console.print("No item was begun yet.")
        return
    width = max(_NARROWEST, console.width - _BESIDE)
    table = Listing(
        "step",
        "item",
        "waited",
        "ran",
        "tokens",
        f"0 to {_format_seconds(timeline.seconds)}",
        right=("waited", "ran", "tokens"),
    )
    for (_phase, step), group in groupby(_ordered(timeline), key=lambda item: (item.phase, item.step)):
        items = list(group)
        if every or len(items) <= _SINGLE:
            for item in items:
                table.add(*_line(item, timeline, width))
            continue
        table.add(*_summary(step, items, timeline, width))
        for item in sorted(items, key=lambda item: -item.ran(timeline.seconds))[:_SLOWEST]:
            table.add(*_line(item, timeline, width))
    table.print(console)
    if usage is not None:
        console.print(" · ".join(usage_parts(usage)))
    for line in _remarks(timeline):
        console.print(Text(line, "yellow"))
    for line in (*_workers(timeline), _LEGEND):
        console.print(Text(line, "dim"))


def _ordered(timeline: Timeline) -> list[TimedItem]:
    """Return the items by phase; within it by step, the one that began first before."""
    first: dict[tuple[int, str], float] = {}
    for item in timeline.items:
        first.setdefault((item.phase, item.step), item.began)
    return sorted(
        timeline.items, key=lambda item: (item.phase, first[item.phase, item.step], item.step, item.began)
    )


def _line(item: TimedItem, timeline: Timeline, width: int) -> tuple[str | Text, ...]:
    name = harmless(item.item)
    shown = name if len(name) <= _NAME else f"{name[:_HEAD]}…{name[_HEAD + 1 - _NAME :]}"
    tries = f" ×{len(item.attempts)}" if len(item.attempts) > 1 else ""
    ran = _format_seconds(item.ran(timeline.seconds)) + tries
    return item.step, shown, _format_seconds(item.waited), ran, _tokens([item]), _bar(item, timeline, width)


def _summary(step: str, items: Sequence[TimedItem], timeline: Timeline, width: int) -> tuple[str | Text, ...]:
    ran = [item.ran(timeline.seconds) for item in items]
    waited = [item.waited for item in items]
    doing = activity_of(step) or "items"
    return (
        step,
        f"{counted(len(items), 'item')}, {doing}; slowest below"[: _NAME + 20],
        _middle_and_most(waited),
        _middle_and_most(ran),
        _tokens(items),
        _crowd(items, timeline, width),
    )


def _tokens(items: Sequence[TimedItem]) -> str:
    """Return the tokens of all these items."""
    tokens = sum(item.tokens for item in items)
    return f"{tokens:,}" if tokens else ""


def _middle_and_most(seconds: Sequence[float]) -> str:
    """Return the median and the 95th percentile."""
    most = statistics.quantiles(seconds, n=20, method="inclusive")[-1]
    return f"{_format_seconds(statistics.median(seconds))}, p95 {_format_seconds(most)}"


def _bar(item: TimedItem, timeline: Timeline, width: int) -> Text:
    cells, styles = [" "] * width, [""] * width
    for attempt in item.attempts:
        ended = timeline.seconds if attempt.ended is None else attempt.ended
        first, last = _columns(attempt.began, ended, timeline, width)
        for at in range(first, last + 1):
            cells[at], styles[at] = "█", _STYLES.get(attempt.how, "green")
        if attempt.how in _MARKS:
            cells[last] = _MARKS[attempt.how]
    bar = Text()
    for cell, style in zip(cells, styles, strict=True):
        bar.append(cell, style)
    return bar


def _crowd(items: Sequence[TimedItem], timeline: Timeline, width: int) -> Text:
    """Return how many of the items ran at once, as the height of each column."""
    running = [0] * width
    for item in items:
        for attempt in item.attempts:
            ended = timeline.seconds if attempt.ended is None else attempt.ended
            first, last = _columns(attempt.began, ended, timeline, width)
            for at in range(first, last + 1):
                running[at] += 1
    most = max(running)
    heights = (-(-count * (len(_LEVELS) - 1) // most) for count in running)
    return Text("".join(_LEVELS[height] for height in heights), "green") + Text(f" {most} at once", "dim")


def _columns(began: float, ended: float, timeline: Timeline, width: int) -> tuple[int, int]:
    scale = (width - 1) / (timeline.seconds or 1.0)
    return min(width - 1, int(began * scale)), min(width - 1, int(ended * scale))


def _format_seconds(seconds: float) -> str:
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    return f"{seconds:.1f} s" if seconds < 100 else f"{seconds / 60:.1f} min"  # noqa: PLR2004 - readable


def _remarks(timeline: Timeline) -> list[str]:
    remarks = [f"phase {phase} was closed: {harmless(why)}" for phase, why in sorted(timeline.closed.items())]
    again = sum(len(item.attempts) - 1 for item in timeline.items)
    remarks += [f"{counted(again, 'attempt')} more than items"] if again else []
    if timeline.cut:
        remarks.append("The first events are not kept any more: what ran before them is not shown.")
    return remarks


def _workers(timeline: Timeline) -> list[str]:
    """Return how many attempts each worker made, those with the most."""
    workers = Counter(
        attempt.worker for item in timeline.items for attempt in item.attempts if attempt.worker
    )
    return [f"{harmless(name)}: {counted(count, 'attempt')}" for name, count in workers.most_common(_WORKERS)]
