"""Reads the shapes of a page: strokes that may be rules of a table, filled areas, pictures."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pypdfium2.raw as c

from workers.ingest.reading.pdf.frame import FileBox

_MOST_OBJECTS = 30_000  # looked at on a page: a map or a plot may have more, a table has not
_MOST_SEGMENTS = 2_000  # of a path
_MOST_AREAS = 1_000  # kept of a page; white words are compared with each
_DEEPEST = 4  # forms within forms
_THICKEST = 2.5  # points; a stroke that rules a table
_SHORTEST_ACROSS, _SHORTEST_DOWN = 8.0, 5.0  # points
_SMALLEST_SIDE = 6.0  # points; of a frame around a cell
_NEARLY_WHITE = 250  # of 255, in each colour
_DARKEST_WHITE = 225  # of 255: on anything darker white letters can be read
_SMALLEST_PICTURE = 24.0  # points a side; smaller ones are bullets and marks
_CORNERS = range(3, 7)  # segments of a rectangle


class Matrix(NamedTuple):
    """A matrix of PDF: x' = a x + c y + e, y' = b x + d y + f."""

    a: float = 1.0
    b: float = 0.0
    c: float = 0.0
    d: float = 1.0
    e: float = 0.0
    f: float = 0.0

    def after(self, first: Matrix) -> Matrix:
        """Return the matrix that applies `first`, then this one."""
        return Matrix(
            first.a * self.a + first.b * self.c,
            first.a * self.b + first.b * self.d,
            first.c * self.a + first.d * self.c,
            first.c * self.b + first.d * self.d,
            first.e * self.a + first.f * self.c + self.e,
            first.e * self.b + first.f * self.d + self.f,
        )

    def point(self, x: float, y: float) -> tuple[float, float]:
        """Return the transformed point."""
        return self.a * x + self.c * y + self.e, self.b * x + self.d * y + self.f

    def box(self, box: FileBox) -> FileBox:
        """Return the bounding box of the transformed rectangle."""
        corners = [self.point(x, y) for x in (box.left, box.right) for y in (box.bottom, box.top)]
        across, up = zip(*corners, strict=True)
        return FileBox(min(across), min(up), max(across), max(up))


@dataclass(slots=True)
class PageShapes:
    """Shapes drawn on a page, in the file's coordinates."""

    strokes: list[FileBox] = field(default_factory=list)  # thin
    frames: list[FileBox] = field(default_factory=list)  # rectangles, each of whose edges may rule a table
    dark: list[FileBox] = field(default_factory=list)  # on which white letters can be read
    pictures: list[FileBox] = field(default_factory=list)


def page_shapes(page: Any) -> PageShapes:
    """Return the shapes on a page; only the first objects of a page with very many."""
    shapes = PageShapes()
    for drawn, kind, matrix in _objects(page):
        if kind == c.FPDF_PAGEOBJ_PATH:
            _add_path(shapes, drawn, matrix)
        elif (box := _bounds(drawn, matrix)) is not None:
            side = min(box.right - box.left, box.top - box.bottom)
            _add_dark(shapes, box)
            if (
                kind == c.FPDF_PAGEOBJ_IMAGE
                and side >= _SMALLEST_PICTURE
                and len(shapes.pictures) < _MOST_AREAS
            ):
                shapes.pictures.append(box)
    return shapes


def _add_dark(shapes: PageShapes, box: FileBox) -> None:
    if min(box.right - box.left, box.top - box.bottom) >= _SMALLEST_SIDE and len(shapes.dark) < _MOST_AREAS:
        shapes.dark.append(box)


def _objects(page: Any) -> Iterator[tuple[Any, int, Matrix]]:
    """Yield the paths, pictures and shadings of a page and of the forms on it."""
    looked_at = 0
    waiting: list[tuple[Any, Matrix, int]] = [(None, Matrix(), 0)]
    while waiting:
        form, matrix, depth = waiting.pop()
        count = c.FPDFFormObj_CountObjects(form) if form else c.FPDFPage_CountObjects(page)
        for index in range(max(count, 0)):
            looked_at += 1
            if looked_at > _MOST_OBJECTS:
                return
            drawn = c.FPDFFormObj_GetObject(form, index) if form else c.FPDFPage_GetObject(page, index)
            kind = c.FPDFPageObj_GetType(drawn)
            if kind == c.FPDF_PAGEOBJ_FORM and depth < _DEEPEST:
                waiting.append((drawn, matrix.after(_matrix(drawn)), depth + 1))
            elif kind in (c.FPDF_PAGEOBJ_PATH, c.FPDF_PAGEOBJ_IMAGE, c.FPDF_PAGEOBJ_SHADING):
                yield drawn, kind, matrix


def _matrix(drawn: Any) -> Matrix:
    matrix = c.FS_MATRIX()
    if not c.FPDFPageObj_GetMatrix(drawn, matrix):
        return Matrix()
    return Matrix(matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f)


def _bounds(drawn: Any, matrix: Matrix) -> FileBox | None:
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    if not c.FPDFPageObj_GetBounds(drawn, left, bottom, right, top):
        return None
    return matrix.box(FileBox(left.value, bottom.value, right.value, top.value))


def _add_path(shapes: PageShapes, path: Any, matrix: Matrix) -> None:
    filled, is_stroked = ctypes.c_int(), ctypes.c_int()
    c.FPDFPath_GetDrawMode(path, filled, is_stroked)
    brightness = _brightness(path) if filled.value else 255
    if not is_stroked.value and (not filled.value or brightness >= _NEARLY_WHITE):
        return
    box = _bounds(path, matrix)
    if box is None:
        return
    segments = c.FPDFPath_CountSegments(path)
    width, height = box.right - box.left, box.top - box.bottom
    if min(width, height) <= _THICKEST:
        _add_stroke(shapes, box)
        return
    if (filled.value and brightness < _DARKEST_WHITE) or (is_stroked.value and segments == 2):  # noqa: PLR2004
        _add_dark(shapes, box)  # filled, or one thick line
    if segments in _CORNERS and min(width, height) >= _SMALLEST_SIDE:
        shapes.frames.append(box)
    elif segments <= _MOST_SEGMENTS:
        _add_segments(shapes, path, segments, matrix.after(_matrix(path)))


def _brightness(path: Any) -> int:
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    if not c.FPDFPageObj_GetFillColor(path, red, green, blue, alpha):
        return 0
    return min(red.value, green.value, blue.value) if alpha.value else 255


def _add_stroke(shapes: PageShapes, box: FileBox) -> None:
    if box.right - box.left >= _SHORTEST_ACROSS or box.top - box.bottom >= _SHORTEST_DOWN:
        shapes.strokes.append(box)


def _add_segments(shapes: PageShapes, path: Any, segments: int, matrix: Matrix) -> None:
    """Add the straight lines of a path that draws many of them at once."""
    x, y = ctypes.c_float(), ctypes.c_float()
    start = last = (0.0, 0.0)
    for index in range(segments):
        segment = c.FPDFPath_GetPathSegment(path, index)
        c.FPDFPathSegment_GetPoint(segment, x, y)
        kind = c.FPDFPathSegment_GetType(segment)
        here = matrix.point(x.value, y.value)
        if kind == c.FPDF_SEGMENT_MOVETO:
            start = here
        elif kind == c.FPDF_SEGMENT_LINETO:
            _add_line(shapes, last, here)
        last = here
        if c.FPDFPathSegment_GetClose(segment):
            _add_line(shapes, here, start)
            last = start


def _add_line(shapes: PageShapes, one: tuple[float, float], other: tuple[float, float]) -> None:
    (left, right), (bottom, top) = sorted((one[0], other[0])), sorted((one[1], other[1]))
    if min(right - left, top - bottom) <= 1:
        _add_stroke(shapes, FileBox(left, bottom, right, top))
