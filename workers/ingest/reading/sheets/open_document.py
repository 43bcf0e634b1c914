"""Reads from OpenDocument sheets, besides values: percentages, currencies, merged cells, comments."""

from __future__ import annotations

import io

from lxml import etree

from workers.ingest.reading.blocks import FileBytes
from workers.ingest.reading.docx.names import number
from workers.ingest.reading.docx.package import Package
from workers.ingest.reading.loose_parts import attribute, words_of
from workers.ingest.reading.sheets.ooxml import SheetPart
from workers.ingest.reading.sheets.values import NumberFormat

_TABLE, _ROW, _CELLS = "table", "table-row", ("table-cell", "covered-table-cell")
_SYMBOLS = {"EUR": "€", "USD": "$", "GBP": "£", "JPY": "¥", "CNY": "¥", "INR": "₹", "KRW": "₩"}
_MOST_MERGED = 100_000  # ranges of a sheet
_MOST_REPEATED = 1_000  # cells or rows, each with the format of one


def sheet_parts(data: FileBytes) -> dict[str, SheetPart]:
    """Return the parts of a spreadsheet's sheets by name.

    Raises:
        UnreadableError: its content is too large.
    """
    content = Package(data).content("content.xml") or b""
    parts: dict[str, SheetPart] = {}
    part, row, column = SheetPart(), 0, 0
    found = etree.iterparse(
        io.BytesIO(content), ("start", "end"), resolve_entities=False, no_network=True, load_dtd=False
    )
    try:
        for event, element in found:
            kind = etree.QName(element).localname if isinstance(element.tag, str) else ""
            if event == "start" and kind == _TABLE:
                part, row = parts.setdefault(attribute(element, "name"), SheetPart()), 0
            elif event == "start" and kind == _ROW:
                column = 0
            elif event == "end" and kind == _ROW:
                row += _repeats(element, "number-rows-repeated")
                element.clear()
            elif event == "end" and kind in _CELLS:
                _note(element, part, row, column)
                column += _repeats(element, "number-columns-repeated")
    except etree.XMLSyntaxError:
        pass  # calamine says what is wrong
    return parts


def _note(cell: etree._Element, part: SheetPart, row: int, column: int) -> None:
    kind, form = attribute(cell, "value-type"), None
    if kind == "percentage":
        form = NumberFormat(is_percent=True)
    elif kind == "currency" and (currency := attribute(cell, "currency")):
        symbol = _SYMBOLS.get(currency)
        form = NumberFormat(after=f" {symbol or currency}")
    if form:
        again = min(_repeats(cell, "number-columns-repeated"), _MOST_REPEATED)
        part.formats |= {(row, column + nth): form for nth in range(again)}
    wide, high = _repeats(cell, "number-columns-spanned"), _repeats(cell, "number-rows-spanned")
    if wide * high > 1 and len(part.merged) < _MOST_MERGED:
        part.merged.append(((row, column), (row + high - 1, column + wide - 1)))
    for note in cell.iterchildren("{*}annotation"):
        author = next((words_of(one) for one in note.iterchildren("{*}creator")), "")
        said = " ".join(filter(None, (words_of(one) for one in note.iterchildren("{*}p"))))
        if said:
            part.comments.append((row + 1, column + 1, author, said))


def _repeats(element: etree._Element, name: str) -> int:
    return max(1, number(attribute(element, name), 1))
