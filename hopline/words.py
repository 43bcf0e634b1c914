"""Numbers with their nouns, and texts of bounded length."""

from __future__ import annotations


def counted(count: int, noun: str) -> str:
    """Return a count with its noun, which takes an s unless there is one of it."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def shortened(text: str, most: int) -> str:
    """Return a text on one line of limited length, cut between words if possible."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    cut = line[: most - 1]
    at_word = cut.rpartition(" ")[0]
    return f"{at_word if len(at_word) > most // 2 else cut}…"


def distance(steps: int) -> str:
    """Return how far a node is from the start, in words."""
    return f"{counted(steps, 'step')} from the start" if steps else "at the start"
