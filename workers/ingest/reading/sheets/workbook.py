"""Reads workbooks of spreadsheets: .xlsx, .xlsm, .xls and .ods."""

from __future__ import annotations

import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from python_calamine import (
    CalamineError,
    CalamineSheet,
    CalamineWorkbook,
    PasswordError,
    SheetMetadata,
    SheetTypeEnum,
    SheetVisibleEnum,
)

from hopline.contents import OLE_MARK
from workers.core.cell_names import range_name
from workers.ingest.reading.blocks import (
    Block,
    Box,
    FileBytes,
    Quality,
    Reading,
    Spot,
    UnreadableError,
    as_file,
)
from workers.ingest.reading.sheets import old_excel, open_document
from workers.ingest.reading.sheets.ooxml import SheetPart, sheet_parts, title_of
from workers.ingest.reading.sheets.regions import COVERED
from workers.ingest.reading.sheets.tables import COLUMNS, Sheet, blocks_of
from workers.ingest.reading.sheets.values import shown

_AREA = 4_000_000  # cells of a sheet from its first to its last, empty ones counted: they are all laid out
_CELLS = 1_000_000  # with a value, of a file


MAPS_FILE = True


def read(data: FileBytes, options: dict[str, str]) -> Reading:  # noqa: ARG001 - all readers take options
    """Return what the sheets of a workbook say, without hidden ones.

    Raises:
        UnreadableError: it is broken, protected by a password, or has too many cells.
    """
    left_out: Counter[str] = Counter()
    is_ooxml = _is_ooxml(data)
    try:
        parts = _parts(data, left_out, is_ooxml=is_ooxml)
        book = CalamineWorkbook.from_filelike(as_file(data))
        blocks = list(_Workbook(book, parts, left_out).blocks())
    except PasswordError as error:
        raise UnreadableError("protected by a password: save it without one") from error
    except CalamineError as error:
        raise UnreadableError(
            f"broken, or not a spreadsheet ({error}): open it, and save it as .xlsx"
        ) from error
    signs = sum(len("".join(text.split())) for block in blocks for text in _texts(block))
    title = title_of(data) if is_ooxml else ""
    return Reading(blocks, title=title, left_out=+left_out, quality=Quality(signs=signs))


def _parts(data: FileBytes, left_out: Counter[str], *, is_ooxml: bool) -> dict[str, SheetPart]:
    if is_ooxml:
        return sheet_parts(data, left_out)
    if data[:2] == b"PK":
        return open_document.sheet_parts(data)
    return old_excel.sheet_parts(data) if data[:8] == OLE_MARK else {}


def _texts(block: Block) -> Iterator[str]:
    yield block.text
    yield from (cell.text for cell in block.cells)


def _is_ooxml(data: FileBytes) -> bool:
    if data[:2] != b"PK":
        return False
    with zipfile.ZipFile(as_file(data)) as archive:
        return "[Content_Types].xml" in archive.namelist()


class _Workbook:
    """The sheets of a workbook."""

    def __init__(self, book: CalamineWorkbook, parts: dict[str, SheetPart], left_out: Counter[str]) -> None:
        self._book = book
        self._parts = parts
        self._left_out = left_out
        self._cells = 0

    def blocks(self) -> Iterator[Block]:
        """Yield the blocks of the sheets that are shown, each after the sheet's name."""
        number = 0
        for index, about in enumerate(self._book.sheets_metadata):
            if not self._is_read(about):
                continue
            part = self._parts.get(about.name, SheetPart())
            sheet = self._sheet(self._book.get_sheet_by_index(index), number + 1, part)
            said = [*(blocks_of(sheet) if sheet.rows else ()), *_comments(part, number + 1)]
            if not said:
                self._left_out["empty sheet"] += 1
                continue
            number += 1
            yield Block("sheet", about.name)
            yield from said
            self._left_out["formula without a value"] += part.unvalued
            self._left_out["error value"] += part.errors
            if sheet.rows:
                self._left_out[f"column beyond {COLUMNS}"] += max(0, len(sheet.rows[0]) - COLUMNS)

    def _is_read(self, about: SheetMetadata) -> bool:
        part = self._parts.get(about.name)
        if about.visible != SheetVisibleEnum.Visible:
            self._left_out["hidden sheet"] += 1
        elif about.typ != SheetTypeEnum.WorkSheet:
            self._left_out["chart or macro sheet"] += 1
        elif part is not None and part.bottom * part.right > _AREA:
            self._left_out["sheet whose cells stand too far apart"] += 1
        else:
            return True
        return False

    def _sheet(self, found: CalamineSheet, number: int, part: SheetPart) -> Sheet:
        top, left = found.start or (0, 0)
        rows: list[list[str]] = []
        for row, values in enumerate(islice(found.iter_rows(), top, None), top):
            texts = [
                shown(value, part.formats.get((row, column)) if part.formats else None)
                for column, value in enumerate(values, left)
            ]
            self._cells += len(texts) - texts.count("")
            if self._cells > _CELLS:
                raise UnreadableError(
                    f"too large: more than {_CELLS} cells have a value; divide it into several files"
                )
            rows.append(texts)
        spans = _merged(found.merged_cell_ranges or part.merged, rows, (top, left))
        bold = {row - top for row in part.bold}
        return Sheet(number, rows, top + 1, left + 1, spans, bold)


def _merged(
    ranges: Sequence[tuple[tuple[int, int], tuple[int, int]]], rows: list[list[str]], start: tuple[int, int]
) -> dict[tuple[int, int], tuple[int, int]]:
    """Mark the cells that merged ones cover; return rows and columns of these, within what has values."""
    spans: dict[tuple[int, int], tuple[int, int]] = {}
    room = _AREA
    for (first_row, first_column), (last_row, last_column) in ranges:
        top, left = first_row - start[0], first_column - start[1]
        if not (0 <= top < len(rows) and 0 <= left < len(rows[0])) or rows[top][left] in ("", COVERED):
            continue
        height = min(last_row - first_row + 1, len(rows) - top)
        width = min(last_column - first_column + 1, len(rows[0]) - left)
        room -= height * width  # those of a sound file do not overlap
        if height * width < 2 or room < 0 or (top, left) in spans:  # noqa: PLR2004 - it covers no other
            continue
        spans[top, left] = (height, width)
        text = rows[top][left]
        for row in rows[top : top + height]:
            row[left : left + width] = [COVERED] * width
        rows[top][left] = text
    return spans


def _comments(part: SheetPart, sheet: int) -> Iterator[Block]:
    for row, column, author, text in part.comments:
        box = Box(column, row, column, row)
        by = f" by {author}" if author else ""
        label = f"Comment{by} on {range_name(column, row, column, row)}:"
        yield Block("note", text, label=label, spots=[Spot(0, sheet, box)])
