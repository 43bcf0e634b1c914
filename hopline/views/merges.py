"""Prints merges of key elements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from hopline.views.tables import Listing
from hopline.views.words import moment

if TYPE_CHECKING:
    from rich.console import Console

    from hopline.models.merges import Merge, NameCandidates


def print_merges(console: Console, merges: Sequence[Merge]) -> None:
    """Print merges as a table; undone ones say so."""
    if not merges:
        console.print("No merges: `hopline merges create -c COLLECTION` makes some.")
        return
    table = Listing(
        "key element",
        "same as",
        "merge",
        "rule",
        "made",
        "in common",
        wide="in common",
        spare=("made", "rule"),
    )
    for merge in merges:
        made = Text(f"undone {moment(merge.undone)}", "yellow") if merge.undone else Text(moment(merge.made))
        table.add(merge.source_name, merge.target_name, merge.id, merge.rule, made, merge.evidence)
    table.print(console)


def print_candidates(console: Console, ambiguities: Sequence[NameCandidates]) -> None:
    """Print names that may mean several."""
    if not ambiguities:
        console.print("No name that documents state may mean several.")
        return
    table = Listing(
        *("key element", "may mean", "in documents", "collection"),
        wide="may mean",
        spare=("collection", "in documents"),
    )
    for ambiguity in ambiguities:
        may_mean = ", ".join(other.name for other in ambiguity.candidates)
        resolved = Counter(place.name for place in ambiguity.resolved_in)
        documents = ", ".join(f"{count}: {name}" for name, count in sorted(resolved.items()))
        table.add(ambiguity.element.name, may_mean, documents, ambiguity.collection)
    table.print(console)


def print_pairs(console: Console, pairs: Sequence[Sequence[str]]) -> None:
    """Print what a model would be asked about: two names, and why they are likely."""
    table = Listing("key element", "may be", "why", wide="why")
    for source, target, _rule, evidence in pairs:
        table.add(source, target, evidence)
    if pairs:
        table.print(console)


def print_proposals(console: Console, proposals: Sequence[Sequence[str]]) -> None:
    """Print what a dry run found: source, target, rule and evidence."""
    table = Listing("key element", "same as", "rule", "in common", wide="in common", spare=("rule",))
    for source, target, rule, evidence in proposals:
        table.add(source, target, rule, evidence)
    if proposals:
        table.print(console)
