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


def counted(value: object, noun: str) -> str:
    """Return how many there are of something, such as "1 fact" or "2 facts"."""
    number = count_of(value)
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
