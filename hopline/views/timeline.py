"""Prints a job's timeline as a waterfall: a line for each item, or for each step if there are many."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, product
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len
from rich.text import Text

from hopline.commands.console import harmless
from hopline.models.timelines import TimedItem, Timeline
from hopline.views.tables import Listing
from hopline.views.words import usage_parts
from hopline.words import counted

if TYPE_CHECKING:
    from rich.console import Console

    from hopline.models.jobs import Usage

_SINGLE = 30  # items of a step in a phase that have a line each; of more the slowest
_SLOWEST = 5
_LEVELS = " ▁▂▃▄▅▆▇█"
_MARKS = {"failed": "x", "dead": "X", "lost": "!", "deferred": "~"}
_STYLES = {"failed": "red", "dead": "red", "lost": "yellow", "deferred": "yellow", "running": "cyan"}
_NARROWEST, _GAP = 16, 2  # columns of the bar; between two columns
_NAMES = (30, 16)  # characters of an item on a wide and on a narrow terminal
_HEADS = ("step", "task", "waited", "ran", "tokens")
_SPARE = (("tokens",), ("tokens", "waited"))  # columns that a narrow terminal does without, step by step
_WORKERS = 8  # that are named
_LEGEND = "█ runs   x failed   X failed for good   ! worker lost   ~ waits for a server or a limit"


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
        console.print("No task has started yet.")
        return
    lines = list(_lines(timeline, every=every))
    shown, name, width = _layout(lines, console.width)
    table = Listing(*shown, f"0 to {_format_seconds(timeline.seconds)}", right=("waited", "ran", "tokens"))
    for line in lines:
        cells = line.shown(name)
        table.add(*(cells[head] for head in shown), line.bar(timeline, width))
    table.print(console)
    if usage is not None:
        console.print(" · ".join(usage_parts(usage)))
    for remark in _remarks(timeline):
        console.print(Text(remark, "yellow"))
    for note in (*_workers(timeline), _LEGEND):
        console.print(Text(note, "dim"))


class _Line(NamedTuple):
    """A line of the table: its cells, and the items that its bar shows."""

    cells: dict[str, str]
    items: Sequence[TimedItem]
    is_crowd: bool

    def shown(self, most: int) -> dict[str, str]:
        """Return the cells of an item, with its name cut to a width."""
        return self.cells | {"task": _cut(self.cells["task"], most)}

    def bar(self, timeline: Timeline, width: int) -> Text:
        draw = _crowd if self.is_crowd else _bar
        return draw(self.items, timeline, width)


def _lines(timeline: Timeline, *, every: bool) -> Iterator[_Line]:
    for (_phase, step), group in groupby(_ordered(timeline), key=lambda item: (item.phase, item.step)):
        items = list(group)
        if not every and len(items) > _SINGLE:
            yield _summary(step, items, timeline)
            items = sorted(items, key=lambda item: -item.ran(timeline.seconds))[:_SLOWEST]
        for item in items:
            yield _line(item, timeline)


def _layout(lines: Sequence[_Line], width: int) -> tuple[list[str], int, int]:
    """Return the columns before the bar, the characters of an item's name, and the columns of the bar."""
    for name, spare in product(_NAMES, ((), *_SPARE)):
        shown = [head for head in _HEADS if head not in spare]
        cells = [line.shown(name) for line in lines]
        widest = (max(len(head), *(cell_len(row[head]) for row in cells)) for head in shown)
        left = width - sum(widest) - _GAP * len(shown)
        if left >= _NARROWEST:
            break
    return shown, name, max(_NARROWEST, left)


def _cut(text: str, most: int) -> str:
    """Return a name, without its middle if it is too long, since both ends distinguish items."""
    head = most // 2 - 1
    return text if len(text) <= most else f"{text[:head]}…{text[head + 1 - most :]}"


def _ordered(timeline: Timeline) -> list[TimedItem]:
    """Return the items by phase; within it by step, the one that began first before."""
    first: dict[tuple[int, str], float] = {}
    for item in timeline.items:
        first.setdefault((item.phase, item.step), item.began)
    return sorted(
        timeline.items, key=lambda item: (item.phase, first[item.phase, item.step], item.step, item.began)
    )


def _line(item: TimedItem, timeline: Timeline) -> _Line:
    tries = f" ×{len(item.attempts)}" if len(item.attempts) > 1 else ""
    cells = {
        "step": item.step,
        "task": harmless(item.item),
        "waited": _format_seconds(item.waited),
        "ran": _format_seconds(item.ran(timeline.seconds)) + tries,
        "tokens": _tokens([item]),
    }
    return _Line(cells, [item], is_crowd=False)


def _summary(step: str, items: Sequence[TimedItem], timeline: Timeline) -> _Line:
    cells = {
        "step": step,
        "task": f"{counted(len(items), 'task')}, slowest below",
        "waited": _middle_and_most([item.waited for item in items]),
        "ran": _middle_and_most([item.ran(timeline.seconds) for item in items]),
        "tokens": _tokens(items),
    }
    return _Line(cells, items, is_crowd=True)


def _tokens(items: Sequence[TimedItem]) -> str:
    """Return the tokens of all these items."""
    tokens = sum(item.tokens for item in items)
    return f"{tokens:,}" if tokens else ""


def _middle_and_most(seconds: Sequence[float]) -> str:
    """Return the median and the 95th percentile."""
    most = statistics.quantiles(seconds, n=20, method="inclusive")[-1]
    return f"{_format_seconds(statistics.median(seconds))}, p95 {_format_seconds(most)}"


def _bar(items: Sequence[TimedItem], timeline: Timeline, width: int) -> Text:
    cells, styles = [" "] * width, [""] * width
    for attempt in (attempt for item in items for attempt in item.attempts):
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
    """Return how many of the items ran at once, as the height of each column, and the most that did."""
    width = max(1, width - len(f" {len(items)} at once"))
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
    remarks = [
        f"stage {phase} took no more tasks: {harmless(why)}" for phase, why in sorted(timeline.closed.items())
    ]
    again = sum(len(item.attempts) - 1 for item in timeline.items)
    remarks += [counted(again, "repeated attempt")] if again else []
    if timeline.cut:
        remarks.append("The first events are not kept any more: what ran before them is not shown.")
    return remarks


def _workers(timeline: Timeline) -> list[str]:
    """Return how many attempts each worker made, those with the most."""
    workers = Counter(
        attempt.worker for item in timeline.items for attempt in item.attempts if attempt.worker
    )
    return [f"{harmless(name)}: {counted(count, 'attempt')}" for name, count in workers.most_common(_WORKERS)]
