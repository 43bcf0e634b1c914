"""Prints what an answer left out: dropped sentences, and facts that scored too low or did not fit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.text import Text

from producer.console import harmless, print_indented

if TYPE_CHECKING:
    from rich.console import Console

    from workers.core.jobs.work import Json

# Counts in an answer's details, and what each is of.
_COUNTS = (
    ("below_threshold", "facts scored too low (--score-threshold)"),
    ("uncitable", "facts that stand nowhere in a document any more"),
    ("left_out", "facts that did not fit (--evidence-tokens)"),
    ("shortened", "facts shortened to fit (--summarise-overflow)"),
    ("entries_without_evidence", "notebook entries of which no evidence is left"),
)


def print_left_out(console: Console, details: Json) -> None:
    """Print what was left out and why; that nothing was, where nothing was."""
    console.print(Text("\nWhat was left out", "bold cyan"))
    for line in list(_lines(details)) or ["nothing"]:
        print_indented(console, Text(harmless(line)), 2)


def _lines(details: Json) -> Iterator[str]:
    for fallen in details.get("asked_again", ()):
        yield f"dropped from the first draft: “{fallen['sentence']}” {fallen['why']}"
    for fallen in details.get("dropped_sentences", ()):
        yield f"dropped: “{fallen['sentence']}” {fallen['why']}"
    if failed := details.get("summary_failed"):
        yield f"facts that did not fit could not be summarised: {failed}"
    for name, of_what in _COUNTS:
        if count := details.get(name):
            yield f"{of_what}: {count}"
