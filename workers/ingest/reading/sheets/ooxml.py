"""Reads from Office Open XML workbooks what calamine does not: extents, units of numbers, comments."""

from __future__ import annotations

import io
from collections import Counter
from dataclasses import dataclass, field

from lxml import etree

from workers.core.cell_names import position
from workers.ingest.reading.blocks import FileBytes
from workers.ingest.reading.docx.names import Element, below, is_on, name, number
from workers.ingest.reading.docx.package import Package
from workers.ingest.reading.sheets.values import NumberFormat, number_format

_CELL, _ROW, _FORMULA = name("s:c"), name("s:row"), name("s:f")
_VALUES = frozenset((name("s:v"), name("s:is")))
_PLACEHOLDER = "[Threaded comment]"  # what old programs show of one


@dataclass(slots=True)
class SheetPart:
    """The contents of a sheet apart from its values. Rows and columns count from 0, except in comments."""

    bottom: int = 0  # behind the last cell with a value
    right: int = 0
    formats: dict[tuple[int, int], NumberFormat] = field(default_factory=dict)
    bold: set[int] = field(default_factory=set)  # rows whose cells are all bold
    # First and last cell of each range, where calamine does not name them.
    merged: list[tuple[tuple[int, int], tuple[int, int]]] = field(default_factory=list)
    unvalued: int = 0  # formulas that no program has calculated
    errors: int = 0  # "#N/A", "#DIV/0!"
    comments: list[tuple[int, int, str, str]] = field(
        default_factory=list
    )  # row and column from 1, author, text


def title_of(data: FileBytes) -> str:
    """Return the title in a workbook's properties."""
    return Package(data).title()


def sheet_parts(data: FileBytes, left_out: Counter[str]) -> dict[str, SheetPart]:
    """Return the parts of a workbook's sheets by name.

    Raises:
        UnreadableError: a part is too large.
    """
    package = Package(data)
    workbook = package.part(package.main)
    if workbook is None:
        return {}
    relations = package.relations(package.main)
    styles = _Styles(package.related(package.main, "styles"))
    persons = {
        person.get("id", ""): person.get("displayName", "")
        for person in _children(package.related(package.main, "person"), "tc:person")
    }
    parts = {}
    for sheet in _children(below(workbook, "s:sheets"), "s:sheet"):
        relation = relations.get(sheet.get(name("r:id"), ""))
        content = package.content(relation.target) if relation else None
        if relation is not None and content is not None:
            part = _sheet_part(content, styles)
            part.comments = _comments(package, relation.target, persons)
            parts[sheet.get("name", "")] = part
    if pictures := package.count("xl/media/"):
        left_out["picture"] += pictures
    return parts


def _children(element: Element | None, short: str) -> list[Element]:
    return [] if element is None else list(element.iterchildren(name(short)))


class _Styles:
    """The formats to which cells refer by number."""

    def __init__(self, root: Element | None) -> None:
        codes = {
            form.get("numFmtId", ""): form.get("formatCode", "")
            for form in _children(below(root, "s:numFmts"), "s:numFmt")
        }
        fonts = [is_on(below(font, "s:b")) for font in _children(below(root, "s:fonts"), "s:font")]
        self.formats: list[NumberFormat | None] = []
        self.bold: list[bool] = []
        for style in _children(below(root, "s:cellXfs"), "s:xf"):
            known = style.get("numFmtId", "0")
            font = number(style.get("fontId"))
            self.formats.append(number_format(codes.get(known, known)))
            self.bold.append(font < len(fonts) and fonts[font])


def _sheet_part(content: bytes, styles: _Styles) -> SheetPart:
    part = SheetPart()
    row, column, valued, bold = -1, -1, 0, 0
    found = etree.iterparse(
        io.BytesIO(content), tag=(_CELL, _ROW), resolve_entities=False, no_network=True, load_dtd=False
    )
    try:
        for _event, element in found:
            if element.tag == _ROW:
                row = number(element.get("r"), row + 2) - 1
                if valued and valued == bold:
                    part.bold.add(row)
                column, valued, bold = -1, 0, 0
                element.clear()
                while element.getprevious() is not None:
                    del element.getparent()[0]
                continue
            at = position(element.get("r", ""))
            cell_row, column = (at[0] - 1, at[1] - 1) if at else (row + 1, column + 1)
            tags = {child.tag for child in element}
            if not tags & _VALUES:
                part.unvalued += _FORMULA in tags
                continue
            if element.get("t") == "e":
                part.errors += 1
                continue
            valued += 1
            part.bottom, part.right = max(part.bottom, cell_row + 1), max(part.right, column + 1)
            style = number(element.get("s"))
            if style < len(styles.formats):
                bold += styles.bold[style]
                if form := styles.formats[style]:
                    part.formats[cell_row, column] = form
    except etree.XMLSyntaxError:
        pass  # calamine says what is wrong
    return part


def _comments(package: Package, part: str, persons: dict[str, str]) -> list[tuple[int, int, str, str]]:
    """Return the comments of a sheet, in threads with their authors."""
    threads = package.related(part, "threadedComment")
    notes = package.related(part, "comments")
    authors = [_text(author) for author in _children(below(notes, "s:authors"), "s:author")]
    said = [
        (note.get("ref", ""), persons.get(note.get("personId", ""), ""), below(note, "tc:text"))
        for note in _children(threads, "tc:threadedComment")
    ]
    for note in _children(below(notes, "s:commentList"), "s:comment"):
        by = number(note.get("authorId"), len(authors))
        said.append((note.get("ref", ""), authors[by] if by < len(authors) else "", below(note, "s:text")))
    found = []
    for reference, author, element in said:
        text = _text(element)
        at = position(reference)
        if at and text and not text.startswith(_PLACEHOLDER):
            who = "" if author.startswith("tc=") else author
            found.append((*at, who, text.removeprefix(f"{author}:").strip()))
    return sorted(found, key=lambda comment: comment[:2])


def _text(element: Element | None) -> str:
    return " ".join("".join(map(str, element.itertext())).split()) if element is not None else ""
