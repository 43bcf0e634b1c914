"""Prints merges of key elements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from producer.views.tables import Listing

if TYPE_CHECKING:
    from rich.console import Console

    from workers.core.graph.merges import Merge, NameCandidates


def print_merges(console: Console, found: Sequence[Merge]) -> None:
    """Print merges as a table; undone ones say so."""
    if not found:
        console.print("No merges: `hopline elements merge -c COLLECTION` makes some.")
        return
    table = Listing(
        "merge",
        "key element",
        "leads to",
        "rule",
        "made",
        "in common",
        wide="in common",
        spare=("made", "rule"),
    )
    for one in found:
        made = Text(f"undone {one.undone[:16]}", "yellow") if one.undone else Text(one.made[:16])
        table.add(one.id, one.source_name, one.target_name, one.rule, made, one.evidence)
    table.print(console)


def print_candidates(console: Console, found: Sequence[NameCandidates]) -> None:
    """Print names that may mean several."""
    if not found:
        console.print("No name that documents state may mean several.")
        return
    table = Listing(
        *("key element", "may mean", "in documents", "collection"),
        wide="may mean",
        spare=("collection", "in documents"),
    )
    for one in found:
        may_mean = ", ".join(other.name for other in one.candidates)
        resolved = Counter(place.name for place in one.resolved_in)
        documents = ", ".join(f"{count}: {name}" for name, count in sorted(resolved.items()))
        table.add(one.element.name, may_mean, documents, one.collection)
    table.print(console)


def print_pairs(console: Console, found: Sequence[Sequence[str]]) -> None:
    """Print what a model would be asked about: two names, and why they are likely."""
    table = Listing("key element", "may be", "why", wide="why")
    for source, target, _rule, evidence in found:
        table.add(source, target, evidence)
    if found:
        table.print(console)


def print_proposals(console: Console, found: Sequence[Sequence[str]]) -> None:
    """Print what a dry run found: source, target, rule and evidence."""
    table = Listing("key element", "would lead to", "rule", "in common", wide="in common", spare=("rule",))
    for source, target, rule, evidence in found:
        table.add(source, target, rule, evidence)
    if found:
        table.print(console)
