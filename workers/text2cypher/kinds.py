"""Bounds the size of each value in a statement by how it is computed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from typing import NamedTuple

# What is in a value, at most: what takes no more room than a number, as dates and true do; what lies in the
# graph or stands in the statement, as nodes, texts and stored lists do; several of these, joined to one text.
NUMBER, STORED, JOINED = 0, 1, 2
_DEEPEST = 3  # lists and maps within one another
_LISTS = frozenset("LS")


class Kind(NamedTuple):
    """The computation of a kind of value.

    Attributes:
        leaf: the largest that is in it.
        wraps: the lists (L), sums of lists (S) and maps (M) that the statement made around it, the outermost
            first; X where it may be one or another. A list that is stored is no wrap.
    """

    leaf: int
    wraps: str = ""

    @property
    def is_plain(self) -> bool:
        """Whether it is a value as stored, or a number."""
        return self.leaf <= STORED and not self.wraps

    def member(self) -> Kind:
        """Return the kind of a list's members; what is no list is its own."""
        return Kind(self.leaf, self.wraps[1:]) if self.wraps[:1] in _LISTS else self

    def entry(self) -> Kind:
        """Return the kind of a map's values, or of a node's properties."""
        if self.wraps[:1] == "M":
            return Kind(self.leaf, self.wraps[1:])
        return Kind(STORED) if self == Kind(NUMBER) else self  # the time zone of a date is a text


Scope = Mapping[str, Kind]
UNKNOWN = Kind(JOINED, "X")


def merged(kinds: Iterable[Kind]) -> Kind:
    """Return the kind of a value that is one of several."""
    return reduce(_either, kinds, Kind(NUMBER))


def _either(kind: Kind, other: Kind) -> Kind:
    if Kind(NUMBER) in {kind, other}:
        return max(kind, other)
    same = kind.wraps == other.wraps
    wraps = kind.wraps if same else "X" * max(len(kind.wraps), len(other.wraps))
    return Kind(max(kind.leaf, other.leaf), wraps)


def wrapped(mark: str, kind: Kind) -> Kind | None:
    """Return the kind of a list (L) or map (M) of values of a kind; None if that is too deep."""
    wraps = mark + kind.wraps
    return Kind(kind.leaf, wraps) if len(wraps) <= _DEEPEST else None


def summed(kinds: Sequence[Kind]) -> Kind | None:
    """Return the kind of a sum, of numbers, texts or lists; None if one of these is a sum already."""
    if all(kind == Kind(NUMBER) for kind in kinds):
        return Kind(NUMBER)
    if not any(kind.wraps for kind in kinds):
        return Kind(JOINED) if all(kind.is_plain for kind in kinds) else None
    if any(kind.wraps[:1] in {"S", "X"} for kind in kinds):
        return None
    return wrapped("S", merged(kind.member() for kind in kinds))
