"""Prints an estimate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from hopline.commands.console import harmless, print_folded
from hopline.views.tables import plain_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console
    from rich.table import Table

    from hopline.models.estimates import Bound, Estimate, Range


def print_estimate(console: Console, estimate: Estimate) -> None:
    """Print what it takes, what it costs, how long it lasts, what is there then, and what to mind."""
    console.print(_rows("what", "how many", _counts(estimate)))
    console.print(_rows("limit", "hours", map(_limit, estimate.bounds)))
    if estimate.decides:
        console.print(Text(f"{estimate.decides.limit} decides: {_limit(estimate.decides)[1]}", "bold"))
    console.print(_rows("afterwards", "about", _afterwards(estimate)))
    for warning in estimate.afterwards.warnings:
        console.print(Text.assemble(("warning: ", "yellow"), warning))
    for refused in estimate.total.refused:
        console.print(Text(f"not taken: {harmless(refused.place)}: {harmless(refused.reason)}", "yellow"))
    for note in estimate.notes:
        console.print(Text(note, "dim"))
    console.print(Text("Computed with what was measured:", "dim"))
    for factor in estimate.factors:
        print_folded(console, Text(f"  {factor.value:,.4g} {factor.name} ({factor.source})", "dim"))


def _rows(first: str, second: str, rows: Iterator[tuple[str, str]]) -> Table:
    table = plain_table(first, second)
    for name, value in rows:
        table.add_row(Text(name), Text(value))
    return table


def _counts(estimate: Estimate) -> Iterator[tuple[str, str]]:
    total, spent = estimate.total, estimate.spending
    yield "documents", f"{total.documents:,}"
    if total.unreadable or total.refused_count:
        yield "not taken", f"{total.unreadable:,} cannot be read, {total.refused_count:,} are not documents"
    if total.pictured:
        yield "pages to be recognised", f"{total.pictured:,.0f}, whose text is not counted below"
    error = f" ± {total.chunks_error:,.0f}" if total.chunks_error else ""
    yield "chunks", f"{total.chunks:,.0f}{error}"
    yield "model calls", f"{total.calls:,.0f}"
    yield "prompt tokens", f"{spent.prompt_tokens:,.0f}"
    yield (
        "reply tokens",
        f"{_range(spent.reply_tokens)}; at most {estimate.reply_cap:,} a reply",
    )
    if total.calls:
        yield "tokens of a call", f"{_a_call(estimate)}, for `bench/sizing.py --tokens`"
    yield "embedding tokens", f"{spent.embedding_tokens:,.0f}"
    currency = f" {estimate.prices.currency}".rstrip()
    yield "cost of calls", _money(spent.chat) + (currency if spent.chat else "")
    embedding = "unknown" if spent.embedding is None else f"{spent.embedding:,.2f}{currency}"
    yield "cost of embeddings", embedding
    yield (
        "cost",
        _money(spent.total)
        + (currency if spent.total else "")
        + (f": {'; '.join(spent.unknown)}" if spent.unknown else ""),
    )


def _a_call(estimate: Estimate) -> str:
    """Return what a call takes of a minute's tokens, by whether replies count as long as they may be."""
    total, spent = estimate.total, estimate.spending
    used = spent.prompt_tokens + spent.reply_tokens.high
    return f"{total.reserved_tokens / total.calls:,.0f} on arrival, {used / total.calls:,.0f} as used"


def _money(cost: Range | None) -> str:
    return "unknown" if cost is None else f"{cost.low:,.2f} to {cost.high:,.2f}"


def _limit(bound: Bound) -> tuple[str, str]:
    name = bound.limit if bound.value is None else f"{bound.limit} {bound.value:,.0f}"
    if bound.low is None or bound.high is None:
        return name, bound.told
    hours = (
        f"{bound.low:,.2f}" if round(bound.low, 2) == round(bound.high, 2) else _hours(bound.low, bound.high)
    )
    return name, f"{hours} h" + (f" ({bound.told})" if bound.told else "")


def _hours(low: float, high: float) -> str:
    return f"{low:,.2f} to {high:,.2f}"


def _afterwards(estimate: Estimate) -> Iterator[tuple[str, str]]:
    then = estimate.afterwards
    yield "nodes", _range(then.nodes)
    yield "vectors", _range(then.vectors)
    yield "graph on disk", f"{_giga(then.graph_bytes)} GB"
    yield "vectors on disk", f"{_giga(then.vector_bytes)} GB"
    yield "vectors in memory", f"{_giga(then.vector_memory)} GB with the local endpoint"
    beyond = "" if then.search_measured else "; extrapolated beyond what was measured"
    yield "a search", f"{then.search_ms:,.0f} ms at the median{beyond}"


def _range(span: Range) -> str:
    return (
        f"{span.low:,.0f}" if round(span.low) == round(span.high) else f"{span.low:,.0f} to {span.high:,.0f}"
    )


def _giga(span: Range) -> str:
    low, high = (f"{size / 1e9:,.2f}" for size in (span.low, span.high))
    return low if low == high else f"{low} to {high}"
