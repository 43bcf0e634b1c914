"""Reads tables separated by commas, semicolons or tabs: .csv and .tsv."""

from __future__ import annotations

import csv
import io
from collections import Counter
from itertools import islice

from workers.ingest.reading.blocks import Block, Quality, Reading, UnreadableError
from workers.ingest.reading.sheets.tables import COLUMNS, Sheet, blocks_of

_DELIMITERS = ("\t", ";", "|", ",")  # the one that stands least often within a text or number first
_SAMPLE = 200  # rows that tell the delimiter
_CELLS = 1_000_000
_STATED = "sep="  # a first line of Excel's: "sep=;"


def read(data: bytes, options: dict[str, str]) -> Reading:  # noqa: ARG001 - all readers take options
    """Return the rows of a table in UTF-8.

    Raises:
        UnreadableError: it has too many cells.
    """
    text = data.decode()
    first, _, rest = text.partition("\n")
    stated = first.strip().lower()
    is_stated = stated.startswith(_STATED) and len(stated) == len(_STATED) + 1
    body = rest if is_stated else text
    delimiter = stated[-1] if is_stated else _delimiter(body)
    rows = _rows(body, delimiter)
    width = max(map(len, rows), default=0)
    if len(rows) * width > _CELLS:
        raise UnreadableError(
            f"too large: {len(rows)} rows of {width} cells, at most {_CELLS} cells are read; "
            "divide it into several files"
        )
    grid = [row + [""] * (width - len(row)) for row in rows]
    for row in grid:
        if row and row[0].startswith("#") and not any(row[1:]):  # a comment of the program that wrote it
            row[0] = row[0].lstrip("#").strip()
    sheet = Sheet(1, grid, row=2 if is_stated else 1, by_columns=False, named_from=2)
    left_out = Counter({f"column beyond {COLUMNS}": max(0, width - COLUMNS)})
    signs = sum(len("".join(cell.split())) for row in grid for cell in row)
    return Reading([Block("sheet"), *blocks_of(sheet)], left_out=+left_out, quality=Quality(signs=signs))


def _rows(text: str, delimiter: str, most: int | None = None) -> list[list[str]]:
    """Return the cells of the rows. An unclosed quote is a character of its cell."""
    csv.field_size_limit(len(text) + 1)
    for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_NONE):
        lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, quoting=quoting, strict=True)
        try:
            return [[cell.strip() for cell in row] for row in islice(lines, most)]
        except csv.Error:
            continue
    return [line.split(delimiter) for line in islice(text.splitlines(), most)]


def _delimiter(text: str) -> str:
    """Return the delimiter with which most rows have the same number of cells."""
    shares = {}
    for delimiter in _DELIMITERS:
        widths = [len(row) for row in _rows(text, delimiter, _SAMPLE) if any(row)]
        counts = Counter(width for width in widths if width > 1)
        shares[delimiter] = max(counts.values(), default=0) / max(1, len(widths))
    return max(_DELIMITERS, key=lambda delimiter: shares[delimiter])
