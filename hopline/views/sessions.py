"""Prints sessions of questions, and what one remembers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hopline.views.tables import Listing
from hopline.views.words import ago

if TYPE_CHECKING:
    from rich.console import Console

    from hopline.models.sessions import Session, SessionMemory


def print_sessions(console: Console, sessions: Sequence[Session]) -> None:
    """Print a table of sessions, or a note if there are none."""
    if not sessions:
        console.print("No session remembers anything: `hopline chat` begins one.", markup=False)
        return
    table = Listing(
        "session", "id", "last question", "collection", "key", "for", wide="session", spare=("for",)
    )
    for each in sessions:
        within, readers = ", ".join(each.collections), ", ".join(each.principals or ())
        table.add(each.name, each.id, f"{ago(each.at)} ago", within, each.key, readers)
    table.print(console)


def print_memory(console: Console, memory: SessionMemory) -> None:
    """Print the questions that a session remembers, each with the beginning of its answer."""
    for turn in memory.turns:
        console.print(f"{turn.job_id}  {turn.question}", markup=False, style="bold")
        console.print(f"{turn.answer}\n", markup=False)
