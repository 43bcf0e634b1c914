"""Draws a page of a PDF, as a viewer shows it, into a PNG."""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Iterator
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as c

from workers.ingest.reading.blocks import Drawn, FileBytes, UnreadableError
from workers.ingest.reading.pdf.reader import opened

_MOST_PIXELS = 9_000_000
_LONGEST_SIDE = 20_000  # pixels
_WHITE = (255, 255, 255, 255)
_BYTES = 3  # of a pixel: red, green, blue
_SPEED = 4  # of compression: three times as quick as the default, and a sixth larger
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_DEPTH, _RGB = 8, 2  # bits of a colour, the kind of picture


def draw(data: FileBytes, number: int, width: int, turns: int = 0) -> Drawn | int:
    """Return a page as a picture, or how many pages there are if it is none of them.

    The page is its crop box, turned as shown: boxes of `Place` have the same origin and unit.

    Args:
        data: the file.
        number: number of the page, 1 for the first.
        width: width of the picture in pixels before rotation; less if the page would become too large.
        turns: quarter turns clockwise of the picture.

    Raises:
        UnreadableError: it cannot be opened, or the page has no size.
    """
    document = opened(data)
    if number > len(document):
        return len(document)
    document.init_forms()
    across, _down = _size(_page(document, number), number)
    bitmap, across, down = bitmap_of(document, number, width / across, turns)
    return Drawn(png(_rows(bitmap), bitmap.width, bitmap.height), across, down)


def bitmap_of(
    document: pdfium.PdfDocument, number: int, scale: float, turns: int = 0
) -> tuple[pdfium.PdfBitmap, float, float]:
    """Return a page as pixels of red, green and blue, with its width and height in points.

    Args:
        document: with its forms.
        number: number of the page, 1 for the first.
        scale: pixels of a point; less where a page would become too large.
        turns: quarter turns clockwise of the pixels.

    Raises:
        UnreadableError: there is no such page, or it has no size.
    """
    page = _page(document, number)
    across, down = _size(page, number)
    scale = min(scale, math.sqrt(_MOST_PIXELS / across / down), _LONGEST_SIDE / max(across, down))
    width, height = max(1, round(across * scale)), max(1, round(down * scale))
    if turns % 2:
        width, height = height, width
    bitmap = pdfium.PdfBitmap.new_native(width, height, c.FPDFBitmap_BGR)
    bitmap.fill_rect(_WHITE, 0, 0, width, height)
    place: tuple[Any, ...] = (bitmap.raw, page.raw, 0, 0, width, height, turns)
    flags = c.FPDF_ANNOT | c.FPDF_REVERSE_BYTE_ORDER
    c.FPDF_RenderPageBitmap(*place, flags)
    if document.formenv:
        c.FPDF_FFLDraw(document.formenv.raw, *place, flags)
    return bitmap, across, down


def _page(document: pdfium.PdfDocument, number: int) -> pdfium.PdfPage:
    try:
        return document[number - 1]
    except (pdfium.PdfiumError, IndexError) as error:
        raise UnreadableError(f"page {number} cannot be read") from error


def _size(page: pdfium.PdfPage, number: int) -> tuple[float, float]:
    across, down = page.get_size()
    if not (math.isfinite(across * down) and across > 0 and down > 0):
        raise UnreadableError(f"page {number} has no size")
    return across, down


def _rows(bitmap: pdfium.PdfBitmap) -> Iterator[bytes]:
    pixels = memoryview(bitmap.buffer).cast("B")
    for row in range(bitmap.height):
        yield bytes(pixels[row * bitmap.stride : row * bitmap.stride + bitmap.width * _BYTES])


def png(rows: Iterator[bytes], width: int, height: int) -> bytes:
    """Return a PNG file.

    Args:
        rows: the rows from top to bottom; each pixel has a byte of red, of green and of blue.
        width: number of pixels in a row.
        height: number of rows.
    """
    compressor = zlib.compressobj(_SPEED)
    data = b"".join(compressor.compress(b"\0" + row) for row in rows) + compressor.flush()
    head = struct.pack(">2I5B", width, height, _DEPTH, _RGB, 0, 0, 0)
    return _SIGNATURE + _chunk(b"IHDR", head) + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
