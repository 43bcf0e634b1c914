"""Reads one story of a Word document (its main text, a header, a note) into blocks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from workers.ingest.reading.blocks import Block
from workers.ingest.reading.docx.charts import chart_blocks, diagram_blocks
from workers.ingest.reading.docx.equations import latex
from workers.ingest.reading.docx.line import Line, in_unicode, symbol
from workers.ingest.reading.docx.names import Element, below, is_on, name, names, number, value
from workers.ingest.reading.docx.numbering import Numbering, numeral
from workers.ingest.reading.docx.package import Package
from workers.ingest.reading.docx.styles import Style, Styles
from workers.ingest.reading.docx.tables import Grid

_NOT_A_HEADING = 9  # the outline level of plain text
# What is walked through as if it were not there, and what an accepted document no longer holds.
_WRAPPERS = names(
    "w:sdt w:sdtContent w:customXml w:smartTag w:hyperlink w:ins w:moveTo w:dir w:bdo w:rubyBase"
)
_DELETED, _MOVED_AWAY = name("w:del"), name("w:moveFrom")
_ALTERNATIVES = name("mc:AlternateContent")
_PARAGRAPH, _TABLE, _ROW, _CELL = name("w:p"), name("w:tbl"), name("w:tr"), name("w:tc")
_RUN, _TEXT, _RUBY, _SYMBOL = name("w:r"), name("w:t"), name("w:ruby"), name("w:sym")
_FIELD_PARTS, _SIMPLE_FIELD = names("w:fldChar w:instrText"), name("w:fldSimple")
_EQUATION, _EQUATIONS = name("m:oMath"), name("m:oMathPara")
_IMPORTED = names("w:altChunk w:subDoc")
_BESIDE_PARAGRAPHS = frozenset((_TABLE, _EQUATION, _EQUATIONS, *_IMPORTED))
_DRAWN = names("w:drawing w:pict w:object")
_PICTURES = names("a:blip v:imagedata")
_UNREAD = {
    name("o:OLEObject"): "embedded object",
    name("cx:chart"): "chart without values",  # waterfalls, treemaps and the like
}
_SIGNS = {
    name("w:tab"): " ",
    name("w:ptab"): " ",
    name("w:br"): "\n",
    name("w:cr"): "\n",
    name("w:noBreakHyphen"): "-",
}
_NOTES = {
    name("w:footnoteReference"): "footnotes",
    name("w:endnoteReference"): "endnotes",
    name("w:commentReference"): "comments",
}
_SOFT_HYPHEN = "\u00ad"  # shown at the end of a line alone
PAGE_NUMBER = "\x00"  # stands for one in what repeats on each page; no XML holds this sign
_PAGE_FIELDS = frozenset(("PAGE", "NUMPAGES", "SECTION", "SECTIONPAGES"))
_OPEN_FIELDS = 50  # at most within one another; Word itself takes 20
_CHECKED, _UNCHECKED = "☒", "☐"
_ROW_NAME = 80  # characters, at most, of a name that stands again above a table of the row
_PARAGRAPHS_OF_A_CELL = 2  # more of them in a table of one row, and the table is columns of a page
# Names of files, addresses, and what Word wrote itself tell nothing about a picture.
_SAYS_NOTHING = re.compile(
    r"\S+\.\w{3,4}|https?:\S*|.*(?:automatically generated|automatisch generiert|générée automatiquement|"
    r"generada automáticamente).*",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(slots=True)
class Reference:
    """A note or comment that a story refers to; its block waits for the text."""

    block: Block
    kind: str  # "footnotes", "endnotes" or "comments"
    identity: str


@dataclass(slots=True)
class Shared:
    """State that the stories of a document share."""

    package: Package
    styles: Styles
    numbering: Numbering
    note_forms: dict[str, str]  # by kind of note: the format of its numbers
    left_out: Counter[str] = field(default_factory=Counter)
    references: list[Reference] = field(default_factory=list)  # in the order of the text
    marks: dict[tuple[str, str], str] = field(default_factory=dict)  # by kind and id of a note
    counts: Counter[str] = field(default_factory=Counter)  # of notes, by kind
    drawn: set[str] = field(default_factory=set)  # parts of charts and diagrams that were read


@dataclass(slots=True)
class _Field:
    """An open field: its instruction, then its displayed result."""

    instruction: str = ""
    has_result: bool = False
    is_shown: bool = True


class Story:
    """One story of a document."""

    def __init__(self, shared: Shared, part: str, *, repeats: bool = False) -> None:
        """Open a part; if it `repeats` on each page, its page numbers become `PAGE_NUMBER`."""
        self._shared = shared
        self._relations = shared.package.relations(part)
        self._repeats = repeats
        self._fields: list[_Field] = []
        self._was_hidden = False  # the run before
        self.title = ""  # what stands first in the style Title
        self._is_titled = False

    def blocks(self, container: Element) -> Iterator[Block]:
        """Yield the contents of an element: paragraphs, tables, and objects anchored in them."""
        line, after = Line(), list[Block]()  # of paragraphs that run on, and what is anchored in them
        last: Element | None = None  # of them
        for child in self._opened(container):
            if child.tag == _PARAGRAPH:
                after += self._read_paragraph(child, line)
                if _runs_on(child):
                    last = child
                    continue
                yield from self._paragraph(child, line.text())
            elif child.tag in _BESIDE_PARAGRAPHS:
                yield from self._unended(last, line)
            else:
                continue
            yield from after
            line, after, last = Line(), [], None
            if child.tag == _TABLE:
                yield from self._table(child)
            elif child.tag in {_EQUATION, _EQUATIONS}:
                yield Block("paragraph", _dollars(child))
            elif child.tag in _IMPORTED:
                self._shared.left_out["imported document"] += 1
        yield from self._unended(last, line)
        yield from after

    def _unended(self, paragraph: Element | None, line: Line) -> Iterator[Block]:
        """Yield an unfinished paragraph if no paragraph follows that continues it."""
        if paragraph is not None and (text := line.text()):
            yield from self._paragraph(paragraph, text)

    def _opened(self, container: Element) -> Iterator[Element]:
        """Yield the children of an element in the accepted document, with wrappers opened."""
        waiting: list[Iterator[Element]] = [iter(container)]
        while waiting:
            child = next(waiting[-1], None)
            if child is None:
                waiting.pop()
            elif child.tag in _WRAPPERS:
                waiting.append(iter(child))
            elif child.tag == _ALTERNATIVES:
                waiting.append(_alternative(child))
            elif child.tag == _DELETED:
                self._shared.left_out["deleted passage"] += 1
            elif child.tag != _MOVED_AWAY:
                yield child

    def _paragraph(self, paragraph: Element, text: str) -> Iterator[Block]:
        properties = below(paragraph, "w:pPr")
        style = self._shared.styles.of_paragraph(properties)
        place = self._shared.numbering.place(properties, style)
        label = self._shared.numbering.count(*place) if place else ""  # an empty item counts, too
        if not text:
            return
        is_title = style.name == "title"
        outline = 0 if is_title else _outline(properties, style)
        if is_title and not self._is_titled:
            self.title = f"{self.title} {_one_line(text)}".strip()
        elif not is_title:
            self._is_titled = bool(self.title)
        if outline < _NOT_A_HEADING:
            yield Block("heading", _one_line(text), level=min(outline + 1, 6), label=label)
        elif place and label:
            yield Block("item", text, level=place[1] + 1, label=label)
        else:
            yield Block("caption" if style.name == "caption" else "paragraph", text)

    def _read_paragraph(self, paragraph: Element, line: Line) -> list[Block]:
        """Add a paragraph's text to a line; return its boxes, charts and notes."""
        style = self._shared.styles.of_paragraph(below(paragraph, "w:pPr"))
        after: list[Block] = []
        self._read_runs(paragraph, style, line, after)
        self._fields = [one for one in self._fields if one.has_result]
        return after

    def _read_runs(self, container: Element, style: Style, line: Line, after: list[Block]) -> None:
        for child in self._opened(container):
            if child.tag == _RUN:
                self._read_run(child, style, line, after)
            elif child.tag == _SIMPLE_FIELD and self._is_page_number(child.get(name("w:instr"), "")):
                line.add(PAGE_NUMBER)
            elif child.tag == _SIMPLE_FIELD:
                self._read_runs(child, style, line, after)
            elif child.tag in {_EQUATION, _EQUATIONS}:
                line.add(_dollars(child))
            elif child.tag in _IMPORTED:
                self._shared.left_out["imported document"] += 1

    def _read_run(self, run: Element, style: Style, line: Line, after: list[Block]) -> None:
        raised, font, is_hidden = self._look(below(run, "w:rPr"), style)
        self._shared.left_out["hidden part"] += is_hidden and not self._was_hidden
        self._was_hidden = is_hidden
        own_mark: Block | None = None  # the block of a note whose mark follows as text
        for child in self._opened(run):
            if child.tag in _FIELD_PARTS:
                self._read_field(child, line)
            elif is_hidden or not all(one.has_result and one.is_shown for one in self._fields):
                continue
            elif child.tag in _NOTES:
                own_mark = self._refer(child, line, after)
            elif child.tag in _DRAWN:
                after += self._drawn(child)
            elif child.tag == _RUBY:
                self._shared.left_out["reading beside characters"] += 1
                self._read_runs(child, style, line, after)
            elif (text := _text(child, font)).strip() and own_mark is not None:
                own_mark.label = f"[{text.strip()}]"
                line.add(own_mark.label)
                own_mark = None
            elif text:
                line.add(text, raised)

    def _look(self, properties: Element | None, style: Style) -> tuple[str, str, bool]:
        """Return a run's position (raised or lowered), font, and whether it is hidden."""
        if properties is None:
            return style.raised, "", style.is_hidden
        own = self._shared.styles.of_run(properties)
        hidden = below(properties, "w:vanish")
        fonts = below(properties, "w:rFonts")
        return (
            value(below(properties, "w:vertAlign"))
            or own.raised
            or style.raised
            or _shift(properties, style),
            "" if fonts is None else fonts.get(name("w:ascii"), ""),
            is_on(hidden) if hidden is not None else own.is_hidden or style.is_hidden,
        )

    def _read_field(self, part: Element, line: Line) -> None:
        last = self._fields[-1] if self._fields else _Field()
        match part.get(name("w:fldCharType")):
            case "begin":
                if len(self._fields) < _OPEN_FIELDS:
                    self._fields.append(_Field())
                line.add(_form_value(part))
            case "separate":
                last.has_result = True
                if self._is_page_number(last.instruction):
                    last.is_shown = False
                    line.add(PAGE_NUMBER)
            case "end" if self._fields:
                self._fields.pop()
            case None:
                last.instruction += part.text or ""

    def _is_page_number(self, instruction: str) -> bool:
        return self._repeats and instruction.strip().partition(" ")[0].upper() in _PAGE_FIELDS

    def _refer(self, reference: Element, line: Line, after: list[Block]) -> Block | None:
        """Add a note's mark to a line and queue its block; return the block if its mark is still to come."""
        kind, identity = _NOTES[reference.tag], reference.get(name("w:id"), "")
        marks = self._shared.marks
        is_new = (kind, identity) not in marks
        has_own_mark = reference.get(name("w:customMarkFollows")) in {"1", "true", "on"}
        if is_new:
            self._shared.counts[kind] += 1
            count = numeral(self._shared.counts[kind], self._shared.note_forms.get(kind, ""))
            marks[kind, identity] = f"[{count}]"
        block = Block("note", label=marks[kind, identity])
        if is_new:
            after.append(block)
            self._shared.references.append(Reference(block, kind, identity))
        if kind == "comments" or has_own_mark:
            return block if has_own_mark else None
        line.add(block.label)
        return None

    def _drawn(self, drawing: Element) -> list[Block]:
        """Return the boxes, charts and diagrams of a drawing, and the descriptions of its pictures."""
        blocks: list[Block] = []
        pictures, described = 0, ""
        for part in _drawn_parts(drawing):
            tag = part.tag
            if tag == name("w:txbxContent"):
                blocks += self.blocks(part)
            elif tag == name("c:chart"):
                blocks += self._related(part.get(name("r:id"), ""), chart_blocks, "chart without values")
            elif tag == name("dgm:relIds"):
                blocks += self._related(part.get(name("r:dm"), ""), diagram_blocks, "diagram without text")
            elif tag == name("v:textpath"):  # WordArt, watermarks
                blocks.append(Block("paragraph", _one_line(part.get("string", ""))))
            elif tag in _PICTURES:
                pictures += 1
            elif tag in _UNREAD:
                self._shared.left_out[_UNREAD[tag]] += 1
                pictures -= 1  # which is shown in its place
            described = described or (part.get("descr") or part.get("alt") or "").strip()
        if pictures > 0 and described and not _SAYS_NOTHING.fullmatch(described):
            blocks.append(Block("caption", _one_line(described), label="Picture:"))
        elif pictures > 0:
            self._shared.left_out["picture without text"] += pictures
        return blocks

    def _related(self, identity: str, read: Callable[[Element], list[Block]], otherwise: str) -> list[Block]:
        """Return the contents of a drawn part, only once however often it is drawn."""
        relation = self._relations.get(identity)
        part = relation.target if relation else ""
        if part in self._shared.drawn:
            return []
        self._shared.drawn.add(part)
        root = self._shared.package.part(part)
        blocks = [] if root is None else read(root)
        if not blocks:
            self._shared.left_out[otherwise] += 1
        return blocks

    def _kept(self, container: Element, tag: str, *deleted: str) -> list[Element]:
        """Return the rows of a table, or the cells of a row, without deleted ones."""
        return [one for one in self._opened(container) if one.tag == tag and below(one, *deleted) is None]

    def _table(self, table: Element) -> Iterator[Block]:
        rows = [
            (row, [(cell, [*self.blocks(cell)]) for cell in self._kept(row, _CELL, "w:tcPr", "w:cellDel")])
            for row in self._kept(table, _ROW, "w:trPr", "w:del")
        ]
        cells = [blocks for _, cells in rows for _, blocks in cells]
        grid = _grid(rows)
        if not any(cell.column for cell in grid.cells) or (len(rows) == 1 and any(map(_is_laid_out, cells))):
            for blocks in cells:  # a frame around paragraphs, or columns of a page
                yield from blocks
            return
        yield grid
        for _, of_row in rows:
            yield from _beside(of_row)


def _grid(rows: list[tuple[Element, list[tuple[Element, list[Block]]]]]) -> Block:
    """Return a table made from row and cell elements, without contents that are read separately."""
    grid = Grid()
    for row, cells in rows:
        grid.next_row(
            number(value(below(row, "w:trPr", "w:gridBefore"))),
            is_head=is_on(below(row, "w:trPr", "w:tblHeader")),
        )
        for cell, blocks in cells:
            _add_cell(grid, cell, _said(blocks))
    return grid.block()


def _beside(row: list[tuple[Element, list[Block]]]) -> Iterator[Block]:
    """Yield the tables and notes in a row's cells, which follow the table; tables under the row's name."""
    name = _said(row[0][1]) if row else ""
    for place, (_, blocks) in enumerate(row):
        for before, block in pairwise((None, *blocks)):
            if block is None or not _is_apart(block):
                continue
            is_first = before is None or not _is_apart(before)
            if place and is_first and block.kind == "table" and 0 < len(name) <= _ROW_NAME:
                yield Block("note", name)
            yield block


def _said(blocks: Iterable[Block]) -> str:
    """Return the contents of a cell on one line, without those that are read separately."""
    return flat(block for block in blocks if not _is_apart(block))


def _is_apart(block: Block) -> bool:
    """Return whether a block of a cell is placed after the cell's table, such as a table of several rows."""
    return block.kind == "note" or (block.kind == "table" and any(cell.row for cell in block.cells))


def flat(blocks: Iterable[Block]) -> str:
    """Return the text of blocks on one line, with their numbers; tables cell by cell."""
    texts = (
        part for block in blocks for part in (block.label, block.text, *(cell.text for cell in block.cells))
    )
    return _one_line(" ".join(filter(None, texts)))


def _add_cell(grid: Grid, cell: Element, text: str) -> None:
    properties = below(cell, "w:tcPr")
    if properties is None:
        grid.add(text, 1, goes_on=False, may_go_on=False)
        return
    merged = below(properties, "w:vMerge")
    across = below(properties, "w:hMerge")
    if across is not None and value(across) != "restart":
        grid.widen()
        return
    grid.add(
        text,
        number(value(below(properties, "w:gridSpan")), 1),
        goes_on=merged is not None and value(merged) != "restart",
        may_go_on=merged is not None,
    )


def _is_laid_out(blocks: list[Block]) -> bool:
    """Return whether a cell of a table's only row contains a layout: a heading, several paragraphs."""
    kinds = [block.kind for block in blocks]
    return "heading" in kinds or "table" in kinds or len(kinds) - kinds.count("note") > _PARAGRAPHS_OF_A_CELL


def _runs_on(paragraph: Element) -> bool:
    """Return whether a paragraph continues in the next one: its end was deleted, or it is a large initial."""
    mark = below(paragraph, "w:pPr", "w:rPr")
    frame = below(paragraph, "w:pPr", "w:framePr")
    is_initial = frame is not None and frame.get(name("w:dropCap"), "none") != "none"
    return is_initial or below(mark, "w:del") is not None or below(mark, "w:moveFrom") is not None


def _shift(properties: Element, style: Style) -> str:
    """Return how LibreOffice raises or lowers a text: small, and at a different height."""
    height, size = (number(value(below(properties, part))) for part in ("w:position", "w:sz"))
    if not height or not 0 < size < style.size:
        return ""
    return "superscript" if height > 0 else "subscript"


def _outline(properties: Element | None, style: Style) -> int:
    """Return the level of a heading, 0 for the first; `_NOT_A_HEADING` for other text."""
    own = below(properties, "w:outlineLvl")
    stated = style.outline if own is None else number(value(own))
    return _NOT_A_HEADING if stated is None else stated


def _alternative(element: Element) -> Iterator[Element]:
    """Return the children of the alternative for newer programs, else of that for older ones."""
    chosen = next(element.iterchildren(name("mc:Choice"), name("mc:Fallback")), None)
    return iter(()) if chosen is None else iter(chosen)


def _drawn_parts(drawing: Element) -> Iterator[Element]:
    """Yield all elements of a drawing except those inside text boxes."""
    waiting: list[Iterator[Element]] = [iter(drawing)]
    while waiting:
        part = next(waiting[-1], None)
        if part is None:
            waiting.pop()
        elif part.tag == _ALTERNATIVES:
            waiting.append(_alternative(part))
        else:
            yield part
            if part.tag != name("w:txbxContent"):
                waiting.append(iter(part))


def _form_value(sign: Element) -> str:
    """Return the value of a check box or a drop-down list; text fields have it as their result."""
    box = below(sign, "w:ffData", "w:checkBox")
    if box is not None:
        state = below(box, "w:checked")
        return _CHECKED if is_on(below(box, "w:default") if state is None else state) else _UNCHECKED
    choices = below(sign, "w:ffData", "w:ddList")
    if choices is None:
        return ""
    entries = [value(entry) for entry in choices.iterchildren(name("w:listEntry"))]
    chosen = number(value(below(choices, "w:result")))
    return entries[chosen] if 0 <= chosen < len(entries) else ""


def _text(part: Element, font: str) -> str:
    """Return the text of a part of a run; "" for a part that has none."""
    if part.tag == _TEXT:
        return in_unicode((part.text or "").replace("\n", " ").replace(_SOFT_HYPHEN, ""), font)
    if part.tag == _SYMBOL:
        return in_unicode(symbol(part.get(name("w:char"), "")), part.get(name("w:font"), ""))
    return _SIGNS.get(part.tag, "")


def _dollars(equation: Element) -> str:
    if equation.tag == _EQUATION:
        return f"${latex(equation).strip()}$"
    return " ".join(f"$${latex(one).strip()}$$" for one in equation.iterchildren(_EQUATION))


def _one_line(text: str) -> str:
    return " ".join(text.split("\n")).strip()
