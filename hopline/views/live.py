"""Shows a running job's progress on stderr: redrawn on a terminal, as plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from rich.console import Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.spinner import Spinner
from rich.text import Text
from rich.tree import Tree

from hopline.commands.console import harmless, notices
from hopline.models.jobs import NOBODY_BEGAN
from hopline.views.paths import paths_tree
from hopline.views.tool_calls import asking_tree
from hopline.words import counted, distance

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from hopline.models.events import Told
    from hopline.progress.ingest import IngestProgress
    from hopline.progress.query import QueryProgress, VisitedNode
    from hopline.progress.survey import SurveyProgress

_SHOWN_NODES = 14  # what fits a small terminal; the newest are shown
NOBODY_BEGAN_SECONDS = 8.0


class Folded(Protocol):
    """The state that events add up to."""

    begun: bool

    def add(self, event: Told) -> str | None:
        """Process one event; return a line if it is worth printing."""


def follow(
    batches: Iterable[Sequence[Told]],
    progress: Folded,
    draw: Callable[[], RenderableType],
    *,
    quiet: bool = False,
    why: Callable[[], str] = lambda: NOBODY_BEGAN,
) -> None:
    """Show a job's progress until its events end.

    Args:
        batches: the events, some at a time; an empty batch is a moment without news.
        progress: takes the events in.
        draw: the view of the moment.
        quiet: show nothing.
        why: returns what the job waits for before a worker begins it; called every few seconds.
    """
    waiting = _Waiting(progress, why)
    console = notices()
    if quiet or not console.is_terminal:
        _follow_in_lines(batches, progress, console, waiting, quiet=quiet)
        return
    with cleared(Live(draw(), console=console, transient=True, refresh_per_second=8)) as live:
        for batch in batches:
            for event in batch:
                progress.add(event)
            hint = waiting.hint()
            live.update(Group(draw(), Text(hint, "yellow")) if hint else draw())


@contextmanager
def cleared(live: Live) -> Iterator[Live]:
    """Run a live view that is fully cleared, even if it grew taller than the terminal.

    A transient display prints its last state in full before it clears the part on the terminal.
    """
    with live:
        try:
            yield live
        finally:
            live.update(Text(""), refresh=True)


class _Waiting:
    """The message shown while no worker has begun a job."""

    def __init__(self, progress: Folded, why: Callable[[], str]) -> None:
        self._progress = progress
        self._why = why
        self._hint = ""
        self._next = time.monotonic() + NOBODY_BEGAN_SECONDS

    def hint(self) -> str:
        """Return it; "" if one has, or it may begin any moment."""
        if self._progress.begun:
            return ""
        if time.monotonic() > self._next:
            self._next = time.monotonic() + NOBODY_BEGAN_SECONDS
            self._hint = self._why()
        return self._hint


def _follow_in_lines(
    batches: Iterable[Sequence[Told]],
    progress: Folded,
    console: Console,
    waiting: _Waiting,
    *,
    quiet: bool,
) -> None:
    before = ""
    for batch in batches:
        lines = [line for event in batch if (line := progress.add(event))]
        if (hint := waiting.hint()) != before:
            before = hint
            lines += [hint] if hint else []
        for line in lines if not quiet else ():
            console.print(harmless(line), markup=False, soft_wrap=True)


def query_view(progress: QueryProgress) -> Callable[[], RenderableType]:
    """Return what draws a question's progress: counts, the way so far, and the answer as written.

    The course of the search: the nodes by origin, the paths, or the tool calls.
    """
    spinner = Spinner("dots")

    def draw() -> RenderableType:
        spinner.update(text=Text(f" {progress.activity} · {_counts(progress)}"))
        written = Text(harmless(" ".join(progress.sentences)))
        waits = [Text(harmless(progress.waits_for), "yellow")] if progress.waits_for else []
        return Group(spinner, *waits, *_way(progress), *([written] if progress.sentences else []))

    return draw


def _way(progress: QueryProgress) -> Iterator[Tree]:
    if progress.reading.paths:
        yield paths_tree(progress.reading)
    elif progress.asking.parts:
        yield asking_tree(progress.asking)
    elif progress.survey.topics:
        yield _survey_tree(progress.survey)
    elif progress.nodes:
        yield _walk_tree(progress.nodes)


def _counts(progress: QueryProgress) -> str:
    scored = f"{progress.facts_scored}"
    if progress.facts_to_score:
        scored += f" of {progress.facts_to_score}"
    if progress.reading.paths:
        return f"paths {len(progress.reading.paths)} · notes {progress.reading.noted} · scored {scored}"
    if progress.asking.parts:
        calls = len(progress.asking.asked)
        return f"tools asked {calls} · facts found {progress.asking.found} · scored {scored}"
    if survey := progress.survey.facts:
        claims = len(progress.survey.claims)
        return f"topics {progress.survey.of_topics} · facts {survey} · scored {scored} · claims {claims}"
    return f"nodes {len(progress.nodes)} · facts found {progress.facts_found} · scored {scored}"


def _survey_tree(survey: SurveyProgress) -> Tree:
    tree = Tree("", hide_root=True)
    for name, texts in (("topics", survey.topics), ("claims", survey.claims[-_SHOWN_NODES:])):
        if texts:
            branch = tree.add(Text(name, "bold"))
            for text in texts:
                branch.add(Text(harmless(text), "dim"))
    return tree


def _walk_tree(nodes: list[VisitedNode]) -> Tree:
    tree = Tree("", hide_root=True)
    branches: dict[str, Tree] = {}
    left_out = len(nodes) - _SHOWN_NODES
    for node in nodes[-_SHOWN_NODES:]:
        label = Text.assemble(
            (harmless(node.name), "bold"), (f" {counted(node.facts, 'fact')}, {distance(node.depth)}", "dim")
        )
        branches[node.name] = branches.get(node.parent or "", tree).add(label)
    if left_out > 0:
        tree.add(Text(f"and {left_out} before these", "dim"))
    return tree


def ingest_view(progress: IngestProgress) -> Callable[[], RenderableType]:
    """Return what draws a batch's progress: a bar of documents, with chunks, facts and failures."""
    bar = Progress(
        TextColumn("documents"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[more]}"),
    )
    task = bar.add_task("", total=progress.documents, more="")

    def draw() -> RenderableType:
        counts = {"chunks": progress.chunks, "facts": progress.facts, "unchanged": progress.unchanged}
        counts["failed"] = progress.failed
        more = " · ".join(f"{name} {count}" for name, count in counts.items() if count)
        bar.update(task, completed=progress.ended, more=more)
        return bar

    return draw
