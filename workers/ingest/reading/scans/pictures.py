"""Opens files of pictures: PNG, JPEG, WebP, and TIFF, which may have several pages. Needs Pillow."""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from workers.ingest.reading.blocks import Drawn, FileBytes, UnreadableError, as_file

if TYPE_CHECKING:
    from PIL import Image

_MOST_PIXELS = 100_000_000  # of a page; A0 at 300 dots per inch has 139 million
_MOST_PAGES = 1_000
_KINDS = ("PNG", "JPEG", "TIFF", "WEBP")  # of what Pillow can open; each has its own weak spots
_LONG_SIDE = 842.0  # points of a page whose resolution is not known: A4
_SHORTEST, _LONGEST = 72.0, 4_000.0  # points of a long side that a stated resolution may lead to
_DPI = (40.0, 1_300.0)  # that a scanner or a phone may mean
_POINTS = 72
_WIDE_GREY = ("I;16", "I;16B", "I;16L", "I")  # modes with more than 8 bits


def draw(data: FileBytes, number: int, width: int, turns: int = 0) -> Drawn | int:
    """Return a page as a picture, or how many pages there are if it is none of them.

    Args:
        data: the file.
        number: number of the page, 1 for the first.
        width: width of the picture in pixels before rotation; no more than the file has.
        turns: quarter turns clockwise of the picture.

    Raises:
        UnreadableError: it cannot be opened, or decoded.
    """
    file = PictureFile(data)
    if number > file.pages:
        return file.pages
    across, down = file.size(number)
    png = io.BytesIO()
    picture = file.picture(number, width / across)
    (picture.rotate(-90 * turns, expand=True) if turns else picture).save(png, "PNG", compress_level=4)
    return Drawn(png.getvalue(), across, down)


class PictureFile:
    """A file of one or several pictures.

    Raises:
        UnreadableError: it is no such file, or has too many pages; or the extra `ocr` is not installed.
    """

    def __init__(self, data: FileBytes) -> None:
        try:
            from PIL import Image  # noqa: PLC0415 - of the extra `ocr`
        except ModuleNotFoundError as error:
            raise UnreadableError("it is a picture; install hopline-server[ocr] to read it") from error
        Image.MAX_IMAGE_PIXELS = None  # `_MOST_PIXELS` stands in its place, and is an error
        warnings.simplefilter("ignore")
        try:
            self._image = Image.open(as_file(data), formats=_KINDS)
            self.pages = int(getattr(self._image, "n_frames", 1)) if self._image.format == "TIFF" else 1
        except (OSError, ValueError, SyntaxError) as error:
            raise UnreadableError(
                "not a picture that can be read, whatever its name says: it is not a PNG, JPEG, TIFF or "
                "WebP file"
            ) from error
        if self.pages > _MOST_PAGES:
            raise UnreadableError(f"too large: {self.pages} pages, at most {_MOST_PAGES} are read")
        self._sizes: dict[int, tuple[float, float]] = {}

    def size(self, number: int) -> tuple[float, float]:
        """Return (width, height) of a page as shown, in points.

        Raises:
            UnreadableError: there is no such page, or it has too many pixels.
        """
        self._turn_to(number)
        if number not in self._sizes:  # before it is drafted, which makes it smaller
            width, height = self._image.size
            if self._image.getexif().get(_ORIENTATION, 1) >= _FIRST_TURNED:
                width, height = height, width
            scale = self._points_of_pixel()
            self._sizes[number] = width * scale, height * scale
        return self._sizes[number]

    def picture(self, number: int, scale: float) -> Image.Image:
        """Return a page as shown, in RGB; transparent areas become white.

        Args:
            number: 1 for the first.
            scale: maximum number of pixels per point; a picture is not enlarged.

        Raises:
            UnreadableError: it cannot be decoded, or has too many pixels.
        """
        from PIL import Image, ImageOps  # noqa: PLC0415 - of the extra `ocr`

        across, down = self.size(number)
        try:
            self._image.draft("RGB", (math.ceil(across * scale), math.ceil(down * scale)))
            image = ImageOps.exif_transpose(self._image)
            image = _coloured(image, Image)
        except (OSError, ValueError, SyntaxError) as error:
            raise UnreadableError(f"page {number} cannot be decoded: the file is damaged") from error
        size = round(across * scale), round(down * scale)
        if size[0] < image.width:
            image = image.resize((max(1, size[0]), max(1, size[1])), Image.Resampling.LANCZOS)
        return image

    def _turn_to(self, number: int) -> None:
        if number > self.pages:
            raise UnreadableError(f"there is no page {number}")
        try:
            self._image.seek(number - 1)
        except (EOFError, OSError, ValueError, SyntaxError) as error:
            raise UnreadableError(f"page {number} cannot be read: the file is damaged") from error
        width, height = self._image.size
        if width * height > _MOST_PIXELS:
            raise UnreadableError(
                f"refused: a picture of {width:,} × {height:,} pixels; at most {_MOST_PIXELS:,} are read"
            )

    def _points_of_pixel(self) -> float:
        stated: Any = self._image.info.get("dpi", (0, 0))
        longer = max(self._image.size)
        try:
            dpi = float(stated[0])
        except (TypeError, ValueError, ZeroDivisionError, IndexError):
            dpi = 0.0
        if _DPI[0] <= dpi <= _DPI[1] and _SHORTEST <= longer * _POINTS / dpi <= _LONGEST:
            return _POINTS / dpi
        return _LONG_SIDE / longer


_ORIENTATION, _FIRST_TURNED = 0x0112, 5  # of Exif: from 5 on, a picture is turned by a quarter


def _coloured(image: Image.Image, kind: Any) -> Image.Image:
    if image.mode in _WIDE_GREY:
        to_byte: Callable[[float], float] = lambda level: level / 256  # noqa: E731 - an expression of Pillow's
        image = image.point(to_byte).convert("L")
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        image = image.convert("RGBA")
        paper = kind.new("RGBA", image.size, "white")
        paper.alpha_composite(image)
        image = paper
    return image.convert("RGB")
