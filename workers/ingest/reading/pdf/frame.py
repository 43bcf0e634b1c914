"""Maps pdfium's coordinates to a page that is turned so that its text is upright, and to the shown page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from workers.ingest.reading.blocks import Box

_EDGE = 1.0  # points that a letter may stand beside what holds it


class FileBox(NamedTuple):
    """A rectangle in the coordinates of the file, which go up."""

    left: float
    bottom: float
    right: float
    top: float

    def holds_middle_of(self, other: FileBox) -> bool:
        """Return whether the middle of another rectangle lies within this one."""
        x, y = (other.left + other.right) / 2, (other.bottom + other.top) / 2
        return self.left - _EDGE <= x <= self.right + _EDGE and self.bottom - _EDGE <= y <= self.top + _EDGE


@dataclass(slots=True, frozen=True)
class Frame:
    """A page's crop box and how it is turned."""

    crop: FileBox
    turns: int  # quarter turns clockwise from the page in the file to the upright one
    shown_turns: int  # ... to the one that is shown

    @property
    def width(self) -> float:
        """Points of the upright page."""
        crop = self.crop
        return crop.top - crop.bottom if self.turns % 2 else crop.right - crop.left

    @property
    def height(self) -> float:
        """Points of the upright page."""
        crop = self.crop
        return crop.right - crop.left if self.turns % 2 else crop.top - crop.bottom

    def upright(self, box: FileBox) -> Box:
        """Convert a rectangle from file coordinates to the upright page."""
        crop = self.crop
        down = Box(box.left - crop.left, crop.top - box.top, box.right - crop.left, crop.top - box.bottom)
        return turned(down, crop.right - crop.left, crop.top - crop.bottom, self.turns)

    def shown(self, box: Box) -> Box:
        """Convert a rectangle from the upright page to the page as viewers show it."""
        return turned(box, self.width, self.height, (self.shown_turns - self.turns) % 4)


def turned(box: Box, width: float, height: float, turns: int) -> Box:
    """Return a rectangle after its page of this size was turned clockwise by quarter turns."""
    left, top, right, bottom = box
    match turns:
        case 1:
            return Box(height - bottom, left, height - top, right)
        case 2:
            return Box(width - right, height - bottom, width - left, height - top)
        case 3:
            return Box(top, width - right, bottom, width - left)
    return box
