"""Finds words that differ by one letter."""

from __future__ import annotations

_LOOSE_FROM = 5  # letters; shorter words with a letter changed are other words


def alike(one: str, other: str) -> bool:
    """Tell whether two words are the same but for one letter that is changed, left out, added or swapped."""
    if one == other:
        return True
    if min(len(one), len(other)) < _LOOSE_FROM or abs(len(one) - len(other)) > 1:
        return False
    start = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(one))
    rest, left = one[start:], other[start:]
    swapped = rest[1::-1] + rest[2:] == left
    return rest[1:] == left[1:] or rest[1:] == left or rest == left[1:] or swapped
