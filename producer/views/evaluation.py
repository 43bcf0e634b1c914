"""Prints an evaluation: its progress, and tables of figures with confidence intervals."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from rich import box
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from producer.console import harmless, notices
from producer.progress.ingest import IngestProgress
from producer.reports import words

if TYPE_CHECKING:
    from rich.console import Console

    from producer.evaluation.answers import AnsweredGroup, Answers
    from producer.evaluation.measures import Interval
    from producer.evaluation.report import EvalReport
    from producer.evaluation.retrieval import RankedGroup, Retrieval
    from workers.core.jobs.work import Event

_LINES = 10  # of progress where nothing can be redrawn


class Advance(Protocol):
    """Counts one more."""

    def __call__(self) -> None:
        """Count it."""


@contextmanager
def counted(what: str, total: int, *, quiet: bool = False) -> Iterator[Advance]:
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

    def add(self, event: Event) -> str | None:
        """Fold in one event; return a line for views that cannot redraw, if it is worth one."""
        before, failed = self.ended, self.failed
        line = super().add(event)
        if self.failed > failed:
            return line
        reached = self.ended * _LINES // self.documents > before * _LINES // self.documents
        return f"passages: {self.ended} of {self.documents}" if reached else None


def print_evaluation(console: Console, report: EvalReport) -> None:
    """Print an evaluation; where stdout is no terminal, its tables are Markdown."""
    file = report.file
    counts = f"{words.counted(file.questions, 'question')}, {words.counted(file.passages, 'passage')}"
    head = f"{file.name}: {counts}, collection {report.collection}"
    console.print(Text(harmless(head), "bold"))
    console.print()
    console.print(_retrieval_table(report.retrieval, _box(console)))
    console.print()
    console.print(Text(_latency_line(report.retrieval)))
    for part, questions in report.retrieval.failed.items():
        console.print(Text(f"could not be had: {part}, for {words.counted(questions, 'question')}", "yellow"))
    if report.answers:
        console.print()
        console.print(_answers_table(report.answers, _box(console)))
    console.print()
    console.print(Text(f"In brackets: 95% confidence, {report.resamples} resamples of the questions.", "dim"))


def _box(console: Console) -> box.Box:
    return box.HEAVY_HEAD if console.is_terminal else box.MARKDOWN


def _retrieval_table(retrieval: Retrieval, border: box.Box) -> Table:
    table = Table(box=border)
    for name in ("type", "ranking", "R@2", "R@5", "all gold@5"):
        table.add_column(name, justify="left" if name in {"type", "ranking"} else "right")
    for name, group in retrieval.groups.items():
        for row in _ranked_rows(name, group):
            table.add_row(*row)
        if border is not box.MARKDOWN:  # which knows no line within a table
            table.add_section()
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


def _answers_table(answers: Answers, border: box.Box) -> Table:
    table = Table(box=border)
    table.add_column(f"strategy {harmless(answers.strategy)}")
    for name, group in answers.groups.items():
        table.add_column(f"{harmless(name)} ({group.questions})", justify="right")
    columns = [list(_answer_figures(group)) for group in answers.groups.values()]
    for cells in zip(*columns, strict=True):
        table.add_row(cells[0][0], *(value for _name, value in cells))
    return table


def _answer_figures(group: AnsweredGroup) -> Iterator[tuple[str, str]]:
    yield "answered", _percent(group.answered)
    yield "abstained", _percent(group.abstained)
    yield "exact match", _percent(group.exact_match)
    yield "F1", _percent(group.f1)
    yield "gold passages that are cited", _percent(group.gold_cited)
    yield "cited passages that are gold", _percent(group.cited_gold) if group.cited_gold else "nothing cited"
    yield "visits a question", _number(group.visits)
    yield "model calls a question", _number(group.model_calls)
    yield "tokens a question", _number(group.tokens, 0)
    yield "seconds a question", _number(group.seconds, 2)


def _percent(interval: Interval, sign: str = "") -> str:
    return (
        f"{100 * interval.mean:{sign}.1f} ({100 * interval.low:{sign}.1f} to {100 * interval.high:{sign}.1f})"
    )


def _number(interval: Interval, digits: int = 1) -> str:
    return f"{interval.mean:,.{digits}f} ({interval.low:,.{digits}f} to {interval.high:,.{digits}f})"
