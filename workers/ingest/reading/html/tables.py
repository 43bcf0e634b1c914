"""Reads the grid of an HTML table."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import takewhile

from selectolax.lexbor import LexborNode

from workers.ingest.reading.blocks import Cell, packed
from workers.ingest.reading.html.bounds import Places

_WIDEST = 1_000  # columns; more than HTML lets one cell span
_NUMBER = re.compile(r"\d{1,5}")
_SECTIONS = frozenset(("thead", "tbody", "tfoot"))
# Signs that filings set apart from their number, in a column of their own.
_BEFORE = re.compile(r"[$€£¥(−-]{1,2}")
_BEHIND = re.compile(r"[)%]{1,2}")
_NUMBER_CELL = re.compile(r"[$€£¥(]{0,2}\s?[-−+–]?[\d.,'’\s]*\d\s?[)%]?|[-−–—]")


def rows_of(table: LexborNode, is_shown: Callable[[LexborNode], bool]) -> list[LexborNode]:
    """Return the rows of a table in display order, without those of tables in its cells.

    Args:
        table: the table.
        is_shown: returns whether a section or row is visible.
    """
    parts = [part for part in table.iter() if part.tag in (*_SECTIONS, "tr") and is_shown(part)]
    parts.sort(key=lambda part: {"thead": 0, "tfoot": 2}.get(part.tag or "", 1))
    rows = []
    for part in parts:
        inner = [row for row in part.iter() if row.tag == "tr" and is_shown(row)]
        rows += [part] if part.tag == "tr" else inner
    return rows


def cells_of(row: LexborNode) -> list[LexborNode]:
    """Return the cells of a row."""
    return [cell for cell in row.iter() if cell.tag in ("td", "th")]


def is_layout(
    table: LexborNode, rows: list[LexborNode], is_empty: Callable[[LexborNode], bool], *, has_tables: bool
) -> bool:
    """Return whether a table is only used for layout."""
    role = (table.attributes.get("role") or "").lower()
    widest = max((sum(not is_empty(cell) for cell in cells_of(row)) for row in rows), default=0)
    if role in ("presentation", "none") or widest <= 1 or len(rows) == 1:
        return True
    if not has_tables or any(child.tag in ("thead", "caption") for child in table.iter()):
        return False
    return not any(cell.tag == "th" for row in rows for cell in cells_of(row))


def grid_of(
    rows: list[LexborNode], text_of: Callable[[LexborNode], str], places: Places
) -> tuple[list[Cell], int]:
    """Return the cells of a table without empty rows and columns, and the number of its header rows.

    Rows of a thead are header rows, and rows of only th; a first th that names its row is not. If all rows
    are header rows, none is.

    Args:
        rows: rows of the table.
        text_of: returns the visible text of a cell.
        places: number of cells that the page's tables may still span.

    Raises:
        UnreadableError: they span more.
    """
    cells: list[Cell] = []
    taken: dict[int, int] = {}  # column: the first row in which it is free again
    named: set[int] = set()  # rows with a name of a column
    valued: set[int] = set()  # rows with a value
    parents = [row.parent.mem_id if row.parent is not None else 0 for row in rows]
    ends = {parent: number + 1 for number, parent in enumerate(parents)}  # no cell reaches below its section
    for number, row in enumerate(rows):
        column = 0
        is_in_head = row.parent is not None and row.parent.tag == "thead"
        for node in cells_of(row):
            while column < _WIDEST and taken.get(column, 0) > number:
                column += 1
            if column == _WIDEST:
                break
            width, height = _span(node, "colspan"), _span(node, "rowspan")
            width = min(max(1, width), _WIDEST - column)
            height = min(height or len(rows), ends[parents[number]] - number)
            places.take(width)
            if text := text_of(node):
                cells.append(Cell(number, column, text, rows=height, columns=width))
                if is_in_head or (node.tag == "th" and column + width > 1):
                    named.add(number)
                elif node.tag == "td":
                    valued.add(number)
            for covered in range(column, column + width):
                taken[covered] = number + height
            column += width
    kept = sorted({cell.row for cell in cells})
    heads = sum(1 for _ in takewhile((named - valued).__contains__, kept))
    return packed(_joined(cells)), heads if heads < len(kept) else 0


def _span(cell: LexborNode, name: str) -> int:
    """Return the number of rows or columns that a cell spans; 0 means all remaining ones."""
    value = (cell.attributes.get(name) or "1").strip()
    return int(value) if _NUMBER.fullmatch(value) else 1


def _joined(cells: list[Cell]) -> list[Cell]:
    """Return the cells, with signs in separate columns joined to their numbers."""
    others = {cell.column for cell in cells if cell.columns == 1 and not _BEFORE.fullmatch(cell.text)}
    behind_others = {cell.column for cell in cells if not _BEHIND.fullmatch(cell.text)}
    joined: list[Cell] = []
    for cell in cells:
        before = joined[-1] if joined and joined[-1].row == cell.row else None
        if before and (
            (_is_sign(before, _BEFORE, others) and _NUMBER_CELL.fullmatch(cell.text))
            or (_is_sign(cell, _BEHIND, behind_others) and _NUMBER_CELL.fullmatch(before.text))
        ):
            before.text += cell.text
            before.columns = cell.column + cell.columns - before.column
            before.rows = max(before.rows, cell.rows)
        else:
            joined.append(cell)
    return joined


def _is_sign(cell: Cell, signs: re.Pattern[str], others: set[int]) -> bool:
    return cell.column not in others and bool(signs.fullmatch(cell.text))
