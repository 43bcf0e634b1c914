"""Positions of a chunk's text in the document's file, as stored with the chunk.

Stored as JSON, with offsets from the chunk's start: {"lines": [[start, end, page, left, top, right, bottom]],
"columns": {table: [names]}, "rows": [[start, end, table, text of the first cell, 1 if the row names
columns]], "cells": [[start, end, column, page, left, top, right, bottom]], "counted": {table: [the table that
it continues, or itself, number of rows with values before it, number of its rows]}}. A text without pages
also has {"line": number of its first line, "breaks": [offsets of line ends]}. The text of sheets has
{"sheets": {page: name}}, and its boxes are given in columns and rows; that of slides has {"page": "slide"}.
Named parts of a file, such as cells of a notebook, are {"parts": [[start, end, name, number of its first line
here or 0]]}, with "breaks" if lines are numbered. Empty parts are left out; the text is "" if nothing is
known.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any

import orjson

from hopline.models.places import PageBox, Place
from workers.core.cell_names import on_sheet, range_name

Map = Mapping[str, Sequence[Sequence[Any]]]  # as `stored_text` makes it, of a whole document
_PARTS = ("lines", "cells", "tables")
_FROM = 3  # where a table tells from which one it goes on
_NAME = 80  # characters of a row's or column's name
_BOXES = 60  # of one quote
_KEPT = 256  # chunks: the check of an answer reads those of its quotes again and again


class PlaceMap:
    """The positions of a document's text, from which those of its chunks are cut.

    Args:
        text: text of the document, as stored.
        places: as returned by `stored_text`.
        by_line: whether the text itself is the file, so that positions are line numbers.
        page: name of a page in this format.
        within: what the file is part of, such as "attachment offer.pdf"; "" if nothing.
    """

    def __init__(
        self, text: str, places: Map, *, by_line: bool = False, page: str = "page", within: str = ""
    ) -> None:
        self._text = text
        self._lines, self._cells, self._tables = (places.get(name, ()) for name in _PARTS)
        self._sheets = [text[start:end] for start, end in places.get("sheets", ())]
        self._parts = [*places.get("parts", ())] or ([[0, len(text), "", 0]] if within else [])
        self._within = within
        self._page = "" if page == "page" else page
        self._breaks = [found.start() for found in re.finditer("\n", text)] if by_line else None
        self._columns: dict[int, list[str]] = {}
        self._rows: dict[int, list[list[Any]]] = {}
        self._values: dict[int, int] = {}

    def cut(self, start: int, end: int) -> str:
        """Return the positions of the text from start to end."""
        lines = [[line[0] - start, line[1] - start, *line[2:]] for line in _touched(self._lines, start, end)]
        columns: dict[str, list[str]] = {}
        rows: list[list[Any]] = []
        counted: dict[str, list[int]] = {}
        first = bisect_right(self._tables, start, key=itemgetter(1))
        for number, _table in enumerate(_touched(self._tables, start, end), first + 1):
            columns[str(number)] = self._columns_of(number)
            shown = _touched(self._rows_of(number), start, end)
            for begin, last, *told in shown:
                rows.append([begin - start, last - start, number, *told])
            if shown:
                counted[str(number)] = self._counted(number, shown[0][0])
        touched = _touched(self._cells, start, end)
        cells = [[cell[0] - start, cell[1] - start, *cell[3:]] for cell in touched]
        sheets = self._sheets_of({line[2] for line in lines} | {cell[3] for cell in cells})
        by_line = self._of_lines(start, end)
        parts = [self._cut_part(part, start) for part in _touched(self._parts, start, end)]
        if any(part[3] for part in parts):
            by_line = {"breaks": [at.start() for at in re.finditer("\n", self._text[start:end])]}
        return _kept(
            {
                "lines": lines,
                "columns": columns,
                "rows": rows,
                "cells": cells,
                "counted": counted,
                "sheets": sheets,
                "parts": parts,
                "page": self._page if lines or cells else "",
                **by_line,
            }
        )

    def _cut_part(self, part: Sequence[Any], start: int) -> list[Any]:
        begins, end, name, line = part
        line += self._text.count("\n", begins, start) if line and begins < start else 0
        named = ", ".join(filter(None, (self._within, name)))
        return [max(0, begins - start), end - start, named, line]

    def _sheets_of(self, pages: Collection[int]) -> dict[str, str]:
        return {str(page): self._sheets[page - 1] for page in sorted(pages)} if self._sheets else {}

    def _of_lines(self, start: int, end: int) -> dict[str, Any]:
        if self._breaks is None:
            return {}
        first, last = bisect_left(self._breaks, start), bisect_left(self._breaks, end)
        return {"line": first + 1, "breaks": [at - start for at in self._breaks[first:last]]}

    def _rows_of(self, number: int) -> list[list[Any]]:
        """Return [start, end, what the first cell says, whether it names columns] of the rows of a table."""
        if number not in self._rows:
            table, rows = self._tables[number - 1], dict[int, list[Any]]()
            for start, end, nth, column, *_place in _touched(self._cells, table[0], table[1]):
                name = "" if column else _plain(self._text[start:end])[:_NAME]
                rows.setdefault(nth, [start, end, name, int(nth < table[2])])[1] = end
            self._rows[number] = list(rows.values())
        return self._rows[number]

    def _counted(self, number: int, start: int) -> list[int]:
        """Return the table that a table continues, its rows with values before an offset, and all."""
        root = self._begins(number)
        before = sum(self._values_of(nth) for nth in range(root, number) if self._begins(nth) == root)
        before += sum(not row[3] for row in self._rows_of(number) if row[0] < start)
        last = number
        while last < len(self._tables) and self._begins(last + 1) == root:
            last += 1
        whole = sum(self._values_of(nth) for nth in range(root, last + 1) if self._begins(nth) == root)
        return [root, before, whole]

    def _begins(self, number: int) -> int:
        table = self._tables[number - 1]
        return table[_FROM] or number if len(table) > _FROM else number

    def _values_of(self, number: int) -> int:
        if number not in self._values:
            self._values[number] = sum(not row[3] for row in self._rows_of(number))
        return self._values[number]

    def _columns_of(self, number: int) -> list[str]:
        """Return the names of a table's columns: what its first rows say, one after another."""
        table, root = self._tables[number - 1], self._begins(number)
        if root != number:
            return self._columns_of(root)
        if number not in self._columns:
            named: dict[int, dict[str, None]] = {}
            for start, end, nth, column, *_place in _touched(self._cells, table[0], table[1]):
                if nth >= table[2]:
                    break
                named.setdefault(column, {})[_plain(self._text[start:end])] = None
            width = max(named, default=-1) + 1
            self._columns[number] = [" ".join(named.get(column, {}))[:_NAME] for column in range(width)]
        return self._columns[number]


@lru_cache(maxsize=_KEPT)
def _places(kept: str) -> Mapping[str, Any]:
    places: Mapping[str, Any] = orjson.loads(kept) if kept else {}
    return places


def column_names(kept: str) -> list[str]:
    """Return the column names of a chunk's tables, and the names of its sheets."""
    places = _places(kept)
    names = [*places.get("columns", {}).values(), places.get("sheets", {}).values()]
    return [name for some in names for name in some if name]


def columns_at(kept: str, start: int, end: int) -> list[str]:
    """Return the names of the columns that a part of a chunk's text is in, and of its sheets."""
    places = _places(kept)
    names = dict.fromkeys(_sheets_at(places, start, end))
    for row in _touched(places.get("rows", ()), start, end):
        for column, _start, _end in _named_cells(places, row, start, end):
            names[column] = None
    return [name for name in names if name]


def _sheets_at(places: Mapping[str, Any], start: int, end: int) -> list[str]:
    names = places.get("sheets", {})
    pages = [line[2] for line in _touched(places.get("lines", ()), start, end)] if names else []
    pages += [cell[3] for cell in _touched(places.get("cells", ()), start, end)] if names else []
    return [names.get(str(page), "") for page in pages]


def cells_at(kept: str, start: int, end: int) -> list[tuple[str, int, int]]:
    """Return (column name or "", start, end) of the cells that a part of a chunk's text is in.

    Returns none if the part spans several rows, or is in a row that names columns.
    """
    places = _places(kept)
    row, _cells = _row(places, start, end)
    return _named_cells(places, row, start, end) if row and not row[4] else []


def row_at(kept: str, start: int, end: int) -> tuple[int, int, int] | None:
    """Return (table, number of the row among those with values, total) for the row that contains a part.

    Returns None if the part spans several rows, or if the rows were not counted when the document was read.
    """
    places = _places(kept)
    row, _cells = _row(places, start, end)
    counted = places.get("counted", {}).get(str(row[2])) if row and not row[4] else None
    if row is None or counted is None:
        return None
    table, before, whole = counted
    nth = sum(each[2] == row[2] and not each[4] and each[0] <= row[0] for each in places["rows"])
    return table, before + nth, whole


def _named_cells(
    places: Mapping[str, Any], row: Sequence[Any], start: int, end: int
) -> list[tuple[str, int, int]]:
    columns = places.get("columns", {}).get(str(row[2]), ())
    cells = _touched(places.get("cells", ()), max(start, row[0]), min(end, row[1]))
    return [(columns[cell[2]] if cell[2] < len(columns) else "", cell[0], cell[1]) for cell in cells]


def with_told_rows(text: str, kept: str) -> str:
    """Return a chunk's text with table rows in the form that models read best: "Region: Hub; Units: 7".

    A row of a table without column names becomes "Region: Hub; 7". Rows that name columns are left out if
    other rows of the table follow, because each value then has its name. Text from a sheet starts with the
    sheet's name.
    """
    places = _places(kept)
    told, done, rows = [], 0, places.get("rows", ())
    sheet = next(iter(places.get("sheets", {}).values()), "")
    if sheet and not text.startswith(f"# {sheet}\n"):
        told.append(f"# {sheet}\n\n")
    named = {row[2] for row in rows if not row[4]}
    for row in rows:
        begin = text.rfind("\n", 0, max(0, row[0])) + 1
        ends = text.find("\n", min(row[1], len(text)))
        end = len(text) if ends < 0 else ends
        if begin < done:
            continue
        is_told = not row[4] or row[2] not in named
        told += [text[done:begin], _told_row(text, row, places) if is_told else ""]
        rule = _RULE.match(text, end)
        done = rule.end() if rule else end
        done += not is_told and text.startswith("\n", done)
    return "".join([*told, text[done:]]) if told else text


_RULE = re.compile(r"\r?\n\|?(?: *:?-+:? *\|)+(?: *:?-+:?)? *(?=\r?\n|$)")  # below the first row, in Markdown


def _told_row(text: str, row: Sequence[Any], places: Mapping[str, Any]) -> str:
    start, end, table, _name, is_head = row
    columns = () if is_head else places.get("columns", {}).get(str(table), ())
    cells = _touched(places.get("cells", ()), start, end)
    told: dict[str, None] = {}
    said_by_column = [(cell[2], _plain(text[max(0, cell[0]) : cell[1]])) for cell in cells]
    texts = {said for _column, said in said_by_column}
    if len(cells) > 1 and len(texts) == 1 and not any(map(str.isdigit, whole := texts.pop())):
        return whole  # of a cell over the whole width
    for at, said in said_by_column:
        column = columns[at] if at < len(columns) else ""
        told[f"{column}: {said}" if column else said] = None
    first, *rest = told or ("",)
    return f"{first}: {'; '.join(rest)}" if rest and not columns else "; ".join(told)


def _plain(cell: str) -> str:
    """Return the text of a cell from its Markdown."""
    return cell.replace("\\|", "|")


def _kept(places: Mapping[str, Any]) -> str:
    known = {name: value for name, value in places.items() if value}
    return orjson.dumps(known).decode() if known else ""


def place_of(kept: str, start: int, end: int) -> Place | None:
    """Return the position of a part of a chunk's text in the file; None if it is not known.

    Args:
        kept: stored positions of the chunk.
        start: start of the part, from the chunk's start.
        end: end of the part.
    """
    places = _places(kept)
    parts = _touched(places.get("parts", ()), start, end)
    line = _line(places, parts, start)
    boxes = _boxes(places.get("lines", ()), start, end)
    row, cells = _row(places, start, end)
    is_of_sheets = "sheets" in places
    of_cells = _touched(places.get("cells", ()), start, end) if is_of_sheets and row is None else cells
    boxes += [_box(cell[3:]) for cell in of_cells if len(cell) > _PLACED]
    if not boxes and row is None and line is None and not parts:
        return None
    pages = sorted({box.page for box in boxes})
    table, name = (row[2], None if row[4] else row[3]) if row else (None, None)
    names = places.get("columns", {}).get(str(table), ())
    column = names[cells[0][2]] or None if len(cells) == 1 and cells[0][2] < len(names) else None
    named = list(dict.fromkeys(part[2] for part in parts if part[2]))
    told = {"table": table, "row": name or None, "column": column if column != name else None, "line": line}
    told["part"] = "–".join([named[0], *named[1:][-1:]]) if named else None
    if is_of_sheets and boxes:
        sheet = places["sheets"].get(str(pages[0]), "")
        cell = _range([box for box in boxes if box.page == pages[0]])
        words = ", ".join([on_sheet(sheet, cell), *_named(told, "row", "column")])
        return Place(words=words, sheet=sheet or None, cell=cell, **told)
    told |= {"page": pages[0] if pages else None, "last_page": pages[-1] if len(pages) > 1 else None}
    return Place(words=_words(told, places.get("page", "page")), boxes=tuple(boxes[:_BOXES]), **told)


def _line(places: Mapping[str, Any], parts: Sequence[Sequence[Any]], start: int) -> int | None:
    """Return the number of the line in which a part of a chunk's text begins; None where lines have none."""
    breaks = places.get("breaks", [])
    if "line" in places:
        return int(places["line"]) + bisect_left(breaks, start)
    if not parts or not parts[0][3]:
        return None
    begins = max(start, parts[0][0])
    return int(parts[0][3]) + bisect_left(breaks, begins) - bisect_left(breaks, parts[0][0])


def _range(boxes: Sequence[PageBox]) -> str:
    """Return the name of the cells from the first to the last of some."""
    left, top = min(box.left for box in boxes), min(box.top for box in boxes)
    return range_name(left, top, max(box.right for box in boxes), max(box.bottom for box in boxes))


_BOX = ("page", "left", "top", "right", "bottom")
_PLACED = 4  # start, end, column and page: more where it has a box


def _boxes(lines: Sequence[Sequence[int]], start: int, end: int) -> list[PageBox]:
    return [_box(line[2:]) for line in _touched(lines, start, end)]


def _box(numbers: Sequence[int]) -> PageBox:
    return PageBox.read_stored(dict(zip(_BOX, numbers, strict=True)))


def _touched(spans: Sequence[Sequence[Any]], start: int, end: int) -> Sequence[Sequence[Any]]:
    """Return of spans, sorted by their starts and ends, those that a part touches."""
    return spans[bisect_right(spans, start, key=itemgetter(1)) : bisect_left(spans, end, key=itemgetter(0))]


def _row(
    places: Mapping[str, Any], start: int, end: int
) -> tuple[Sequence[Any] | None, Sequence[Sequence[int]]]:
    """Return the only row that a part lies in, and those of its cells that it touches."""
    rows = _touched(places.get("rows", ()), start, end)
    if len(rows) != 1:
        return None, []
    return rows[0], _touched(places.get("cells", ()), start, end)


def _words(told: Mapping[str, Any], page: str) -> str:
    """Return a place in words: page 12, table 2, row Rent, column 2024."""
    parts = [told["part"]] if told["part"] else []
    if told["page"]:
        last = told["last_page"]
        parts.append(f"{page}s {told['page']}–{last}" if last else f"{page} {told['page']}")
    return ", ".join([*parts, *_named(told, "line", "table", "row", "column")])


def _named(told: Mapping[str, Any], *names: str) -> list[str]:
    return [f"{name} {told[name]}" for name in names if told[name]]
