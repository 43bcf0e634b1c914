"""Models of a graph's counts, which show an operator whether it is well connected."""

from __future__ import annotations

from collections.abc import Iterable

from hopline.models.census import DegreeBin, LengthBin


def degree_bins(counted: Iterable[tuple[int, int]]) -> tuple[DegreeBin, ...]:
    """Return the distribution of degrees in bins 1, 2 to 3, 4 to 7, 8 to 15, …, including empty ones.

    Args:
        counted: (degree, elements) pairs; a degree may occur several times, and those below 1 are ignored.
    """
    return tuple(DegreeBin(low=low, high=high, elements=count) for low, high, count in _doubling(counted))


def length_bins(lengths: Iterable[int]) -> tuple[LengthBin, ...]:
    """Return the distribution of facts' token counts in the same bins; facts without tokens are ignored."""
    binned = _doubling((length, 1) for length in lengths)
    return tuple(LengthBin(low=low, high=high, facts=count) for low, high, count in binned)


def _doubling(counted: Iterable[tuple[int, int]]) -> list[tuple[int, int, int]]:
    """Return (low, high, how many) of bins that double, from 1 to the one of the largest value."""
    widths: dict[int, int] = {}
    for value, many in counted:
        if value > 0:
            width = value.bit_length()
            widths[width] = widths.get(width, 0) + many
    return [
        (1 << (width - 1), (1 << width) - 1, widths.get(width, 0))
        for width in range(1, max(widths, default=0) + 1)
    ]
