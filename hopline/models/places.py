"""Places of quotes in a document's original file."""

from __future__ import annotations

from pydantic import Field

from hopline.models.base import Sparse, VisibleText


class PageBox(Sparse):
    """A rectangle on a page, in points (1/72 inch) from the upper left corner of its visible part."""

    LEFT_OUT = frozenset[str]()

    page: int = Field(ge=1)
    left: int
    top: int
    right: int
    bottom: int


class Place(Sparse):
    """The place of a quote: page or sheet, table, line; fields that a format lacks are left out."""

    LEFT_OUT = frozenset(
        {"part", "page", "last_page", "boxes", "sheet", "cell", "table", "row", "column", "line"}
    )

    words: VisibleText = Field(description="The place in words.", examples=["page 12, table 2, row Rent"])
    part: VisibleText | None = Field(
        default=None,
        description="A named part of a mail, a notebook, a book or source code.",
        examples=["cell 4", "function parse_date"],
    )
    page: int | None = Field(default=None, ge=1, description="1 for the first page.")
    last_page: int | None = Field(default=None, description="Only if it continues on another page.")
    boxes: tuple[PageBox, ...] = Field(default=(), description="One per line, in reading order.")
    sheet: VisibleText | None = Field(default=None, description="The name of a spreadsheet's sheet.")
    cell: str | None = Field(
        default=None, description="A cell or a range of a sheet, or of a CSV file.", examples=["B7", "A3:C3"]
    )
    table: int | None = Field(default=None, ge=1, description="1 for the document's first table.")
    row: VisibleText | None = Field(default=None, description="Text of the row's first cell.")
    column: VisibleText | None = Field(
        default=None, description="Name of the column, if the place is a single cell."
    )
    line: int | None = Field(
        default=None, ge=1, description="Line number, in texts without pages; the first line is 1."
    )
