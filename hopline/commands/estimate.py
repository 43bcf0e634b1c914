"""hopline estimate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.text import Text

from hopline.commands.client import connected
from hopline.commands.console import answers, harmless, print_folded, print_json, working
from hopline.commands.intake import ChunkOverlap, ChunkTokens, Code, Encoding, given, sent_places
from hopline.commands.options import AsJson, Quiet
from hopline.views.tables import plain_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console
    from rich.table import Table

    from hopline.models.estimates import Bound, Estimate, Range

Sources = Annotated[
    list[str],
    typer.Argument(
        help="Files, folders, patterns or addresses, as for `hopline ingest`.", show_default=False
    ),
]
Sample = Annotated[int, typer.Option(min=0, help="How many documents to read as a sample; 0 reads all.")]
Via = Annotated[
    Literal["calls", "batch"],
    typer.Option(help="batch: the provider's batch mode, which is cheaper and takes up to a day."),
]
Latency = Annotated[
    float | None,
    typer.Option(min=0.001, help="Seconds that one chat call takes, if known.", show_default=False),
]
Dimension = Annotated[int, typer.Option(min=1, help="Number of dimensions of the embedder's vectors.")]


def estimate(
    sources: Sources,
    sample: Sample = 2000,
    via: Via = "calls",
    latency: Latency = None,
    dimension: Dimension = 256,
    as_json: AsJson = False,
    chunk_tokens: ChunkTokens = None,
    chunk_overlap: ChunkOverlap = None,
    encoding: Encoding = None,
    code: Code = False,
    quiet: Quiet = False,
) -> None:
    """Estimate what documents will cost, before any call: calls, tokens, money, hours, and resulting size.

    Splits and counts documents as ingestion would. Calls no model, and needs no server; if HOPLINE_API_URL
    is set, the API does the counting.
    Prices come from the settings (HOPLINE_PRICES, HOPLINE_PRICE_FAST_IN, …); without them only tokens
    are shown. Hours follow from the limits that are set (HOPLINE_MODEL_RPM, HOPLINE_MODEL_TPM, …).

    [bold]Examples[/bold]

      hopline estimate reports/

      hopline estimate big.jsonl --sample 0 --json | jq .spending

      HOPLINE_MODEL_RPM=500 hopline estimate s3://bucket/reports --latency 2
    """
    with connected(own_settings=True) as client, working("Listing", quiet=quiet or as_json) as tell:
        places = sent_places(client, sources, tell, code=code)
        result = client.estimates.make(
            places,
            sample=sample,
            via=via,
            latency=latency,
            dimension=dimension,
            encoding=encoding or "",
            code=code,
            **given(chunk_tokens=chunk_tokens, chunk_overlap=chunk_overlap),
        )
    if as_json:
        print_json(result.model_dump_json())
        return

    print_estimate(answers(), result)


def print_estimate(console: Console, estimate: Estimate) -> None:
    """Print an estimate: usage, cost, duration, resulting size, and warnings."""
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
    """Return the tokens per call that count towards the limit per minute: reserved on arrival, and used."""
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
