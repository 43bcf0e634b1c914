"""Puts the lines of a page together to regions, and these into the order of reading."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise

from workers.ingest.reading.blocks import Box
from workers.ingest.reading.pdf.direction import is_right_to_left
from workers.ingest.reading.pdf.lines import Line

Region = list[Line]  # lines below one another that belong together, or one table
_Boxed = tuple[Box, Region]

_DEEPEST = 25  # cuts within cuts
_MOST_BACK = 0.12  # share of steps back in the file's order up to which it is taken for the order of reading
_FEW_REGIONS, _SHORT_REGION = 8, 25  # a page with more regions is judged by those with more letters than that
_LIKE, _FARTHEST = 0.35, 1.5  # of a letter's size: how unlike, how far apart vertical lines of a text are
_NARROWEST = 6.0  # points of white between two columns
_ACROSS_FIRST = 0.6  # white between columns counts this share of white between regions above one another


def ordered(lines: Sequence[Line]) -> list[Region]:
    """Return the regions of a page in the order of reading.

    The order of the file is that of reading in most files. Where it steps back, up within a column or to the
    left on one height, the page is cut along its widest white stripes instead.
    """
    regions = _regions(_vertical_from_right(lines))
    letters = sum(len(line.text) for line in lines)
    starts_right = sum(len(line.text) for line in lines if line.is_vertical or is_right_to_left(line.text))
    boxed = [(_box(region, is_mirrored=2 * starts_right > letters), region) for region in regions]
    back, steps = _steps_back(boxed)
    if back and back >= max(1, steps * _MOST_BACK):
        return [region for _, region in _cut(boxed, 0)]
    return regions


def _vertical_from_right(lines: Sequence[Line]) -> list[Line]:
    """Return lines with vertical ones, which pdfium may have turned round, from right to left."""
    found: list[Line] = []
    for is_vertical, group in groupby(lines, key=lambda line: line.is_vertical):
        stretch = list(group)
        if is_vertical and 2 * sum(one.left < other.left for one, other in pairwise(stretch)) > len(stretch):
            stretch.reverse()
        found += stretch
    return found


def _box(region: Region, *, is_mirrored: bool) -> Box:
    """Return the rectangle around a region; of a page that is read from the right as a mirror shows it."""
    left, right = min(line.left for line in region), max(line.right for line in region)
    if is_mirrored:
        left, right = -right, -left
    return Box(left, min(line.top for line in region), right, max(line.bottom for line in region))


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
    is_like = abs(line.size - last.size) < _LIKE * last.size
    if line.turn:
        return True
    if line.is_vertical:
        gap, shared = last.left - line.right, min(line.bottom, last.bottom) - max(line.top, last.top)
        return is_like and shared > 0 and -_LIKE * last.size < gap < _FARTHEST * last.size
    left, right = min(part.left for part in region[-4:]), max(part.right for part in region[-4:])
    gap, shared = line.top - last.bottom, min(line.right, right) - max(line.left, left)
    below = -0.6 * last.size < gap < 0.85 * last.size and line.bottom > last.bottom
    is_under = shared > 0.3 * min(line.width, last.width) or (line.is_fixed and last.is_fixed)
    if below and is_like and is_under:
        return True
    return abs(line.top - last.top) < 0.4 * last.size and 0 <= line.left - last.right < 3 * last.size


def _steps_back(boxed: Sequence[_Boxed]) -> tuple[int, int]:
    """Return how often the order of regions steps back, and of how many."""
    is_short = len(boxed) <= _FEW_REGIONS
    large = [
        box
        for box, region in boxed
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


def _cut(boxed: list[_Boxed], depth: int) -> list[_Boxed]:
    """Return regions in order by cutting them apart at the widest white stripe, again and again."""
    if len(boxed) < 2 or depth > _DEEPEST:  # noqa: PLR2004 - nothing to cut
        return boxed
    width, x = _widest_gap([(box.left, box.right) for box, _ in boxed])
    height, y = _widest_gap([(box.top, box.bottom) for box, _ in boxed])
    if (width > _NARROWEST and width > height * _ACROSS_FIRST) or (width > 0 and height <= 0):
        first = [(box, region) for box, region in boxed if box.right <= x]
        second = [(box, region) for box, region in boxed if box.right > x]
    elif height > 0:
        first = [(box, region) for box, region in boxed if box.bottom <= y]
        second = [(box, region) for box, region in boxed if box.bottom > y]
    else:
        return sorted(boxed, key=lambda pair: (round(pair[0].top), pair[0].left))
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
