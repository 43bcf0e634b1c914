"""Draws pages of a file for recognition, each with the hash by which its picture is known again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from workers.ingest.reading.pdf.picture import bitmap_of
from workers.ingest.reading.pdf.reader import opened
from workers.ingest.reading.scans.pictures import PictureFile
from workers.ingest.reading.scans.recognised import DPI

if TYPE_CHECKING:
    from workers.ingest.reading.blocks import FileBytes
    from workers.ingest.reading.scans.recogniser import Picture

_POINTS = 72
_BLUE_GREEN_RED = slice(None, None, -1)  # of red, green, blue


@dataclass(slots=True)
class DrawnPage:
    """A page as shown."""

    picture: Picture
    width: float  # in points
    height: float

    @property
    def digest(self) -> str:
        """The sha-256 of its picture and size."""
        told = f"{self.picture.shape} {self.width:.1f} {self.height:.1f} "
        return hashlib.sha256(told.encode() + self.picture.tobytes()).hexdigest()


def open_pages(data: FileBytes, form: str, password: str) -> Callable[[int], DrawnPage]:
    """Return what draws the pages of a file, by number.

    Args:
        data: the file.
        form: the name of its format.
        password: of an encrypted one; "" for none.

    Raises:
        UnreadableError: it cannot be opened; drawing raises it for a page that cannot be drawn.
    """
    if form == "pdf":
        document = opened(data, password)
        document.init_forms()

        def draw_page(number: int) -> DrawnPage:
            bitmap, across, down = bitmap_of(document, number, DPI / _POINTS)
            return DrawnPage(np.ascontiguousarray(bitmap.to_numpy()[:, :, _BLUE_GREEN_RED]), across, down)

        return draw_page
    file = PictureFile(data)

    def picture_of(number: int) -> DrawnPage:
        picture = np.asarray(file.picture(number, DPI / _POINTS))
        return DrawnPage(np.ascontiguousarray(picture[:, :, _BLUE_GREEN_RED]), *file.size(number))

    return picture_of
