"""Words of numbers: how many of what."""

from __future__ import annotations


def counted(count: int, noun: str) -> str:
    """Return a count with its noun, which takes an s unless there is one of it."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
