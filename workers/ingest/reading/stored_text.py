"""Makes the stored text, in Markdown, from a document's blocks, with the map of its places."""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from workers.ingest.reading.blocks import Block, Cell, Reading, UnreadableError
from workers.ingest.reading.raised import set_marks

_BLANKS = re.compile(r"\s+")
_LIST_LABEL = re.compile(r"[^\w\s]?|\w{1,4}[.)]")
_FENCE = "`"
_FENCES = re.compile("`{3,}")
_SPANNED = 80  # characters of a cell that stands in each column and row that it spans; else it stands once
_FIGURE = re.compile(r"\d")
_TIME = re.compile(r"(?:\d{1,2}[./-]){0,2}(?:19|20)\d\d(?:[/–-]\d\d(?:\d\d)?)?|\b[QH]\d\b")  # 31.12.2023, Q1
_COLUMNS = 3  # a table of two may tell names and values, row by row
_OF_FIGURES = 0.5  # share of a column's cells below the head
Map = dict[str, list[list[Any]]]


def stored_text(reading: Reading, at_most: int = sys.maxsize) -> tuple[str, Map]:
    """Return a document's text and the map from offsets in it to places.

    Args:
        reading: the result of reading the document.
        at_most: maximum number of characters; a spanning cell counts in each cell that it spans.

    Returns:
        The text, blocks apart by an empty line; and {"lines", "tables", "cells", "sheets", "parts"}, each a
        list of rows that are sorted by their first number: a line is [start, end, page, left, top, right,
        bottom], in points; a table [start, end, rows that name its columns, number of the table before that
        it goes on from, whose columns are its own, or 0]; a cell [start, end, row, column, page, left, top,
        right, bottom], where page is 0 and a box is left out where the format has no pages; a sheet [start,
        end] of its name. Where there are sheets, a page is the number of one of them, and a box its columns
        and rows. A part is [start, end, what it is called, number of its first line in the file or 0].

    Raises:
        UnreadableError: the text is longer.
    """
    set_marks(reading.blocks)
    writer = _Writer(at_most)
    before: Block | None = None
    for block in reading.blocks:
        if block.kind == "sheet" and not block.text.strip():
            writer.sheets.append([writer.end, writer.end])
        if block.kind == "furniture" or not (block.text.strip() or block.cells):
            continue
        if before is not None:
            writer.add("\n" if _is_of_list(before) and _is_of_list(block) else "\n\n")
        writer.block(block)
        before = block
    places = {"lines": writer.lines, "tables": writer.tables, "cells": writer.cells}
    more = {"sheets": writer.sheets, "parts": writer.named}
    return "".join(writer.parts), places | {name: rows for name, rows in more.items() if rows}


class _Writer:
    """The text so far, with its places."""

    def __init__(self, at_most: int) -> None:
        self.parts: list[str] = []
        self.end = 0
        self._at_most = at_most
        self.lines: list[list[int]] = []
        self.tables: list[list[int]] = []
        self.cells: list[list[int]] = []
        self.sheets: list[list[int]] = []
        self.named: list[list[Any]] = []
        self._last = (0, 0)  # page and columns of the last table
        self._is_table = False  # whether the last block was one

    def add(self, text: str) -> None:
        self.parts.append(text)
        self.end += len(text)
        if self.end > self._at_most:
            raise UnreadableError(f"too large: at most {self._at_most} characters of a text are read")

    def block(self, block: Block) -> None:
        began = self.end
        if block.cells:
            self._table(block)
            self._is_table = True
            if not block.line:
                self._name(block, began)
            return
        self._is_table = False
        fence = _FENCE * max(3, 1 + max(map(len, _FENCES.findall(block.text)), default=0))
        if block.kind == "code":
            self.add(f"{fence}\n")
            began = self.end
        else:
            self.add(_lead(block))
        ends = [spot.start for spot in block.spots[1:]] + [len(block.text)]
        for (start, page, box), end in zip(block.spots, ends, strict=False):
            self.lines.append([self.end + start, self.end + end, page, *map(round, box)])
        if block.kind == "sheet":
            self.sheets.append([self.end, self.end + len(block.text)])
        self.add(block.text)
        self._name(block, began)
        if block.kind == "code":
            self.add(f"\n{fence}")

    def _name(self, block: Block, began: int) -> None:
        """Record the file's part that contains a block; parts made of lines begin again with each block."""
        last = self.named[-1] if self.named else None
        if last and last[2] == block.part and not block.line and not last[3]:
            last[1] = self.end
        elif block.part or block.line:
            self.named.append([began, self.end, block.part, block.line])

    def _table(self, block: Block) -> None:
        began, rows = self.end, list(_rows(block.cells))
        heads = min(block.head_rows or _guessed_heads(rows), len(rows) - 1)
        page = min((cell.page for cell in block.cells), default=0)
        goes_on = self._is_table and not heads and self._last == (page - 1, len(rows[0]))
        for number, row in enumerate(rows):
            self.add("\n" if number else "")
            row_began = self.end
            self.add("| ")
            for column, cell in enumerate(row):
                self.add(" | " if column else "")
                if cell is not None and (text := _in_cell(cell.text)):
                    place = [cell.page, *map(round, cell.box)] if cell.box else [cell.page]
                    self.cells.append([self.end, self.end + len(text), number, column, *place])
                    self.add(text)
            self.add(" |")
            if block.line:
                line = next((cell.line for cell in row if cell and cell.row == number), 0)
                self.named.append([row_began, self.end, block.part, line or block.line])
            if not number:
                self.add("\n|" + " --- |" * len(row))
        number = len(self.tables)
        from_table = (self.tables[-1][3] or number) if goes_on and number else 0
        self.tables.append([began, self.end, heads, from_table])
        self._last = (max(cell.page for cell in block.cells), len(rows[0]))


def _is_of_list(block: Block) -> bool:
    """Return whether a block is a list item; a clause such as 2.1 or (b) is a paragraph."""
    return block.kind == "item" and _LIST_LABEL.fullmatch(block.label) is not None


def _lead(block: Block) -> str:
    label = f"{block.label} " if block.label else ""
    if block.kind in ("heading", "sheet"):
        return f"{'#' * max(1, min(block.level, 6))} {label}"
    indent = "  " * max(0, block.level - 1) if block.kind == "item" else ""
    return indent + label


def _in_cell(text: str) -> str:
    return _BLANKS.sub(" ", text).strip().replace("|", "\\|")


def _rows(cells: Sequence[Cell]) -> Iterator[list[Cell | None]]:
    """Yield the rows of a table; short spanning cells are repeated in each row, long ones appear once."""
    width = max(cell.column + cell.columns for cell in cells)
    row: list[Cell | None] = [None] * width
    begin = defaultdict(list)
    for cell in cells:
        begin[cell.row].append(cell)
    for number in range(max(cell.row + cell.rows for cell in cells)):
        row = [
            cell if cell and number < cell.row + cell.rows and len(cell.text) <= _SPANNED else None
            for cell in row
        ]
        for cell in begin[number]:
            columns = 1 if len(cell.text) > _SPANNED else cell.columns
            row[cell.column : cell.column + columns] = [cell] * columns
        yield row


def _guessed_heads(rows: Sequence[Sequence[Cell | None]]) -> int:
    """Guess the number of a table's header rows if the file does not say; 0 if in doubt.

    A wrong name changes the meaning of each value in its column, while a missing one only leaves it unnamed.
    So the first row counts only above columns of figures, in a table of three columns or more, if it contains
    no figures except years; a second row counts if a name in the first spans several columns.
    """
    texts = [[cell.text.strip() if cell else "" for cell in row] for row in rows]
    if len(rows) < 2 or len(rows[0]) < _COLUMNS:  # noqa: PLR2004 - a head and what it names
        return 0
    spans = any(cell is not None and 1 < cell.columns < len(rows[0]) for cell in rows[0])
    heads = 2 if spans and len(rows) > 2 and _names(texts[1]) else 1  # noqa: PLR2004 - as above
    if not all(map(_names, texts[:heads])) or sum(map(bool, texts[0])) < 2:  # noqa: PLR2004 - one is a title
        return 0
    below = texts[heads:]
    return heads if any(_is_of_figures([row[at] for row in below]) for at in range(1, len(rows[0]))) else 0


def _names(row: Sequence[str]) -> bool:
    """Return whether a row contains no figures except years and quarters, and no label of a value."""
    return not any(said.endswith(":") or _FIGURE.search(_TIME.sub("", said)) for said in row)


def _is_of_figures(column: Sequence[str]) -> bool:
    figures = sum(_FIGURE.search(said) is not None for said in column)
    return figures > 0 and figures >= _OF_FIGURES * sum(map(bool, column))
