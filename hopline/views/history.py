"""Prints history: a table of ended jobs, and one of costs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hopline.models.jobs import JobState
from hopline.views.tables import Listing
from hopline.views.words import moment, money, number, subject_of

if TYPE_CHECKING:
    from rich.console import Console

    from hopline.models.history import Cost, CostGroup, HistoryRow


def print_history(console: Console, rows: Sequence[HistoryRow]) -> None:
    """Print ended jobs, newest first."""
    if not rows:
        console.print("No such job is in history; what has just ended is there in a moment.")
        return
    table = Listing(
        "job", "state", "kind", "ended", "took", "calls", "cost", "collection", "about",
        wide="about", spare=("took", "calls", "cost", "collection"), right=("took", "calls", "cost"),
    )  # fmt: skip
    for row in rows:
        table.add(
            row.id,
            str(row.state),
            row.kind,
            moment(row.ended),
            f"{row.seconds:.1f} s",
            number(row.calls),
            _money(row.cost),
            row.collection,
            _about(row),
        )
    table.print(console)


def lacks_question(row: HistoryRow) -> bool:
    """Return whether a question was asked and its text is not kept."""
    return row.kind == "query" and not row.params.get("question")


def _about(row: HistoryRow) -> str:
    """Return what a job was about, and why it did not end as it should."""
    why = row.reason or next((f"{each.step}: {each.error}" for each in row.errors), "")
    return " · ".join(filter(None, (subject_of(row.params), "" if row.state == JobState.DONE else why)))


def print_costs(console: Console, by: CostGroup, costs: Sequence[Cost]) -> None:
    """Print what groups of jobs took."""
    figures = ("jobs", "calls", "tokens", "cost")
    table = Listing(by, *figures, wide=by, spare=("cost",), right=figures)
    for cost in costs:
        tokens = cost.prompt_tokens + cost.completion_tokens
        name = cost.by or "-"
        table.add(name, number(cost.jobs), number(cost.calls), number(tokens), _money(cost.cost))
    table.print(console)
    if costs and all(cost.cost is None for cost in costs):
        console.print("No prices were set: HOPLINE_PRICES gives the cost of calls to come.")


def _money(cost: float | None) -> str:
    return "" if cost is None else money(cost)
