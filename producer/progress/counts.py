"""Reads counts from events."""

from __future__ import annotations


def count_of(value: object) -> int:
    """Return a number however the stream spells it; a list counts its members."""
    if isinstance(value, list):
        return len(value)
    try:
        return int(float(str(value)))
    except ValueError:
        return 0


def facts_of(value: object) -> str:
    """Return how many facts there are, in words."""
    number = count_of(value)
    return "1 fact" if number == 1 else f"{number} facts"
