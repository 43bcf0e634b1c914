"""Makes the text that is stored, as Markdown, of a document's blocks, and the map of its places."""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence

from workers.ingest.reading.blocks import Block, Cell, Reading, UnreadableError

_BLANKS = re.compile(r"\s+")
_LIST_LABEL = re.compile(r"[^\w\s]?|\w{1,4}[.)]")
_FENCE = "```"
Map = dict[str, list[list[int]]]


def stored_text(reading: Reading, at_most: int = sys.maxsize) -> tuple[str, Map]:
    """Return a document's text and the map from offsets in it to places.

    Args:
        reading: what a reader made of the document.
        at_most: characters that the text may have; a cell that spans others counts in each of them.

    Returns:
        The text, blocks apart by an empty line; and {"lines", "tables", "cells"}, each a list of rows that
        are sorted by their first number: a line is [start, end, page, left, top, right, bottom], in points; a
        table [start, end, rows that name its columns]; a cell [start, end, row, column, page, left, top,
        right, bottom], where page is 0 and a box is left out where the format has no pages.

    Raises:
        UnreadableError: the text is longer.
    """
    writer = _Writer(at_most)
    before: Block | None = None
    for block in reading.blocks:
        if block.kind == "furniture" or not (block.text.strip() or block.cells):
            continue
        if before is not None:
            writer.add("\n" if _is_of_list(before) and _is_of_list(block) else "\n\n")
        writer.block(block)
        before = block
    return "".join(writer.parts), {"lines": writer.lines, "tables": writer.tables, "cells": writer.cells}


class _Writer:
    """The text so far, and where it stands."""

    def __init__(self, at_most: int) -> None:
        self.parts: list[str] = []
        self.end = 0
        self._at_most = at_most
        self.lines: list[list[int]] = []
        self.tables: list[list[int]] = []
        self.cells: list[list[int]] = []

    def add(self, text: str) -> None:
        self.parts.append(text)
        self.end += len(text)
        if self.end > self._at_most:
            raise UnreadableError(f"too large: at most {self._at_most} characters of a text are read")

    def block(self, block: Block) -> None:
        if block.cells:
            self._table(block)
            return
        if block.kind == "code":
            self.add(f"{_FENCE}\n")
        else:
            self.add(_lead(block))
        ends = [spot.start for spot in block.spots[1:]] + [len(block.text)]
        for (start, page, box), end in zip(block.spots, ends, strict=False):
            self.lines.append([self.end + start, self.end + end, page, *map(round, box)])
        self.add(block.text)
        if block.kind == "code":
            self.add(f"\n{_FENCE}")

    def _table(self, block: Block) -> None:
        began = self.end
        for number, row in enumerate(_rows(block.cells)):
            self.add("\n| " if number else "| ")
            for column, cell in enumerate(row):
                self.add(" | " if column else "")
                if cell is not None and (text := _in_cell(cell.text)):
                    place = [cell.page, *map(round, cell.box)] if cell.box else [cell.page]
                    self.cells.append([self.end, self.end + len(text), number, column, *place])
                    self.add(text)
            self.add(" |")
            if not number:
                self.add("\n|" + " --- |" * len(row))
        self.tables.append([began, self.end, block.head_rows])


def _is_of_list(block: Block) -> bool:
    """Return whether a block is an item as lists have them; a clause such as 2.1 or (b) is a paragraph."""
    return block.kind == "item" and _LIST_LABEL.fullmatch(block.label) is not None


def _lead(block: Block) -> str:
    label = f"{block.label} " if block.label else ""
    if block.kind == "heading":
        return f"{'#' * max(1, min(block.level, 6))} {label}"
    indent = "  " * max(0, block.level - 1) if block.kind == "item" else ""
    return indent + label


def _in_cell(text: str) -> str:
    return _BLANKS.sub(" ", text).strip().replace("|", "\\|")


def _rows(cells: Sequence[Cell]) -> Iterator[list[Cell | None]]:
    """Yield the rows of a table, with a cell that spans several in each of them."""
    row: list[Cell | None] = [None] * max(cell.column + cell.columns for cell in cells)
    begin = defaultdict(list)
    for cell in cells:
        begin[cell.row].append(cell)
    for number in range(max(cell.row + cell.rows for cell in cells)):
        row = [cell if cell is not None and number < cell.row + cell.rows else None for cell in row]
        for cell in begin[number]:
            row[cell.column : cell.column + cell.columns] = [cell] * cell.columns
        yield row
