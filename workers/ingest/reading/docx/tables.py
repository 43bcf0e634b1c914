"""The grid of a table: the rows and columns that each cell spans."""

from __future__ import annotations

from itertools import takewhile

from workers.ingest.reading.blocks import Block, Cell, packed

COLUMNS = 256  # at most; Word itself takes 63


class Grid:
    """Cells in document order, row by row."""

    def __init__(self) -> None:
        self.cells: list[Cell] = []
        self._row = -1
        self._column = 0
        self._open: dict[int, Cell] = {}  # by column: the cell that may go on in the next row
        self._heads: set[int] = set()  # rows that are marked as names of columns

    def next_row(self, skipped: int, *, is_head: bool) -> None:
        """Begin a row, with some empty columns at its left."""
        self._row += 1
        self._column = min(skipped, COLUMNS)
        if is_head:
            self._heads.add(self._row)

    def add(self, text: str, columns: int, *, goes_on: bool, may_go_on: bool) -> None:
        """Add a cell; if it `goes_on`, it continues the cell above if that `may_go_on`."""
        column, columns = self._column, max(1, min(columns, COLUMNS - self._column))
        if column >= COLUMNS:
            return
        self._column += columns
        above = self._open.get(column) if goes_on else None
        if above is not None and above.row + above.rows == self._row and above.columns == columns:
            above.rows += 1
            above.text = f"{above.text} {text}".strip()
            return
        cell = Cell(self._row, column, text, columns=columns)
        self.cells.append(cell)
        if may_go_on:
            self._open[column] = cell
        else:
            self._open.pop(column, None)

    def widen(self) -> None:
        """Extend the last cell by one column."""
        if self.cells and self._column < COLUMNS:
            self.cells[-1].columns += 1
            self._column += 1

    def block(self) -> Block:
        """Return the table without rows and columns in which no text begins."""
        cells = [cell for cell in self.cells if cell.text]
        kept = sorted({cell.row for cell in cells})
        heads = sum(1 for _ in takewhile(self._heads.__contains__, kept))
        return Block("table", cells=packed(cells), head_rows=heads if heads < len(kept) else 0)
