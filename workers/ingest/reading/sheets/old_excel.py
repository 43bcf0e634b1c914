"""Reads from old Excel workbooks (.xls) what calamine does not: units of numbers, bold rows ([MS-XLS])."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterator

import olefile

from workers.ingest.reading.blocks import FileBytes, as_file
from workers.ingest.reading.sheets.ooxml import SheetPart
from workers.ingest.reading.sheets.values import NumberFormat, number_format

_STREAMS = ("Workbook", "Book")  # since Excel 97, before
_BEGIN, _END = 0x0809, 0x000A  # of a sheet, a chart or what they share
_FONT, _FORMAT, _STYLE, _SHEET = 0x0031, 0x041E, 0x00E0, 0x0085
_CELLS = frozenset((0x0006, 0x0206, 0x0406, 0x0203, 0x0204, 0x0205, 0x027E, 0x00D6, 0x00FD))
_NUMBERS = 0x00BD  # of several cells side by side
_SINCE_97 = 0x0600
_BOLD = 700  # weight of a font
_UNUSED_FONT = 4  # no font has this number
# Errors raised by a damaged or malicious compound file.
_BROKEN = (OSError, ValueError, IndexError, KeyError, TypeError, AttributeError, struct.error, OverflowError)


def sheet_parts(data: FileBytes) -> dict[str, SheetPart]:
    """Return units and bold rows of a workbook's sheets by name; nothing if it is broken."""
    try:
        with olefile.OleFileIO(as_file(data)) as file:
            name = next((name for name in _STREAMS if file.exists(name)), "")
            return _Book(file.openstream(name).read()).parts() if name else {}
    except _BROKEN:
        return {}  # calamine says what is wrong


class _Book:
    """The records of a workbook."""

    def __init__(self, stream: bytes) -> None:
        self._stream = stream
        self._left = 2 * len(stream)  # bytes that are walked through: sheets may lie over one another
        self._is_new = True
        self._formats: list[NumberFormat | None] = []  # by the number of a style
        self._bold: list[bool] = []

    def parts(self) -> dict[str, SheetPart]:
        codes, fonts = dict[int, str](), list[bool]()
        styles, sheets = list[tuple[int, int]](), list[tuple[str, int]]()
        for kind, body in self._records(0):
            if kind == _BEGIN:
                self._is_new = struct.unpack_from("<H", body)[0] >= _SINCE_97
            elif kind == _FONT:
                fonts.append(struct.unpack_from("<H", body, 6)[0] >= _BOLD)
            elif kind == _FORMAT:
                [number, count] = struct.unpack_from("<HH" if self._is_new else "<HB", body)
                codes[number] = self._text(body[4 if self._is_new else 3 :], count)
            elif kind == _STYLE:
                [font, number] = struct.unpack_from("<HH", body)
                styles.append((font - (font > _UNUSED_FONT), number))
            elif kind == _SHEET:
                sheets.append((self._text(body[7:], body[6]), struct.unpack_from("<I", body)[0]))
        self._formats = [number_format(codes.get(number, str(number))) for _font, number in styles]
        self._bold = [font < len(fonts) and fonts[font] for font, _number in styles]
        return {name: self._part(place) for name, place in sheets}

    def _records(self, at: int) -> Iterator[tuple[int, bytes]]:
        """Yield number and content of a sheet's records, without those of its charts."""
        depth = 0
        while at + 4 <= len(self._stream) and self._left > 0:
            kind, length = struct.unpack_from("<HH", self._stream, at)
            depth += (kind == _BEGIN) - (kind == _END)
            if depth <= 0:
                return
            if depth == 1:
                yield kind, self._stream[at + 4 : at + 4 + length]
            at += 4 + length
            self._left -= 4 + length

    def _text(self, body: bytes, count: int) -> str:
        if not self._is_new:
            return body[:count].decode("cp1252", "replace")
        is_wide = body[0] & 1
        return body[1 : 1 + count * (1 + is_wide)].decode("utf-16-le" if is_wide else "latin-1", "replace")

    def _part(self, place: int) -> SheetPart:
        part = SheetPart()
        filled, bold = Counter[int](), Counter[int]()
        for kind, body in self._records(place):
            if kind not in _CELLS and kind != _NUMBERS:
                continue
            row, column = struct.unpack_from("<HH", body)
            again = range((len(body) - 6) // 6) if kind == _NUMBERS else range(1)
            for nth in again:
                [style] = struct.unpack_from("<H", body, 4 + 6 * nth)
                filled[row] += 1
                if style < len(self._formats):
                    bold[row] += self._bold[style]
                    if form := self._formats[style]:
                        part.formats[row, column + nth] = form
        part.bold = {row for row, count in filled.items() if bold[row] == count}
        return part
