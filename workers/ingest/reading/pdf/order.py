"""Puts the lines of a page together to regions, and these into the order of reading."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from workers.ingest.reading.blocks import Box
from workers.ingest.reading.pdf.lines import Line

Region = list[Line]  # lines below one another that belong together, or one table

_DEEPEST = 25  # cuts within cuts
_MOST_BACK = 0.12  # share of steps back in the file's order up to which it is taken for the order of reading
_FEW_REGIONS, _SHORT_REGION = 8, 25  # a page with more regions is judged by those with more letters than that
_NARROWEST = 6.0  # points of white between two columns
_ACROSS_FIRST = 0.6  # white between columns counts this share of white between regions above one another


def ordered(lines: Sequence[Line]) -> list[Region]:
    """Return the regions of a page in the order of reading.

    The order of the file is that of reading in most files. Where it steps back, up within a column or to the
    left on one height, the page is cut along its widest white stripes instead.
    """
    regions = _regions(lines)
    back, steps = _steps_back(regions)
    if back and back >= max(1, steps * _MOST_BACK):
        return _cut(regions, 0)
    return regions


def box_of(region: Region) -> Box:
    """Return the rectangle around a region."""
    return Box(
        min(line.left for line in region),
        min(line.top for line in region),
        max(line.right for line in region),
        max(line.bottom for line in region),
    )


def _regions(lines: Sequence[Line]) -> list[Region]:
    regions: list[Region] = []
    for line in lines:
        region = regions[-1] if regions else None
        if region is not None and _belongs(line, region):
            region.append(line)
        else:
            regions.append([line])
    return regions


def _belongs(line: Line, region: Region) -> bool:
    last = region[-1]
    if line.table or last.table or line.turn != last.turn or line.is_vertical != last.is_vertical:
        return False
    if line.turn or line.is_vertical:
        return True
    left, right = min(part.left for part in region[-4:]), max(part.right for part in region[-4:])
    gap, shared = line.top - last.bottom, min(line.right, right) - max(line.left, left)
    below = -0.6 * last.size < gap < 0.85 * last.size and line.bottom > last.bottom
    if below and shared > 0.3 * min(line.width, last.width) and abs(line.size - last.size) < 0.35 * last.size:
        return True
    return abs(line.top - last.top) < 0.4 * last.size and 0 <= line.left - last.right < 3 * last.size


def _steps_back(regions: Sequence[Region]) -> tuple[int, int]:
    """Return how often the order of regions steps back, and of how many."""
    is_short = len(regions) <= _FEW_REGIONS
    large = [
        box_of(region)
        for region in regions
        if not region[0].turn and (is_short or sum(len(line.text) for line in region) > _SHORT_REGION)
    ]
    back = 0
    for one, other in pairwise(large):
        across = min(one.right, other.right) - max(one.left, other.left)
        down = min(one.bottom, other.bottom) - max(one.top, other.top)
        width = min(one.right - one.left, other.right - other.left)
        height = min(one.bottom - one.top, other.bottom - other.top)
        is_above = other.bottom <= one.top + 2 and across > width / 2
        is_left = other.right <= one.left + 2 and down > height / 2
        back += is_above or is_left
    return back, len(large)


def _cut(regions: list[Region], depth: int) -> list[Region]:
    """Return regions in order by cutting them apart at the widest white stripe, again and again."""
    if len(regions) < 2 or depth > _DEEPEST:  # noqa: PLR2004 - nothing to cut
        return regions
    boxed = [(box_of(region), region) for region in regions]
    width, x = _widest_gap([(box.left, box.right) for box, _ in boxed])
    height, y = _widest_gap([(box.top, box.bottom) for box, _ in boxed])
    if width > _NARROWEST and width > height * _ACROSS_FIRST:
        first = [region for box, region in boxed if box.right <= x]
        second = [region for box, region in boxed if box.right > x]
    elif height > 0:
        first = [region for box, region in boxed if box.bottom <= y]
        second = [region for box, region in boxed if box.bottom > y]
    elif width > 0:
        first = [region for box, region in boxed if box.right <= x]
        second = [region for box, region in boxed if box.right > x]
    else:
        return [region for box, region in sorted(boxed, key=lambda pair: (round(pair[0].top), pair[0].left))]
    return _cut(first, depth + 1) + _cut(second, depth + 1)


def _widest_gap(spans: list[tuple[float, float]]) -> tuple[float, float]:
    """Return (width, middle) of the widest stripe that no span touches; (0, 0) if there is none."""
    spans.sort()
    end, widest, middle = spans[0][1], 0.0, 0.0
    for start, stop in spans[1:]:
        if start - end > widest:
            widest, middle = start - end, (start + end) / 2
        end = max(end, stop)
    return widest, middle
