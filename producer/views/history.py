"""Prints history: a table of ended jobs, and one of costs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from producer.views.tables import Listing

if TYPE_CHECKING:
    from rich.console import Console

    from workers.core.jobs.history import Cost, CostGroup, HistoryRow

_WHY_CHARACTERS = 80


def print_history(console: Console, rows: Sequence[HistoryRow]) -> None:
    """Print ended jobs, newest first."""
    if not rows:
        console.print("No such job is in history; what has just ended is there in a moment.")
        return
    table = Listing(
        "job", "state", "kind", "ended", "took", "calls", "cost", "collection", "why",
        wide="why", spare=("took", "calls", "cost"), right=("took", "calls", "cost"),
    )  # fmt: skip
    for row in rows:
        ended = datetime.fromtimestamp(row.ended).astimezone().strftime("%Y-%m-%d %H:%M")
        why = row.reason or next((f"{each.step}: {each.error}" for each in row.errors), "")
        table.add(
            row.id,
            str(row.state),
            row.kind,
            ended,
            f"{row.seconds:.1f} s",
            str(row.calls),
            _money(row.cost),
            row.collection,
            why[:_WHY_CHARACTERS],
        )
    table.print(console)


def print_costs(console: Console, by: CostGroup, costs: Sequence[Cost]) -> None:
    """Print what groups of jobs took."""
    table = Listing(
        by, "jobs", "calls", "tokens", "cost", wide=by, spare=(), right=("jobs", "calls", "tokens", "cost")
    )
    for cost in costs:
        tokens = cost.prompt_tokens + cost.completion_tokens
        name = cost.by or "-"
        table.add(name, str(cost.jobs), str(cost.calls), str(tokens), _money(cost.cost))
    table.print(console)


def _money(cost: float | None) -> str:
    return "" if cost is None else f"{cost:.4f}"
