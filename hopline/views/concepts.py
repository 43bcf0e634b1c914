"""Prints concept maps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rich.spinner import Spinner
from rich.text import Text

from hopline.commands.console import harmless, print_indented
from hopline.views.tables import Listing
from hopline.views.words import moment

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from hopline.models.concepts import (
        ConceptGraph,
        ConceptLink,
        ConceptNode,
        ConceptOutcome,
        ConceptVersion,
        RelationEdited,
    )
    from hopline.progress.concept import ConceptProgress

_FULL, _EMPTY = "●", "○"
_MOST = 5  # of a strength


def print_outcome(console: Console, outcome: ConceptOutcome) -> None:
    """Print a concept map job's result: the map, why it is incomplete, and the reasoning."""
    if outcome.nodes:
        print_map(console, outcome)
    if outcome.reason:
        console.print(Text.assemble((f"{outcome.state}: ", "yellow"), harmless(outcome.reason)))
    if outcome.reasoning:
        console.print(Text("How it came to be", "bold"))
    for step in outcome.reasoning:
        print_indented(console, Text.assemble((f"{step.step}  ", "dim"), harmless(step.text)), 2)


def print_map(console: Console, held: ConceptGraph, *, dated: bool = False) -> None:
    """Print a map: the core, its relations and the links among them; `dated` adds their dates."""
    if not held.nodes:
        return
    core, *others = held.nodes
    console.print(_heading(core, f"version {held.version}"))
    _print_definition(console, core)
    links = {link.target: link for link in held.links if link.source == core.id}
    for node in others:
        if link := links.pop(node.id, None):
            console.print(_heading(node, strength_of(link) + (_since(link) if dated else "")))
            _print_definition(console, node)
            print_indented(console, Text(harmless(link.relation)), 4)
    names = {node.id: node.name for node in held.nodes}
    for link in held.links:
        if link.source != core.id:
            ends = f"{names.get(link.source, '?')} → {names.get(link.target, '?')}"
            console.print(Text.assemble((harmless(ends), "bold"), "  ", strength_of(link)))
            print_indented(console, Text(harmless(link.relation)), 4)


def print_versions(console: Console, versions: Sequence[ConceptVersion]) -> None:
    """Print the versions of a map with what changed in each, newest first."""
    if not versions:
        return
    table = Listing("version", "made", "by", "change", "concept", "why", wide="why")
    for version in versions:
        for nth, change in enumerate(version.changes):
            cells = (str(version.version), moment(version.made), harmless(version.by or "a job"))
            first = cells if nth == 0 else ("", "", "")
            table.add(*first, change.change, change.name, change.reason)
    table.print(console)


def print_edited(console: Console, edit: RelationEdited) -> None:
    """Print the changes of an edit, and how to undo it."""
    if edit.change is None:
        console.print(Text(f"{harmless(edit.concept)}: it is like that already, version {edit.version}"))
        return
    change = edit.change
    what = Text.assemble(
        (f"{change.change}: ", "bold"), harmless(change.name), (f"  version {edit.version}", "dim")
    )
    console.print(what)
    if change.reason:
        print_indented(console, Text(harmless(change.reason), "dim"), 4)


def concept_view(progress: ConceptProgress) -> Callable[[], RenderableType]:
    """Return the display of a map's progress: the current step, and valid results so far."""
    spinner = Spinner("dots")

    def draw() -> RenderableType:
        valid = f"valid {len(progress.valid)} · refused {progress.refused}"
        names = harmless(", ".join(progress.valid))
        spinner.update(text=Text(f" {progress.activity} · {valid}" + (f" · {names}" if names else "")))
        return spinner

    return draw


def strength_of(link: ConceptLink) -> str:
    """Return a strength as five dots."""
    return _FULL * link.strength + _EMPTY * (_MOST - link.strength)


def _since(link: ConceptLink) -> str:
    if not link.created:
        return ""
    updated = link.updated or link.created
    changed = f", changed {moment(updated)}" if updated > link.created else ""
    return f"  since {moment(link.created)}{changed}"


def _heading(node: ConceptNode, more: str) -> Text:
    return Text.assemble(
        (harmless(node.name), "bold"), (f"  {harmless(node.domain)}", "cyan"), (f"  {more}", "dim")
    )


def _print_definition(console: Console, node: ConceptNode) -> None:
    if node.definition:
        print_indented(console, Text(harmless(node.definition), "dim"), 4)
