"""Reads the PNGs that pages are drawn into: eight bits of red, green and blue, no filters."""

import struct
import zlib

_PIXEL = 3  # bytes


def rows_of(png: bytes) -> list[bytes]:
    """Return the rows of pixels, from the top."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    at, data, width = 8, b"", 0
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at : at + 8])
        body = png[at + 8 : at + 8 + size]
        assert struct.unpack(">I", png[at + 8 + size : at + 12 + size])[0] == zlib.crc32(kind + body)
        if kind == b"IHDR":
            width = struct.unpack(">I", body[:4])[0]
        data += body if kind == b"IDAT" else b""
        at += 12 + size
    plain, stride = zlib.decompress(data), 1 + _PIXEL * width
    return [plain[first + 1 : first + stride] for first in range(0, len(plain), stride)]


def size_of(png: bytes) -> tuple[int, int]:
    """Return width and height in pixels."""
    rows = rows_of(png)
    return len(rows[0]) // _PIXEL, len(rows)


def inked(png: bytes) -> tuple[int, int, int, int]:
    """Return the box (left, top, right, bottom) in pixels around all that is not nearly white."""
    rows = [[at // _PIXEL for at, colour in enumerate(row) if colour < 200] for row in rows_of(png)]
    dark = [at for at, row in enumerate(rows) if row]
    return min(map(min, filter(None, rows))), dark[0], max(map(max, filter(None, rows))) + 1, dark[-1] + 1
