"""Merges of key elements for a reader."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from producer.console import harmless

if TYPE_CHECKING:
    from rich.console import Console

    from workers.core.merging import Merge


def print_merges(console: Console, found: Sequence[Merge]) -> None:
    """Print merges as a table; undone ones say so."""
    if not found:
        console.print("No merges: `hopline elements merge -c COLLECTION` makes some.")
        return
    table = Table("merge", "key element", "leads to", "rule", "in common", "made")
    for one in found:
        made = Text(f"undone {one.undone[:16]}", "yellow") if one.undone else Text(one.made[:16])
        names = (Text(harmless(name)) for name in (one.source_name, one.target_name))
        table.add_row(one.id, *names, one.rule, Text(harmless(one.evidence)), made)
    console.print(table)


def print_proposals(console: Console, found: Sequence[Sequence[str]]) -> None:
    """Print what a dry run found: source, target, rule and evidence."""
    table = Table("key element", "would lead to", "rule", "in common")
    for source, target, rule, evidence in found:
        table.add_row(Text(harmless(source)), Text(harmless(target)), rule, Text(harmless(evidence)))
    if found:
        console.print(table)
