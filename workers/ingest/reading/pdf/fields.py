"""Reads the values of filled form fields, which stand beside a page's text in the file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import pypdfium2.raw as c

from workers.ingest.reading.blocks import Box
from workers.ingest.reading.pdf.frame import FileBox, Frame
from workers.ingest.reading.pdf.glyphs import BLANK, LINE_END, Glyph
from workers.ingest.reading.pdf.lines import Line, Word

CHECKED = "[x]"
_MOST_FIELDS = 5_000  # of a page
_LONGEST = 20_000  # bytes of a value
_TALLEST_LETTER = 12.0  # points; a value in a high field is written in letters of a usual size
_HIDDEN = 1 << 1  # flag of an annotation
_BESIDE = (
    3.0  # points to the right of a field count as that many for a label, points to the left as their part
)
_NEAR = 3.0  # times the size of a value's letters
_BUTTONS = (c.FPDF_FORMFIELD_CHECKBOX, c.FPDF_FORMFIELD_RADIOBUTTON)


class FieldValue(NamedTuple):
    """What is filled into a field, and where it is on the upright page."""

    text: str
    box: Box

    @property
    def size(self) -> float:
        """Of its letters, in points."""
        return max(4.0, min(self.box.bottom - self.box.top, _TALLEST_LETTER))


def field_values(page: Any, form: Any, frame: Frame) -> list[FieldValue]:
    """Return the filled fields of a page, from top to bottom.

    Args:
        page: pdfium's handle of the page.
        form: pdfium's handle of the document's form; None if it has none, though a page may have fields.
        frame: of the page.
    """
    found: list[FieldValue] = []
    for index in range(min(c.FPDFPage_GetAnnotCount(page), _MOST_FIELDS)):
        annotation = c.FPDFPage_GetAnnot(page, index)
        if not annotation:
            continue
        try:
            is_field = c.FPDFAnnot_GetSubtype(annotation) == c.FPDF_ANNOT_WIDGET
            if not is_field or c.FPDFAnnot_GetFlags(annotation) & _HIDDEN:
                continue
            value = " ".join(_value(annotation, form).split())
            bounds = c.FS_RECTF()
            if value and c.FPDFAnnot_GetRect(annotation, bounds):
                box = FileBox(bounds.left, bounds.bottom, bounds.right, bounds.top)
                found.append(FieldValue(value, frame.upright(box)))
        finally:
            c.FPDFPage_CloseAnnot(annotation)
    return sorted(found, key=lambda value: (value.box.top, value.box.left))


def _value(annotation: Any, form: Any) -> str:
    kind = c.FPDFAnnot_GetFormFieldType(form, annotation) if form else None
    if kind in _BUTTONS:
        return CHECKED if c.FPDFAnnot_IsChecked(form, annotation) else ""
    if kind == c.FPDF_FORMFIELD_PUSHBUTTON:
        return ""
    value = _text(lambda buffer, size: c.FPDFAnnot_GetStringValue(annotation, b"V", buffer, size)).strip()
    if not form and value in {"Off", "Yes"}:  # without a form nothing else tells a box from a text
        return CHECKED if value == "Yes" else ""
    if not value and form:
        value = _text(lambda buffer, size: c.FPDFAnnot_GetFormFieldValue(form, annotation, buffer, size))
    return value


def _text(ask: Callable[[Any, int], int]) -> str:
    """Return a text of pdfium's, which is asked for its size first."""
    size = min(ask(None, 0), _LONGEST)
    if size <= 2:  # noqa: PLR2004 - the zero at its end
        return ""
    buffer = (c.FPDF_WCHAR * (size // 2))()
    ask(buffer, size)
    return bytes(buffer)[: size - 2].decode("utf-16-le", "replace")


def value_glyphs(values: Sequence[FieldValue]) -> Iterator[Glyph]:
    """Yield values as if they were written into their fields, for tables that have fields in their cells."""
    for value in values:
        (text, box), size = value, value.size
        step = min(size / 2, (box.right - box.left) / max(1, len(text)))
        middle = (box.top + box.bottom) / 2
        yield LINE_END
        for number, sign in enumerate(text):
            left = box.left + number * step
            yield (
                BLANK if sign == " " else Glyph(sign, left, middle - size / 2, left + step, middle + size / 2)
            )


def add_to_lines(values: Sequence[FieldValue], lines: list[Line]) -> None:
    """Put each value behind the line that names its field, and each check mark before its own.

    The line that names a field stands on its height, or next above it. A value that is written there already,
    as in a form that was flattened, is not said again.
    """
    for value in values:
        text, box = value
        middle = (box.top + box.bottom) / 2

        def distance(line: Line, box: Box = box, middle: float = middle) -> float:
            down = abs((line.top + line.bottom) / 2 - middle)
            behind = max(0.0, line.left - box.left - line.size)
            return down + _BESIDE * behind + max(0.0, box.left - line.right) / _BESIDE

        plain = [line for line in lines if line.is_plain and line.words]
        near = [line for line in plain if abs(line.top - box.top) < _NEAR * value.size]
        if text != CHECKED and any(text in line.text for line in near):
            continue
        if text == CHECKED:
            beside = [line for line in near if line.top < middle < line.bottom and line.left >= box.left]
            label = min(beside, key=lambda line: line.left, default=None) or min(
                plain, key=distance, default=None
            )
            if label is not None:
                label.words.insert(0, Word(CHECKED, box.left, box.right))
                label.left = min(label.left, box.left)
                _set_text(label)
                continue
        label = min(plain, key=distance, default=None)
        if label is None:
            lines.append(Line(text, *box, value.size, words=[Word(text, box.left, box.right)]))
            continue
        if not label.text.endswith((":", ".", "_", "?")):
            label.words[-1] = label.words[-1]._replace(text=f"{label.words[-1].text}:")
        width = min(box.right - box.left, len(text) * value.size / 2)
        label.words.append(Word(text, box.left, box.left + width))
        _set_text(label)
        label.right = max(label.right, box.left + width)


def _set_text(line: Line) -> None:
    line.text = " ".join(word.text for word in line.words)
