"""Prints the demos' output around their questions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.text import Text

from hopline.commands.console import harmless, print_folded

if TYPE_CHECKING:
    from rich.console import Console


def print_headline(console: Console, text: str) -> None:
    """Print a headline below an empty line."""
    console.print(Text(f"\n{harmless(text)}", "bold cyan"))


def print_question(console: Console, number: int, question: str, shows: str) -> None:
    """Print a question with its purpose."""
    print_headline(console, f"{number}. {question}")
    console.print(Text(shows, "dim"))
    console.print()


def print_tips(console: Console, tips: Iterable[str], headline: str = "What to try next") -> None:
    """Print what to try next, a line each."""
    print_headline(console, headline)
    for tip in tips:
        print_folded(console, Text(f"  {harmless(tip)}"))
