"""Prints the differences between two evaluation reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar

from rich.text import Text

from hopline.commands.console import harmless
from hopline.views.tables import plain_table
from hopline.words import counted
from producer.evaluation.comparison import AnswerChange, RankingChange, Verdict

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from producer.evaluation.comparison import Comparison, GivenAnswer, MeasureChange

Change = TypeVar("Change", AnswerChange, RankingChange)
_SIGNS: dict[Verdict, tuple[str, str]] = {
    "better": ("+", "green"),
    "worse": ("-", "red"),
    "other": ("~", "dim"),
}
_LONGEST = 160  # characters of an answer


def print_comparison(console: Console, comparison: Comparison) -> None:
    """Print a comparison."""
    console.print(Text(harmless(f"{comparison.before} → {comparison.after}"), "bold"))
    console.print(Text(_counts(comparison)))
    console.print()
    console.print(_measures_table(comparison))
    _print_changes(console, "answers", comparison.answered, _answer_lines)
    _print_changes(console, "searches", comparison.rankings, _ranking_lines)
    for what, pairs in (("prompt", comparison.prompts), ("setting", comparison.settings)):
        for name, (before, after) in pairs.items():
            console.print(Text(harmless(f"{what} {name}: {_absent(before)} → {_absent(after)}")))
    console.print()
    console.print(Text("In brackets: 95% confidence of the difference, question by question.", "dim"))


def _counts(comparison: Comparison) -> str:
    only = [
        f"{count} only in {name}"
        for count, name in (
            (comparison.only_before, comparison.before),
            (comparison.only_after, comparison.after),
        )
        if count
    ]
    return harmless(", ".join([f"{counted(comparison.questions, 'question')} in both", *only]))


def _measures_table(comparison: Comparison) -> Table:
    figures = ("before", "after", "difference")
    table = plain_table("measure", *figures, right=figures)
    for name, change in (comparison.retrieval | comparison.answers).items():
        table.add_row(name, *_figures(name, change))
    return table


def _figures(name: str, change: MeasureChange) -> Iterable[str]:
    scale = 1 if name.endswith("a question") else 100
    digits = 0 if name.startswith("tokens") else 1
    difference = change.difference
    yield f"{scale * change.before:.{digits}f}"
    yield f"{scale * change.after:.{digits}f}"
    bounds = f"{scale * difference.low:+.{digits}f} to {scale * difference.high:+.{digits}f}"
    yield f"{scale * difference.mean:+.{digits}f} ({bounds})"


def _print_changes(
    console: Console, what: str, changes: Sequence[Change], lines: Callable[[Change], Iterable[str]]
) -> None:
    if not changes:
        return
    count = Counter(change.verdict for change in changes)
    verdicts = ", ".join(f"{count[verdict]} {verdict}" for verdict in _SIGNS if count[verdict])
    console.print()
    console.print(Text(f"{what}: {verdicts}", "bold"))
    order = list(_SIGNS)
    for change in sorted(changes, key=lambda change: order.index(change.verdict)):
        sign, style = _SIGNS[change.verdict]
        console.print(Text(harmless(f"{sign} {change.id}: {change.question}"), style))
        for line in lines(change):
            console.print(Text(harmless(f"    {line}")))


def _answer_lines(change: AnswerChange) -> Iterable[str]:
    yield f"expected: {change.expected}"
    yield f"before:   {_shown(change.before)}"
    yield f"after:    {_shown(change.after)}"


def _shown(answer: GivenAnswer) -> str:
    text = " ".join(answer.text.split())
    text = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    cost = f"{counted(answer.model_calls, 'call')}, {answer.tokens} tokens"
    return f"{answer.status.value}, F1 {answer.f1:.2f}, {cost}: {text or 'no answer'}"


def _ranking_lines(change: RankingChange) -> Iterable[str]:
    if change.lost:
        yield f"no longer among the first five: {', '.join(change.lost)}"
    if change.won:
        yield f"now among the first five: {', '.join(change.won)}"


def _absent(value: object) -> str:
    return "absent" if value is None else str(value)
