"""Compares words of any language that look like forms of one word, differing only in a short ending."""

from __future__ import annotations

from collections.abc import Iterable

_SHORTEST, _ENDING = 5, 3  # letters that two forms share, and that they may differ in
_STEM = 6  # letters with which both begin that belong to one word
_SYLLABLES = 2  # of Hangul that they share


def is_form(word: str, other: str) -> bool:
    """Return whether two normalised words are the same or look like forms of one."""
    if word == other:
        return True
    least = _SYLLABLES if "가" <= word[:1] <= "힣" else _SHORTEST
    if word[:least] != other[:least] or len(word) < least:
        return False
    pairs = zip(word, other, strict=False)
    shared = next((n for n, (one, two) in enumerate(pairs) if one != two), min(len(word), len(other)))
    return max(len(word), len(other)) - shared <= _ENDING


def share_form(words: Iterable[str], others: Iterable[str]) -> bool:
    """Return whether any of some words looks like a form of any of the others."""
    known = list(others)
    stems = {other[:_STEM] for other in known if len(other) >= _STEM}
    return any(word[:_STEM] in stems or any(is_form(word, other) for other in known) for word in words)
