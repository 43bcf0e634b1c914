"""Prints an evaluation: its progress, and tables of figures with confidence intervals."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from hopline.commands.console import harmless, notices
from hopline.progress.ingest import IngestProgress
from hopline.views.tables import plain_table
from hopline.words import counted

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from hopline.models.events import Told
    from producer.evaluation.answers import AnsweredGroup, Answers
    from producer.evaluation.measures import Interval
    from producer.evaluation.report import EvalReport
    from producer.evaluation.retrieval import RankedGroup, Retrieval

_LINES = 10  # of progress where nothing can be redrawn


class Advance(Protocol):
    """Counts one more."""

    def __call__(self) -> None:
        """Count it."""


@contextmanager
def counting(what: str, total: int, *, quiet: bool = False) -> Iterator[Advance]:
    """Show how many of some things are done: a bar on a terminal, ten lines elsewhere; on stderr."""
    console = notices()
    done = 0

    def in_lines() -> None:
        nonlocal done
        done += 1
        if not quiet and done * _LINES // total > (done - 1) * _LINES // total:
            console.print(harmless(f"{what}: {done} of {total}"), markup=False)

    if quiet or not console.is_terminal:
        yield in_lines
        return
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=total)
        yield lambda: bar.advance(task)


class PassageProgress(IngestProgress):
    """The progress of the passages, in ten lines and one for each that failed."""

    def add(self, event: Told) -> str | None:
        """Fold in one event; return a line for views that cannot redraw, if it is worth one."""
        before, failed = self.ended, self.failed
        line = super().add(event)
        if self.failed > failed:
            return line
        reached = self.ended * _LINES // self.documents > before * _LINES // self.documents
        return f"passages: {self.ended} of {self.documents}" if reached else None


def print_evaluation(console: Console, report: EvalReport) -> None:
    """Print an evaluation."""
    file = report.file
    counts = f"{counted(file.questions, 'question')}, {counted(file.passages, 'passage')}"
    head = f"{file.name}: {counts}, collection {report.collection}"
    console.print(Text(harmless(head), "bold"))
    console.print()
    console.print(_retrieval_table(report.retrieval))
    console.print()
    console.print(Text(_latency_line(report.retrieval)))
    for part, questions in report.retrieval.failed.items():
        console.print(Text(f"could not be had: {part}, for {counted(questions, 'question')}", "yellow"))
    if report.answers:
        console.print()
        console.print(_answers_table(report.answers))
    console.print()
    console.print(Text(f"In brackets: 95% confidence, {report.resamples} resamples of the questions.", "dim"))


def _retrieval_table(retrieval: Retrieval) -> Table:
    figures = ("gold in first 2", "gold in first 5", "all gold in first 5")
    table = plain_table("questions", "ranking", *figures, right=figures)
    for name, group in retrieval.groups.items():
        for row in _ranked_rows(name, group):
            table.add_row(*row)
    return table


def _ranked_rows(name: str, group: RankedGroup) -> Iterator[tuple[str, ...]]:
    label = f"{harmless(name)} ({group.questions})"
    for system, measures in group.systems.items():
        yield (
            label,
            system,
            *(_percent(i) for i in (measures.recall_2, measures.recall_5, measures.all_gold_5)),
        )
    over = group.over_hybrid
    if over:
        figures = (over.recall_2, over.recall_5, over.all_gold_5)
        yield label, "search minus hybrid", *(_percent(i, sign="+") for i in figures)


def _latency_line(retrieval: Retrieval) -> str:
    took = retrieval.milliseconds
    line = f"search: p50 {took.p50:.1f} ms, p95 {took.p95:.1f} ms, at most {took.max:.1f} ms a question"
    parts = ", ".join(f"{harmless(name)} {ms:.1f}" for name, ms in took.parts_p50.items())
    return f"{line}, after {took.warm_up} to warm up" + (f" (p50 by part: {parts})" if parts else "")


def _answers_table(answers: Answers) -> Table:
    groups = [f"{harmless(name)} ({group.questions})" for name, group in answers.groups.items()]
    table = plain_table(f"strategy {harmless(answers.strategy)}", *groups, right=groups)
    columns = [list(_answer_figures(group)) for group in answers.groups.values()]
    for cells in zip(*columns, strict=True):
        table.add_row(cells[0][0], *(value for _name, value in cells))
    return table


def _answer_figures(group: AnsweredGroup) -> Iterator[tuple[str, str]]:
    yield "answered", _percent(group.answered)
    yield "abstained", _percent(group.abstained)
    yield "expected answer is contained", _percent(group.contained)
    yield "exact match", _percent(group.exact_match)
    yield "F1", _percent(group.f1)
    yield "gold passages that are cited", _percent(group.gold_cited)
    yield "cited passages that are gold", _percent(group.cited_gold) if group.cited_gold else "nothing cited"
    yield "visits a question", _number(group.visits)
    yield "model calls a question", _number(group.model_calls)
    yield "tokens a question", _number(group.tokens, 0)
    yield "seconds a question", _number(group.seconds, 2)


def _percent(interval: Interval, sign: str = "") -> str:
    return _bounded(*(f"{100 * value:{sign}.1f}" for value in (interval.mean, interval.low, interval.high)))


def _number(interval: Interval, digits: int = 1) -> str:
    return _bounded(*(f"{value:,.{digits}f}" for value in (interval.mean, interval.low, interval.high)))


def _bounded(mean: str, low: str, high: str) -> str:
    """Return a figure with its interval; without one where all questions are alike, or there is but one."""
    return mean if low == high else f"{mean} ({low} to {high})"
