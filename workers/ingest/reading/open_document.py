"""Reads OpenDocument texts: headings, lists, tables and notes (OpenDocument 1.3, part 3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from lxml import etree

from workers.ingest.reading.blocks import (
    Block,
    Cell,
    FileBytes,
    Quality,
    Reading,
    UnreadableError,
    count_signs,
    in_sections,
    packed,
)
from workers.ingest.reading.docx.line import Line
from workers.ingest.reading.docx.names import number
from workers.ingest.reading.docx.package import Package
from workers.ingest.reading.docx.tables import COLUMNS
from workers.ingest.reading.loose_parts import attribute, words_of
from workers.ingest.reading.numerals import letters, roman

_Element = etree._Element  # noqa: SLF001 - lxml names the type of its elements so
_MOST_BLANKS = 1_000
_DEEPEST = 60  # lists and tables within one another
_FORMS: dict[str, Callable[[int], str]] = {
    "a": letters,
    "A": lambda count: letters(count).upper(),
    "i": roman,
    "I": lambda count: roman(count).upper(),
}
_UNREAD = frozenset(
    ("tracked-changes", "annotation-end", "sequence-decls", "forms", "ruby-text", "soft-page-break", "number")
)


MAPS_FILE = True


def read(data: FileBytes, options: dict[str, str]) -> Reading:  # noqa: ARG001 - all readers take options
    """Read an .odt file with tracked changes accepted; notes and comments follow their paragraph.

    Raises:
        UnreadableError: it has no text, or one that is broken or too large.
    """
    package = Package(data)
    root = package.part("content.xml")
    body = None if root is None else next(root.iter("{*}text"), None)
    if root is None or body is None:
        raise UnreadableError("not an .odt, whatever its name says: it has no text")
    styles = [part for part in (package.part("styles.xml"), root) if part is not None]
    story = _Story(_raised(styles), _numbered(styles), _outline(styles))
    blocks = list(in_sections(story.blocks(body, 0), counts_paragraphs=True))
    properties = package.part("meta.xml")
    stated = None if properties is None else next(properties.iter("{*}title"), None)
    title = "" if stated is None else words_of(stated)
    return Reading(blocks, title, +(story.left_out + package.broken), Quality(signs=count_signs(blocks)))


def _raised(parts: list[_Element]) -> dict[str, str]:
    """Return which styles raise or lower their text."""
    styles: dict[str, str] = {}
    for properties in (found for part in parts for found in part.iter("{*}text-properties")):
        position = attribute(properties, "text-position").split(" ")[0]
        style = properties.getparent()
        if position and style is not None:
            is_level = position.startswith("0")
            down = position == "sub" or position.startswith("-")
            styles[attribute(style, "name")] = "" if is_level else "subscript" if down else "superscript"
    return styles


def _numbered(parts: list[_Element]) -> dict[tuple[str, int], _Element]:
    """Return how the lists of a style number their items, by style and level; without those of bullets."""
    return {
        (attribute(style, "name"), number(attribute(level, "level"), 1)): level
        for part in parts
        for style in part.iter("{*}list-style")
        for level in style.iterchildren("{*}list-level-style-number")
    }


def _outline(parts: list[_Element]) -> dict[int, _Element]:
    """Return how headings are numbered, by level."""
    levels = (level for part in parts for level in part.iter("{*}outline-level-style"))
    return {number(attribute(level, "level"), 1): level for level in levels if attribute(level, "num-format")}


def _name(element: _Element | None) -> str:
    return str(etree.QName(element).localname) if element is not None and isinstance(element.tag, str) else ""


class _Story:
    def __init__(
        self,
        raised: dict[str, str],
        numbered: dict[tuple[str, int], _Element],
        outline: dict[int, _Element],
    ) -> None:
        self._raised, self._numbered, self._outline = raised, numbered, outline
        self._headings: dict[int, int] = {}  # count of headings, by level
        self._counts: dict[tuple[str, int], int] = {}
        self._notes: list[Block] = []
        self.left_out: Counter[str] = Counter()

    def blocks(self, parent: _Element, depth: int) -> Iterator[Block]:
        """Yield the blocks of a part, each followed by what its notes say."""
        for element in parent if depth < _DEEPEST else ():
            kind = _name(element)
            if kind == "h":
                level = number(attribute(element, "outline-level"), 1)
                yield from self._line(element, "heading", level, self._heading_label(element, level))
            elif kind == "p":
                yield from self._line(element, "paragraph")
            elif kind == "list":
                yield from self._list(element, 1, depth)
            elif kind == "table":
                yield from self._table(element, depth)
            elif kind not in _UNREAD:  # a section, an index, a frame
                yield from self.blocks(element, depth + 1)

    def _line(self, element: _Element, kind: str, level: int = 0, label: str = "") -> Iterator[Block]:
        line = Line()
        self._add(element, line, "", 0)
        text = line.text()
        if text:
            yield Block(kind, " ".join(text.split()) if kind == "heading" else text, level, label)  # type: ignore[arg-type] # one of the kinds
        yield from self._notes
        self._notes = []

    def _heading_label(self, element: _Element, level: int) -> str:
        """Return the number of a heading, with those of the levels above that its style shows: "2.1"."""
        form = self._outline.get(level)
        if form is None or attribute(element, "is-list-header") == "true" or not words_of(element):
            return ""
        start = number(attribute(form, "start-value"), 1)
        self._headings = {at: count for at, count in self._headings.items() if at <= level}
        self._headings[level] = self._headings.get(level, start - 1) + 1
        shown = range(level - min(number(attribute(form, "display-levels"), 1), level) + 1, level + 1)
        counts = [
            _FORMS.get(attribute(self._outline[at], "num-format"), str)(self._headings.get(at, 1))
            for at in shown
            if at in self._outline
        ]
        return f"{attribute(form, 'num-prefix')}{'.'.join(counts)}{attribute(form, 'num-suffix')}".strip()

    def _list(self, element: _Element, level: int, depth: int, style: str = "") -> Iterator[Block]:
        if depth >= _DEEPEST:
            return
        style = attribute(element, "style-name") or style
        form = self._numbered.get((style, level))
        goes_on = level == 1 and (
            attribute(element, "continue-numbering") == "true" or attribute(element, "continue-list")
        )
        if form is not None and not goes_on:
            self._counts[style, level] = number(attribute(form, "start-value"), 1) - 1
        for item in element:
            label = ""
            for part in item:
                if _name(part) == "list":
                    yield from self._list(part, level + 1, depth + 1, style)
                elif _name(part) in ("p", "h"):
                    if label or _name(item) == "list-header":
                        yield from self._line(part, "paragraph")
                        continue
                    label = (
                        "-"
                        if form is None
                        else self._label(style, level, form, attribute(item, "start-value"))
                    )
                    yield from self._line(part, "item", level, label)

    def _label(self, style: str, level: int, form: _Element, start: str) -> str:
        before = self._counts.get((style, level), 0)
        self._counts[style, level] = number(start, before + 1) if start else before + 1
        count = _FORMS.get(attribute(form, "num-format"), str)(self._counts[style, level])
        return f"{attribute(form, 'num-prefix')}{count}{attribute(form, 'num-suffix')}".strip()

    def _table(self, table: _Element, depth: int) -> Iterator[Block]:
        cells: list[Cell] = []
        heads, rows = (
            0,
            [row for row in table.iter("{*}table-row") if next(row.iterancestors("{*}table")) is table],
        )
        for count, row in enumerate(rows):
            heads += _name(row.getparent()) == "table-header-rows"
            column = 0
            for cell in row:
                if _name(cell) not in ("table-cell", "covered-table-cell"):
                    continue
                inner = self.blocks(cell, depth + 1)
                text = " ".join(one.text or " ".join(said.text for said in one.cells) for one in inner)
                columns, reaches = (
                    number(attribute(cell, f"number-{kind}-spanned"), 1) for kind in ("columns", "rows")
                )
                for _again in range(
                    min(number(attribute(cell, "number-columns-repeated"), 1), COLUMNS - column)
                ):
                    if text:
                        cells.append(
                            Cell(
                                count,
                                column,
                                text,
                                min(reaches, len(rows) - count),
                                min(columns, COLUMNS - column),
                            )
                        )
                    column += 1
        if cells:
            yield Block("table", cells=packed(cells), head_rows=heads)

    def _add(self, element: _Element, line: Line, raised: str, depth: int) -> None:
        """Add the text of a paragraph to a line; its notes are held back until it ends."""
        if depth > _DEEPEST:
            return
        line.add(element.text or "", raised)
        for part in element:
            kind = _name(part)
            if kind == "s":
                line.add(" " * min(number(attribute(part, "c"), 1), _MOST_BLANKS), raised)
            elif kind in ("tab", "line-break"):
                line.add("\n" if kind == "line-break" else " ", raised)
            elif kind == "note":
                citation = next(part.iterchildren("{*}note-citation"), None)
                mark = f"[{'' if citation is None else words_of(citation)}]"
                line.add(mark, raised)
                self._note(next(part.iterchildren("{*}note-body"), None), mark, depth)
            elif kind == "annotation":
                author = " ".join(map(words_of, part.iterchildren("{*}creator")))
                self._note(part, f"Comment by {author}:" if author else "Comment:", depth)
            elif kind == "image":
                self.left_out["picture"] += 1
            elif kind == "text-box":
                self._notes += self.blocks(part, depth + 1)
            elif kind and kind not in _UNREAD:
                self._add(part, line, self._raised.get(attribute(part, "style-name"), raised), depth + 1)
            line.add(part.tail or "", raised)

    def _note(self, body: _Element | None, label: str, depth: int) -> None:
        texts = [block.text for block in self.blocks(body, depth + 1)] if body is not None else []
        if any(texts):
            self._notes.append(Block("note", " ".join(texts), label=label))
