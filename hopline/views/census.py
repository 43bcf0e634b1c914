"""Prints a collection's graph in numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from hopline.commands.console import harmless, print_indented
from hopline.views.tables import plain_table
from hopline.words import counted

if TYPE_CHECKING:
    from rich.console import Console

    from hopline.models.census import (
        CensusExample,
        DegreeBin,
        EmbedderFigure,
        FactLengths,
        GraphCensus,
        Hub,
        Lacking,
    )

_BAR = 40  # columns of the longest bar
_EIGHTHS = " ▏▎▍▌▋▊▉"
_TEXT_CHARACTERS = 100


def print_census(console: Console, census: GraphCensus) -> None:
    """Print counts, the distribution of degrees, hubs, and what lacks something."""
    _print_counts(console, census)
    _print_named(console, "labels: ", census.labels)
    _print_named(console, "relationships: ", census.relationships)
    _print_degrees(console, census.degrees)
    _print_hubs(console, census.hubs)
    if census.fact_lengths:
        _print_lengths(console, census.fact_lengths)
    facts, chunks = census.live.facts, census.live.chunks
    _print_lacking(console, "facts without grounding", census.ungrounded, facts)
    _print_lacking(console, "facts without key elements", census.facts_without_elements, facts)
    _print_lacking(console, "chunks without facts", census.chunks_without_facts, chunks)
    if census.merged:
        console.print(f"key elements merged into others: {census.merged:,}")
    _print_embedder(console, census.embedder)
    console.print(Text(f"counted in {census.seconds:.1f} s", "dim"))


def _print_embedder(console: Console, figure: EmbedderFigure | None) -> None:
    """Print how good the embedder is here, and what vectors count for in searches by that."""
    if figure is None:
        sentence = "not measured"
    else:
        sentence = (
            f"finds the rest of a passage with rank {figure.vectors:.2f}, words with {figure.words:.2f}"
            f" (mean reciprocal of {figure.pairs:,}): vectors count {figure.weight:.2f} times"
        )
    console.print(Text.assemble(("embedder: ", "cyan"), sentence))


def bar(count: int, most: int, width: int = _BAR) -> str:
    """Return a bar for count out of most, in eighths of a column; a count above 0 is always visible."""
    eighths = max(1, round(8 * width * count / most)) if count else 0
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()


def _print_counts(console: Console, census: GraphCensus) -> None:
    counts = ("current", "not yet visible", "without documents")
    name = harmless(census.collection)
    title = f"{harmless(census.title)} (collection {name})" if census.title else f"Collection {name}"
    table = plain_table("", *counts, title=title, right=counts)
    for kind in ("documents", "chunks", "facts", "elements"):
        label = "key elements" if kind == "elements" else kind
        parts = (census.live, census.hidden, census.orphans)
        table.add_row(label, *(f"{getattr(part, kind):,}" for part in parts))
    console.print(table)
    if census.description:
        print_indented(console, Text(harmless(census.description)), 0)


def _print_degrees(console: Console, bins: tuple[DegreeBin, ...]) -> None:
    if not bins:
        return
    most = max(degree_bin.elements for degree_bin in bins)
    title = "Key elements by number of facts"
    table = plain_table("facts", "key elements", "", title=title, right=("key elements",))
    for degree_bin in bins:
        between = (
            f"{degree_bin.low:,}"
            if degree_bin.low == degree_bin.high
            else f"{degree_bin.low:,} to {degree_bin.high:,}"
        )
        table.add_row(between, f"{degree_bin.elements:,}", bar(degree_bin.elements, most))
    console.print(table)


def _print_named(console: Console, label: str, counts: dict[str, int]) -> None:
    shown = " · ".join(f"{harmless(name)} {count:,}" for name, count in counts.items())
    if shown:
        print_indented(console, Text.assemble((label, "cyan"), shown), 0)


def _print_lengths(console: Console, lengths: FactLengths) -> None:
    """Print how many tokens facts take; very short ones mostly lack context."""
    if not lengths.bins:
        return
    most = max(length_bin.facts for length_bin in lengths.bins)
    title = f"{counted(lengths.counted, 'fact')} by length"
    table = plain_table("tokens", "facts", "", title=title, right=("facts",))
    for length_bin in lengths.bins:
        between = (
            f"{length_bin.low:,}"
            if length_bin.low == length_bin.high
            else f"{length_bin.low:,} to {length_bin.high:,}"
        )
        table.add_row(between, f"{length_bin.facts:,}", bar(length_bin.facts, most))
    console.print(table)
    for label, examples in (("shortest facts", lengths.shortest), ("longest facts", lengths.longest)):
        console.print(Text(f"{label}:"))
        _print_examples(console, examples)


def _print_hubs(console: Console, hubs: tuple[Hub, ...]) -> None:
    if not hubs:
        return
    shares = ("facts", "of all facts")
    table = plain_table("key element", *shares, title="Key elements with the most facts", right=shares)
    for hub in hubs:
        table.add_row(Text(harmless(hub.name)), f"{hub.degree:,}", f"{hub.share:.1%}")
    console.print(table)


def _print_lacking(console: Console, label: str, lacking: Lacking, of: int) -> None:
    share = f" ({lacking.count / of:.1%})" if of and lacking.count else ""
    console.print(Text.assemble((f"{label}: ", "cyan"), f"{lacking.count:,}{share}"))
    _print_examples(console, lacking.examples)


def _print_examples(console: Console, examples: tuple[CensusExample, ...]) -> None:
    for example in examples:
        text = " ".join(example.text.split())
        shown = text if len(text) <= _TEXT_CHARACTERS else text[: _TEXT_CHARACTERS - 1] + "…"
        print_indented(
            console, Text.assemble(harmless(shown), (f" · {harmless(example.document)}", "dim")), 3
        )
