"""Where the text of a chunk stands in the document's file, as it is kept with the chunk.

Kept as JSON, offsets from the chunk's start: {"lines": [[start, end, page, left, top, right, bottom]],
"columns": {table: [names]}, "rows": [[start, end, table, name]], "cells": [[start, end, column, page, left,
top, right, bottom]]}, or, of a text without pages, {"line": its first line's number, "breaks": [offsets of
line ends]}. What is empty is left out; "" where nothing is known.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

import orjson

from hopline.models.places import PageBox, Place

Map = Mapping[str, Sequence[Sequence[int]]]  # as `stored_text` makes it, of a whole document
_NAME = 80  # characters of a row's or column's name
_BOXES = 60  # of one quote


def places_by_line(text: str, start: int, end: int) -> str:
    """Return the places of text[start:end] of a text that has lines alone."""
    first = text.count("\n", 0, start) + 1
    return _kept({"line": first, "breaks": [found.start() for found in re.finditer("\n", text[start:end])]})


class PlaceMap:
    """The places of a document's text; cut into those of its chunks.

    Args:
        text: of the document, as it is stored.
        places: as `stored_text` returns them.
    """

    def __init__(self, text: str, places: Map) -> None:
        self._text = text
        self._lines, self._cells = places["lines"], places["cells"]
        self._tables = places["tables"]
        self._columns: dict[int, list[str]] = {}

    def cut(self, start: int, end: int) -> str:
        """Return the places of the text from start to end."""
        lines = [[line[0] - start, line[1] - start, *line[2:]] for line in _touched(self._lines, start, end)]
        columns: dict[str, list[str]] = {}
        rows: list[list[Any]] = []
        cells: list[list[int]] = []
        first = bisect_right(self._tables, start, key=itemgetter(1))
        for number, table in enumerate(_touched(self._tables, start, end), first + 1):
            columns[str(number)] = self._columns_of(number)
            for row in self._rows_of(table):
                if row[0][0] < end and row[-1][1] > start:
                    name = self._text[row[0][0] : row[0][1]][:_NAME]
                    rows.append([row[0][0] - start, row[-1][1] - start, number, name])
                    cells += [[c[0] - start, c[1] - start, *c[3:]] for c in row if start <= c[0] < end]
        return _kept({"lines": lines, "columns": columns, "rows": rows, "cells": cells})

    def _rows_of(self, table: Sequence[int]) -> list[list[Sequence[int]]]:
        rows: dict[int, list[Sequence[int]]] = {}
        for cell in _touched(self._cells, table[0], table[1]):
            rows.setdefault(cell[2], []).append(cell)
        return list(rows.values())

    def _columns_of(self, number: int) -> list[str]:
        """Return the names of a table's columns: what its first rows say, one after another."""
        if number not in self._columns:
            table = self._tables[number - 1]
            named: dict[int, list[str]] = {}
            for row in self._rows_of(table):
                for start, end, nth, column, *_place in row:
                    said = self._text[start:end]
                    if nth < table[2] and said not in named.setdefault(column, []):
                        named[column].append(said)
            names = [" ".join(named.get(column, []))[:_NAME] for column in range(max(named, default=-1) + 1)]
            self._columns[number] = names
        return self._columns[number]


def _kept(places: Mapping[str, Any]) -> str:
    known = {name: value for name, value in places.items() if value}
    return orjson.dumps(known).decode() if known else ""


def place_of(kept: str, start: int, end: int) -> Place | None:
    """Return where a part of a chunk's text stands; None where that is not known.

    Args:
        kept: the places of the chunk.
        start: of the part, from the chunk's start.
        end: of the part.
    """
    places = orjson.loads(kept) if kept else {}
    if "line" in places:
        line = places["line"] + bisect_left(places.get("breaks", []), start)
        return Place(words=f"line {line}", line=line)
    boxes = _boxes(places.get("lines", ()), start, end)
    row, cells = _row(places, start, end)
    boxes += [_box(cell[3:]) for cell in cells if len(cell) > _PLACED]
    if not boxes and row is None:
        return None
    pages = sorted({box.page for box in boxes})
    table, name = (row[2], row[3]) if row else (None, None)
    names = places.get("columns", {}).get(str(table), ())
    column = names[cells[0][2]] or None if len(cells) == 1 and cells[0][2] < len(names) else None
    told = {
        "page": pages[0] if pages else None,
        "last_page": pages[-1] if len(pages) > 1 else None,
        "table": table,
        "row": name or None,
        "column": column if column != name else None,
    }
    return Place(words=_words(told), boxes=tuple(boxes[:_BOXES]), **told)


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


def _words(told: Mapping[str, Any]) -> str:
    """Return a place in words: page 12, table 2, row Rent, column 2024."""
    parts = []
    if told["page"]:
        span = f"pages {told['page']}–{told['last_page']}" if told["last_page"] else f"page {told['page']}"
        parts.append(span)
    parts += [f"{name} {told[name]}" for name in ("table", "row", "column") if told[name]]
    return ", ".join(parts)
