"""Makes blocks from the regions of a sheet: tables with header rows, titles, notes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from workers.ingest.reading.blocks import Block, Box, Cell, Spot
from workers.ingest.reading.sheets.regions import COVERED, Area, are_figures, is_figure, regions

COLUMNS = 1_024  # of a table: what is read of a wider one
_HEADS = 3  # rows
_NAME = 120  # characters of a column's name
_PERIOD = re.compile(
    r"(?:19|20)\d\d(?:[/–-]\d{2,4})?|(?:19|20)\d\d-\d\d(?:-\d\d)?|(?:FY|[QHKTS])\s?\d{1,4}(?:[\s/-]\d{2,4})?"
)
_DAY = re.compile(r"\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]")
_LABEL_ENDS = (":", "：")
_NOTE = re.compile(r"[*†¹²³]|(?:source|note|remark|quelle|hinweis|fuente|nota|注|出典|来源)", re.IGNORECASE)
_SENTENCE = 40  # characters of a single cell below a table: it tells about the table


@dataclass
class Sheet:
    """The cells of a sheet as texts, beginning with its first filled row and column."""

    number: int  # 1 for the first that is read
    rows: list[list[str]]  # all as wide
    row: int = 1  # of the first of them in the file
    column: int = 1
    spans: Mapping[tuple[int, int], tuple[int, int]] = field(
        default_factory=dict
    )  # rows and columns of merged
    bold: Collection[int] = ()  # rows whose cells are all bold
    by_columns: bool = True  # whether empty columns set tables apart
    named_from: int = 3  # columns of a table of words whose first row names them

    def box(self, row: int, column: int) -> Box:
        """Return the position of a cell: columns and rows of the sheet, from 1."""
        rows, columns = self.spans.get((row, column), (1, 1))
        left, top = self.column + column, self.row + row
        return Box(left, top, left + columns - 1, top + rows - 1)

    def line(self, row: int, column: int) -> Block:
        """Return a single cell as a block."""
        return Block("paragraph", self.rows[row][column], spots=[Spot(0, self.number, self.box(row, column))])


@dataclass
class _Table:
    """A region, with titles above and notes below."""

    area: Area
    columns: list[int]
    rows: list[int]
    heads: int = 0
    titles: list[Block] = field(default_factory=list)
    notes: list[Block] = field(default_factory=list)


def blocks_of(sheet: Sheet) -> Iterator[Block]:
    """Yield the blocks of a sheet in reading order."""
    whole = Area(0, 0, len(sheet.rows), max(map(len, sheet.rows), default=0))
    found: list[_Table] = []
    for region in regions(sheet.rows, whole, by_columns=sheet.by_columns):
        for area in _forms(sheet, region):
            table = _table(sheet, area, found[-1] if found else None)
            if table is not None:
                found.append(table)
    for table in found:
        yield from table.titles
        yield from _written(sheet, table)
        yield from table.notes


def _forms(sheet: Sheet, area: Area) -> Iterator[Area]:
    """Yield the parts of a region that are labelled values: "Name: | Ada | Born: | 1815"."""
    starts = [area.left]
    if _are_labels(sheet, area, area.left):
        starts += [column for column in range(area.left + 2, area.right) if _are_labels(sheet, area, column)]
    for left, right in zip(starts, [*starts[1:], area.right], strict=True):
        yield Area(area.top, left, area.bottom, right)


def _are_labels(sheet: Sheet, area: Area, column: int) -> bool:
    """Return whether a column contains only labels, except for a title alone in its row."""
    rows = (_said(sheet, area, row) for row in range(area.top, area.bottom))
    said = [sheet.rows[area.top + n][column] for n, row in enumerate(rows) if column in row and len(row) > 1]
    return bool(said) and all(text.endswith(_LABEL_ENDS) for text in said)


def _table(sheet: Sheet, area: Area, before: _Table | None) -> _Table | None:
    """Return a region as a table; None if it continues the previous one after an empty row."""
    rows = [row for row in range(area.top, area.bottom) if _said(sheet, area, row)]
    said = {column for row in rows for column in _said(sheet, area, row)}
    table = _Table(area, sorted(said), rows)
    while len(rows) > 1 and len(table.columns) > 1 and _is_title(sheet, area, rows):
        row = rows.pop(0)
        table.titles.append(sheet.line(row, _said(sheet, area, row)[0]))
    while len(rows) > 2 and len(table.columns) > 1 and _is_note(sheet, area, rows):  # noqa: PLR2004 - a head and a row
        row = rows.pop()
        table.notes.insert(0, sheet.line(row, _said(sheet, area, row)[0]))
    is_below = (
        before is not None and before.columns == table.columns and not table.titles and not before.notes
    )
    if before is None or not is_below or not (before.heads or len(before.rows) == 1):
        table.heads = _heads(sheet, table, is_sure=False)
        return table
    if before.heads and _heads(sheet, table, is_sure=True):
        table.heads = _heads(sheet, table, is_sure=False)
        return table
    before.rows += rows
    before.notes += table.notes
    before.heads = before.heads or _heads(sheet, before, is_sure=False)
    return None


def _said(sheet: Sheet, area: Area, row: int) -> list[int]:
    """Return the filled columns of a row."""
    cells = sheet.rows[row]
    return [column for column in range(area.left, area.right) if cells[column] not in ("", COVERED)]


def _is_title(sheet: Sheet, area: Area, rows: Sequence[int]) -> bool:
    """Return whether the first row is a title: a cell without figures, leftmost or over the whole width."""
    [column, *others] = _said(sheet, area, rows[0])
    if others or is_figure(sheet.rows[rows[0]][column]):
        return False
    width = sheet.spans.get((rows[0], column), (1, 1))[1]
    return column == area.left or width >= area.right - area.left - 1


def _is_note(sheet: Sheet, area: Area, rows: Sequence[int]) -> bool:
    columns, text = _said(sheet, area, rows[-1]), sheet.rows[rows[-1]][area.left]
    return columns == [area.left] and (len(text) > _SENTENCE or _NOTE.match(text) is not None)


def _heads(sheet: Sheet, table: _Table, *, is_sure: bool) -> int:
    """Return the number of a table's header rows; 0 for none.

    A row of names counts above figures, or if it alone is bold. In a table of words, the first row counts if
    it has a name for every column and none of these recurs below.

    Args:
        sheet: the table's sheet.
        table: the table, without title and note rows.
        is_sure: whether only figures below and bold letters count.
    """
    texts = [
        ["" if (text := sheet.rows[row][column]) == COVERED else text for column in table.columns]
        for row in table.rows
    ]
    if len(texts) < 2 or len(table.columns) < 2 or not _are_names(texts[0]):  # noqa: PLR2004 - a head and a row
        return 0
    most = min(_HEADS, len(texts) - 1)
    for heads in range(most, 0, -1):
        are_groups = all(_is_group(sheet, table, texts, row) for row in range(heads - 1))
        if are_groups and all(map(_are_names, texts[:heads])) and _tells(texts[heads - 1], texts[heads:]):
            return heads
    if table.rows[0] in sheet.bold and table.rows[1] not in sheet.bold:
        return 1
    names = texts[0]
    is_usual = len(names) >= sheet.named_from and all(names) and len(set(names)) == len(names)
    if is_sure or not is_usual or len(texts) < 3:  # noqa: PLR2004 - a head and rows
        return 0
    recurs = any(name in [row[at] for row in texts[1:]] for at, name in enumerate(names))
    return 0 if recurs or any("@" in name or "://" in name for name in names) else 1


def _are_names(texts: Sequence[str]) -> bool:
    """Return whether a row may name columns: at least two names or periods, and no other figure."""
    said = [text for text in texts if text]
    return len(said) > 1 and all(
        len(text) <= _NAME
        and not text.endswith(_LABEL_ENDS)
        and (not is_figure(text) or _PERIOD.fullmatch(text) is not None)
        for text in said
    )


def _is_group(sheet: Sheet, table: _Table, texts: Sequence[Sequence[str]], row: int) -> bool:
    """Return whether a row names groups of the columns in the next header row."""
    spans = [sheet.spans.get((table.rows[row], column), (1, 1))[1] for column in table.columns]
    has_gaps = any(not name and below for name, below in zip(texts[row][1:], texts[row + 1][1:], strict=True))
    return has_gaps or any(1 < span < len(table.columns) for span in spans)


def _tells(names: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Return whether a row of names is above figures; with two columns, above figures of one kind only.

    Otherwise two columns are labels and values: a tenant, a rent, a day.
    """
    for at, name in enumerate(names):
        texts = [row[at] for row in below if row[at]]
        if not name or not are_figures(texts):
            continue
        days = sum(_DAY.match(text) is not None for text in texts)
        if len(names) == 2 and not (all(map(is_figure, texts)) and days in (0, len(texts))):  # noqa: PLR2004
            continue
        if not is_figure(name) or not any(map(_PERIOD.fullmatch, texts)):
            return True
    return False


def _written(sheet: Sheet, table: _Table) -> Iterator[Block]:
    """Yield a region's table, or its cells one by one if it is a single column or row of words."""
    if len(table.columns) == 1 or (len(table.rows) == 1 and not table.titles):
        for row in table.rows:
            yield from (sheet.line(row, column) for column in table.columns if sheet.rows[row][column])
        return
    rows = {row: number for number, row in enumerate(table.rows)}
    columns = {column: number for number, column in enumerate(table.columns[:COLUMNS])}
    cells = []
    for row, number in rows.items():
        for column, at in columns.items():
            text = sheet.rows[row][column]
            if text in ("", COVERED):
                continue
            height, width = sheet.spans.get((row, column), (1, 1))
            width = max(width, _gap(sheet, table, number, column))
            cells.append(
                Cell(
                    number,
                    at,
                    text,
                    rows=sum(1 for below in range(row, row + height) if below in rows),
                    columns=sum(1 for right in range(column, column + width) if right in columns),
                    page=sheet.number,
                    box=sheet.box(row, column),
                )
            )
    yield Block("table", cells=cells, head_rows=table.heads)


def _gap(sheet: Sheet, table: _Table, number: int, column: int) -> int:
    """Return the number of columns that a group name covers: empty ones named in the next row."""
    width = 1
    if number < table.heads - 1:
        row, below = (sheet.rows[at] for at in table.rows[number : number + 2])
        while column + width < table.area.right and not row[column + width] and below[column + width]:
            width += 1
    return width
