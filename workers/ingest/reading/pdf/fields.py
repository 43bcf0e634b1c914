"""Reads what lies on a page beside its text in the file: values of form fields, texts typed onto it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pypdfium2.raw as c

from workers.ingest.reading.blocks import Box
from workers.ingest.reading.pdf.frame import FileBox, Frame
from workers.ingest.reading.pdf.glyphs import BLANK, LINE_END, Glyph
from workers.ingest.reading.pdf.lines import Line, Word

CHECKED = "[x]"
_MOST_ANNOTATIONS = 1_000  # of a page; each is compared with each line
_LONGEST = 20_000  # bytes of a value
_TALLEST_LETTER = 12.0  # points; a value in a high field is written in letters of a usual size
_HIDDEN = 1 << 1  # flag of an annotation
_BESIDE = (
    3.0  # points to the right of a field count as that many for a label, points to the left as their part
)
_NEAR = 5.0  # times the size of a value's letters that a label is above or below its field
_WITHOUT_COMMENT = frozenset((c.FPDF_ANNOT_LINK, c.FPDF_ANNOT_POPUP, c.FPDF_ANNOT_FILEATTACHMENT))
_BUTTONS = (c.FPDF_FORMFIELD_CHECKBOX, c.FPDF_FORMFIELD_RADIOBUTTON)


class FieldValue(NamedTuple):
    """The value filled into a field, and its place on the upright page."""

    text: str
    box: Box

    @property
    def line(self) -> Line:
        """The value as a separate line."""
        return Line(self.text, *self.box, self.size, words=[Word(self.text, self.box.left, self.box.right)])

    @property
    def size(self) -> float:
        """The size of its letters, in points."""
        return max(4.0, min(self.box.bottom - self.box.top, _TALLEST_LETTER))


@dataclass(slots=True)
class Annotations:
    """Annotations of a page."""

    values: list[FieldValue] = field(default_factory=list)  # of its fields, from top to bottom
    texts: list[FieldValue] = field(default_factory=list)  # typed onto it
    comments: int = 0  # behind marks and notes, to be opened


def annotations_of(page: Any, form: Any, frame: Frame) -> Annotations:
    """Return the filled fields of a page and the texts on it.

    Args:
        page: pdfium's handle of the page.
        form: pdfium's handle of the document's form; None if it has none, though a page may have fields.
        frame: frame of the page.
    """
    found = Annotations()
    for index in range(min(c.FPDFPage_GetAnnotCount(page), _MOST_ANNOTATIONS)):
        annotation = c.FPDFPage_GetAnnot(page, index)
        if not annotation:
            continue
        try:
            if not c.FPDFAnnot_GetFlags(annotation) & _HIDDEN:
                _add(found, annotation, form, frame)
        finally:
            c.FPDFPage_CloseAnnot(annotation)
    found.values.sort(key=lambda value: (value.box.top, value.box.left))
    return found


def _add(found: Annotations, annotation: Any, form: Any, frame: Frame) -> None:
    kind = c.FPDFAnnot_GetSubtype(annotation)
    text = _value(annotation, form) if kind == c.FPDF_ANNOT_WIDGET else _string(annotation, b"Contents")
    text = " ".join(text.split())
    bounds = c.FS_RECTF()
    if not text or not c.FPDFAnnot_GetRect(annotation, bounds):
        return
    value = FieldValue(text, frame.upright(FileBox(bounds.left, bounds.bottom, bounds.right, bounds.top)))
    if kind == c.FPDF_ANNOT_WIDGET:
        found.values.append(value)
    elif kind == c.FPDF_ANNOT_FREETEXT:
        found.texts.append(value)
    elif kind not in _WITHOUT_COMMENT:
        found.comments += 1


def _value(annotation: Any, form: Any) -> str:
    kind = c.FPDFAnnot_GetFormFieldType(form, annotation) if form else None
    if kind in _BUTTONS:
        return CHECKED if c.FPDFAnnot_IsChecked(form, annotation) else ""
    if kind == c.FPDF_FORMFIELD_PUSHBUTTON:
        return ""
    value = _string(annotation, b"V").strip()
    if not form and value in {"Off", "Yes"}:  # without a form nothing else tells a box from a text
        return CHECKED if value == "Yes" else ""
    if not value and form:
        value = _text(lambda buffer, size: c.FPDFAnnot_GetFormFieldValue(form, annotation, buffer, size))
    return value


def _string(annotation: Any, key: bytes) -> str:
    return _text(lambda buffer, size: c.FPDFAnnot_GetStringValue(annotation, key, buffer, size))


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


def add_to_lines(found: Annotations, lines: list[Line]) -> None:
    """Add form values after the lines that label them, check marks before theirs, and loose texts at the end.

    The line that names a field stands on its height, or next above it. A value that is written there already,
    as in a form that was flattened, is not said again.
    """
    plain = [line for line in lines if line.is_plain and line.words]
    for value in found.values:
        near = [line for line in plain if abs(line.top - value.box.top) < _NEAR * value.size]
        if value.text != CHECKED and any(value.text in line.text for line in near):
            continue
        label = _label(value, near)
        if label is None:
            lines.append(value.line)
        elif value.text == CHECKED:
            label.left -= label.size / 2
            label.words.insert(0, Word(CHECKED, label.left, label.left + label.size / 4))
        else:
            if not label.text.endswith((":", ".", "_", "?")):
                label.words[-1] = label.words[-1]._replace(text=f"{label.words[-1].text}:")
            label.words.append(Word(value.text, label.right + label.size / 4, label.right + label.size / 2))
            label.right += label.size / 2
        if label is not None:
            label.fields.append(value.box)
            label.text = " ".join(word.text for word in label.words)
    lines += [text.line for text in found.texts]


def _label(value: FieldValue, lines: Sequence[Line]) -> Line | None:
    """Return the line that names a field; None if none is near."""
    left, top, _, bottom = value.box
    middle = (top + bottom) / 2
    if value.text == CHECKED:
        beside = [line for line in lines if line.top < middle < line.bottom and line.left >= left]
        if beside:
            return min(beside, key=lambda line: line.left)

    def distance(line: Line) -> float:
        down = abs((line.top + line.bottom) / 2 - middle)
        behind = max(0.0, line.left - left - line.size)
        return down + _BESIDE * behind + max(0.0, left - line.right) / _BESIDE

    return min(lines, key=distance, default=None)
