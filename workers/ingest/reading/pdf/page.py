"""Reads one page: its regions in the order of reading."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import pypdfium2.raw as c

from workers.ingest.reading.blocks import Box
from workers.ingest.reading.pdf.aligned import arranged
from workers.ingest.reading.pdf.fields import FieldValue, add_to_lines, annotations_of, value_glyphs
from workers.ingest.reading.pdf.frame import FileBox, Frame
from workers.ingest.reading.pdf.glyphs import LINE_END, Glyph, PageGlyphs, page_glyphs, with_accents
from workers.ingest.reading.pdf.line_numbers import without_line_numbers
from workers.ingest.reading.pdf.lines import lines_of, with_initials
from workers.ingest.reading.pdf.order import Region, ordered
from workers.ingest.reading.pdf.ruled import Grid, closed_up, grids, ruled_table
from workers.ingest.reading.pdf.shapes import page_shapes

_STAMP = 100  # signs of a stamp or a page number that is set on a scan
_COVERED = 0.7  # of a page, by the picture that a scanner made of it


@dataclass(slots=True)
class Page:
    """A page that was read."""

    number: int  # 1 for the first
    frame: Frame
    regions: list[Region]
    hidden: Counter[str] = field(default_factory=Counter)  # words that are not to be seen, by why
    pictures: int = 0  # without text over them
    signs: int = 0
    signs_without_meaning: int = 0
    doubtful_tables: int = 0
    comments: int = 0  # that are not seen before they are opened
    is_picture: bool = False  # what it says is to be recognised

    @property
    def height(self) -> float:
        """Points of the upright page."""
        return self.frame.height


def read_page(page: Any, form: Any, number: int) -> Page:
    """Read a page.

    Args:
        page: pdfium's handle of the page.
        form: pdfium's handle of the document's form; None if it has none.
        number: 1 for the first.

    Raises:
        UnreadableError: the page has more letters than a page to be read has.
    """
    shapes = page_shapes(page)
    text = c.FPDFText_LoadPage(page)
    try:
        written = page_glyphs(page, text, shapes.dark, shapes.pictures)
    finally:
        c.FPDFText_ClosePage(text)
    frame = written.frame
    annotations = annotations_of(page, form, frame)
    found = grids(shapes, frame)
    glyphs, annotations.values, doubtful = _with_tables(
        with_accents(written.glyphs), annotations.values, found, frame, number
    )
    lines, line_numbers = without_line_numbers(lines_of(glyphs, frame), frame.height)
    written.hidden["line number"] += line_numbers
    lines = with_initials(lines)
    add_to_lines(annotations, lines)
    lines = arranged(lines, frame, number)
    return Page(
        number,
        frame,
        ordered(lines),
        written.hidden,
        len(shapes.pictures) if not written.glyphs else 0,
        written.signs,
        written.signs_without_meaning,
        doubtful,
        annotations.comments,
        _is_picture(page, written, shapes.pictures),
    )


def _is_picture(page: Any, written: PageGlyphs, pictures: list[FileBox]) -> bool:
    """Return whether a page needs text recognition.

    It does if it shows something but has no text, if a picture covers it and it has next to no text, or if
    its fonts do not say which characters most of its text is.
    """
    if not written.signs:
        return bool(c.FPDFPage_CountObjects(page) > 0)
    if 2 * written.signs_without_meaning > written.signs:
        return True
    crop = written.frame.crop
    covered = max(((box.right - box.left) * (box.top - box.bottom) for box in pictures), default=0.0)
    whole = (crop.right - crop.left) * (crop.top - crop.bottom)
    return written.signs < _STAMP and covered > _COVERED * whole


def _with_tables(
    glyphs: list[Glyph], values: list[FieldValue], found: list[Grid], frame: Frame, number: int
) -> tuple[list[Glyph], list[FieldValue], int]:
    """Return glyphs with each table as one, the values outside tables, and how many grids are not tables."""
    doubtful = 0
    for grid in found:
        if grid.is_row:
            glyphs = closed_up(grid, glyphs)
            continue
        filled_in = list(value_glyphs([value for value in values if _is_in(grid, value.box)]))
        table = ruled_table(grid, [*glyphs, *filled_in], frame, number)
        if table is None:
            doubtful += 1
            continue
        rest: list[Glyph] = []
        is_set = False
        for glyph in glyphs:
            if glyph.right <= glyph.left or not _is_in(grid, glyph):
                rest.append(glyph)
            elif not is_set:
                is_set = True
                rest += (LINE_END, Glyph("", *grid.box, table=table), LINE_END)
        glyphs, values = rest, [value for value in values if not _is_in(grid, value.box)]
    return glyphs, values, doubtful


def _is_in(grid: Grid, thing: Glyph | Box) -> bool:
    return grid.cell_at((thing.left + thing.right) / 2, (thing.top + thing.bottom) / 2) is not None
