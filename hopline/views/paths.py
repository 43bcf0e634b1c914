"""Prints the reader strategy's paths: live as a tree, afterwards with notes and analysis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text
from rich.tree import Tree

from hopline.commands.console import harmless, print_indented
from hopline.progress.reader import Path, ReadingProgress, reading_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from hopline.models.jobs import Json

_SHOWN_ACTIONS = 3  # of a path while it reads; the newest
_NOTE = 160  # characters


def paths_tree(reading: ReadingProgress) -> Tree:
    """Return every path with its newest actions, each with its decision and the notebook's growth."""
    tree = Tree("", hide_root=True)
    for number, path in sorted(reading.paths.items()):
        branch = tree.add(_head(number, path))
        first = max(0, len(path.actions) - _SHOWN_ACTIONS)
        for place, action in enumerate(path.actions[first:], first + 1):
            action_branch = branch.add(Text(harmless(f"{place} {action.line}"), "dim"))
            if action.reason:
                action_branch.add(Text(harmless(f"why: {action.reason}"), "dim"))
    if reading.newest:
        tree.add(Text(harmless(f"noted: {reading.newest}"[:_NOTE]), "italic"))
    return tree


def print_paths(console: Console, reading: ReadingProgress, books: Sequence[Json] = ()) -> None:
    """Print every action of every path, and under each path the notes that were kept.

    Args:
        console: where to.
        reading: the paths.
        books: notebooks with {path, entries: [{text}]}, as an answer's details have them.
    """
    kept = {book.get("path"): book.get("entries", ()) for book in books}
    for number, path in sorted(reading.paths.items()):
        print_indented(console, _head(number, path), 2)
        for place, action in enumerate(path.actions, 1):
            print_indented(console, Text(harmless(f"{place} {action.line}"), "dim"), 4)
            if action.reason:
                print_indented(console, Text(harmless(f"why: {action.reason}"), "dim"), 6)
        for entry in kept.get(number, ()):
            note = str(entry.get("text", ""))
            print_indented(console, Text(harmless(f"noted: {note}"), "italic"), 4)


def print_reading(console: Console, details: Json) -> None:
    """Print the paths of a reader answer; nothing for other strategies."""
    if "notebooks" not in details:
        return
    console.print(Text("\nHow it read", "bold cyan"))
    plan = details.get("plan") or {}
    if plan.get("asked"):
        print_indented(console, Text(harmless(f"plan: {plan['asked']}")), 2)
    for step in plan.get("steps") or ():
        print_indented(console, Text(harmless(f"- {step}"), "dim"), 4)
    print_paths(console, reading_of(details), details["notebooks"])
    if details.get("analysis"):
        console.print(Text("\nAnalysis", "bold cyan"))
        for line in str(details["analysis"]).splitlines():
            print_indented(console, Text(harmless(line)), 2)


def _head(number: int, path: Path) -> Text:
    head = Text.assemble((f"path {number} ", "bold"), harmless(path.start))
    if path.ending:
        head.append(f" · {path.ending}", "green" if path.why == "complete" else "yellow")
    return head
