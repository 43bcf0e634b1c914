"""Reads presentations: each slide's text, notes and chart values (ECMA-376, part 1, 19)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from workers.ingest.reading.blocks import (
    Block,
    Box,
    Cell,
    FileBytes,
    Quality,
    Reading,
    Spot,
    UnreadableError,
    count_signs,
)
from workers.ingest.reading.docx.charts import chart_blocks, diagram_blocks
from workers.ingest.reading.docx.line import Line
from workers.ingest.reading.docx.names import Element, below, name, number
from workers.ingest.reading.docx.package import Package
from workers.ingest.reading.docx.tables import COLUMNS
from workers.ingest.reading.numerals import letters, roman

_POINT = 12_700  # English Metric Units of a point
_TITLES = ("title", "ctrTitle")
_FURNITURE = ("sldNum", "dt", "ftr", "hdr")
_OF_LISTS = ("body", "obj", "")  # placeholders whose paragraphs have bullets unless they say otherwise
_BULLETS = ("a:buChar", "a:buAutoNum", "a:buBlip")
_DRAWINGS = {"chart": chart_blocks, "diagramData": diagram_blocks}  # by the kind of the part
_DEEPEST = 20  # groups in groups
_NUMBERED: dict[str, Callable[[int], str]] = {
    "alphaLc": letters,
    "alphaUc": lambda count: letters(count).upper(),
    "romanLc": roman,
    "romanUc": lambda count: roman(count).upper(),
}


MAPS_FILE = True


def read(data: FileBytes, options: dict[str, str]) -> Reading:  # noqa: ARG001 - all readers take options
    """Read a presentation slide by slide: the title first, then the shapes, then the notes.

    A place's page is the slide, its box the shape's or the cell's.

    Raises:
        UnreadableError: it has no list of slides, or one that is broken or too large.
    """
    package = Package(data)
    root = package.part(package.main)
    if root is None or root.tag != name("p:presentation"):
        raise UnreadableError("not a .pptx, whatever its name says: it has no list of slides")
    relations = package.relations(package.main)
    size = below(root, "p:sldSz")
    whole = _box_of(
        0,
        0,
        number(size.get("cx")) if size is not None else 0,
        number(size.get("cy")) if size is not None else 0,
    )
    left_out: Counter[str] = Counter()
    blocks: list[Block] = []
    slides = [
        relations[known].target
        for one in root.iter(name("p:sldId"))
        if (known := one.get(name("r:id"), "")) in relations
    ]
    for count, part in enumerate(slides, start=1):
        slide = package.part(part)
        if slide is None:
            continue
        if slide.get("show") in ("0", "false"):
            left_out["hidden slide"] += 1
            continue
        blocks += _Slide(package, part, count, whole, left_out).blocks(slide)
    first = next((block.text for block in blocks if block.kind == "heading"), "")
    quality = Quality(
        signs=count_signs(blocks),
        pages=len(slides),
        pages_without_text=len(slides) - len({block.spots[0].page for block in blocks if block.spots}),
    )
    return Reading(blocks, first, +(left_out + package.broken), quality)


class _Slide:
    def __init__(self, package: Package, part: str, count: int, whole: Box, left_out: Counter[str]) -> None:
        self._package, self._part, self._count, self._whole = package, part, count, whole
        self._relations = package.relations(part)
        self._left_out = left_out

    def blocks(self, slide: Element) -> list[Block]:
        shapes = list(self._shapes(below(slide, "p:cSld", "p:spTree"), self._whole, 0))
        titles = [block for block in shapes if block.kind == "heading"]
        return [*titles, *(block for block in shapes if block.kind != "heading"), *self._notes()]

    def _shapes(self, tree: Element | None, around: Box, depth: int) -> Iterator[Block]:
        for shape in tree if tree is not None and depth < _DEEPEST else ():
            if shape.tag == name("p:sp"):
                yield from self._text(shape, self._box(shape, around))
            elif shape.tag == name("p:grpSp"):
                yield from self._shapes(shape, self._box(shape, around), depth + 1)
            elif shape.tag == name("p:graphicFrame"):
                yield from self._graphic(shape, self._box(shape, around))
            elif shape.tag == name("p:pic"):
                yield from self._picture(shape, self._box(shape, around))
            elif shape.tag == name("mc:AlternateContent"):
                yield from self._shapes(below(shape, "mc:Choice"), around, depth + 1)

    def _placed(self, block: Block, box: Box) -> Block:
        block.spots = [Spot(0, self._count, box)]
        return block

    def _text(self, shape: Element, box: Box) -> Iterator[Block]:
        holder = _placeholder(shape)
        body = below(shape, "p:txBody")
        if body is None:
            return
        kind = None if holder is None else holder.get("type", "")
        if kind in _FURNITURE:
            self._left_out["footer"] += kind == "ftr" and any(map(_text_of, body.iterchildren(name("a:p"))))
            return
        if kind in _TITLES:
            text = " ".join(" ".join(map(_text_of, body.iterchildren(name("a:p")))).split())
            if text:
                yield self._placed(Block("heading", text, level=1), box)
            return
        for block in _paragraphs(body, is_list=kind in _OF_LISTS):
            yield self._placed(block, box)

    def _graphic(self, frame: Element, box: Box) -> Iterator[Block]:
        data = below(frame, "a:graphic", "a:graphicData")
        for part in data if data is not None else ():
            if part.tag == name("a:tbl"):
                if (table := _table(part, box, self._count)).cells:
                    yield table
                continue
            key = part.get(name("r:id")) or part.get(name("r:dm")) or ""
            relation = self._relations.get(key)
            read_drawing = _DRAWINGS.get(relation.kind) if relation else None
            root = self._package.part(relation.target) if relation and read_drawing else None
            if root is None or read_drawing is None:
                self._left_out["embedded object"] += 1
                continue
            for block in read_drawing(root):
                if block.cells:
                    block.cells = [replace(cell, page=self._count, box=box) for cell in block.cells]
                    yield block
                else:
                    yield self._placed(block, box)

    def _picture(self, picture: Element, box: Box) -> Iterator[Block]:
        properties = below(picture, "p:nvPicPr", "p:cNvPr")
        said = " ".join((properties.get("descr", "") if properties is not None else "").split())
        if said:
            yield self._placed(Block("caption", said), box)
        else:
            self._left_out["picture"] += 1

    def _notes(self) -> Iterator[Block]:
        notes = self._package.related(self._part, "notesSlide")
        for shape in notes.iter(name("p:sp")) if notes is not None else ():
            holder = _placeholder(shape)
            body = below(shape, "p:txBody")
            if holder is None or holder.get("type") != "body" or body is None:
                continue
            text = "\n".join(
                text for paragraph in body.iterchildren(name("a:p")) if (text := _text_of(paragraph))
            )
            if text:
                yield self._placed(Block("note", text, label="Notes:"), self._whole)

    def _box(self, shape: Element, around: Box) -> Box:
        """Return where a shape stands; where it does not say so, for its layout does, the box around it."""
        form = next(shape.iterchildren(name("p:xfrm")), None)
        form = (
            form
            if form is not None
            else next(
                (below(part, "a:xfrm") for part in shape.iterchildren(name("p:spPr"), name("p:grpSpPr"))),
                None,
            )
        )
        at, size = below(form, "a:off"), below(form, "a:ext")
        if at is None or size is None:
            return around
        return _box_of(
            number(at.get("x")), number(at.get("y")), number(size.get("cx")), number(size.get("cy"))
        )


def _box_of(left: int, top: int, width: int, height: int) -> Box:
    return Box(*(one / _POINT for one in (left, top, left + width, top + height)))


def _placeholder(shape: Element) -> Element | None:
    return below(shape, "p:nvSpPr", "p:nvPr", "p:ph")


def _text_of(paragraph: Element) -> str:
    line = Line()
    for run in paragraph:
        if run.tag == name("a:br"):
            line.add("\n")
        elif run.tag in (name("a:r"), name("a:fld")):
            properties = below(run, "a:rPr")
            raised = number(properties.get("baseline")) if properties is not None else 0
            text = below(run, "a:t")
            line.add(
                (text.text or "") if text is not None else "",
                "superscript" if raised > 0 else "subscript" if raised < 0 else "",
            )
    return line.text()


def _paragraphs(body: Element, *, is_list: bool) -> Iterator[Block]:
    """Yield the paragraphs of a shape; those with bullets or numbers as items."""
    paragraphs = [(one, text) for one in body.iterchildren(name("a:p")) if (text := _text_of(one))]
    counts: Counter[int] = Counter()
    for paragraph, text in paragraphs:
        properties = below(paragraph, "a:pPr")
        level = min(number(properties.get("lvl")) if properties is not None else 0, 8)
        numbered = below(properties, "a:buAutoNum")
        for deeper in [one for one in counts if one > level or (one == level and numbered is None)]:
            del counts[deeper]
        has_bullet = any(below(properties, bullet) is not None for bullet in _BULLETS)
        is_plain = below(properties, "a:buNone") is not None or (
            is_list and len(paragraphs) == 1 and not has_bullet
        )
        if not has_bullet and (is_plain or not is_list):
            yield Block("paragraph", text)
            continue
        label = "-"
        if numbered is not None:
            counts[level] = counts[level] + 1 if level in counts else number(numbered.get("startAt"), 1)
            label = _label(numbered.get("type", ""), counts[level])
        yield Block("item", text, level=level + 1, label=label)


def _label(form: str, count: int) -> str:
    written = next((write(count) for kind, write in _NUMBERED.items() if form.startswith(kind)), str(count))
    return (
        f"({written})"
        if form.endswith("ParenBoth")
        else f"{written})"
        if form.endswith("ParenR")
        else f"{written}."
    )


def _table(table: Element, box: Box, page: int) -> Block:
    widths = [number(column.get("w")) / _POINT for column in table.iter(name("a:gridCol"))][:COLUMNS]
    lefts = [box.left + sum(widths[:at]) for at in range(len(widths) + 1)]
    cells, top = [], box.top
    for row, line in enumerate(table.iterchildren(name("a:tr"))):
        bottom = top + number(line.get("h")) / _POINT
        for column, cell in zip(range(len(widths)), line.iterchildren(name("a:tc")), strict=False):
            if cell.get("hMerge") in ("1", "true") or cell.get("vMerge") in ("1", "true"):
                continue
            text = " ".join(_texts(below(cell, "a:txBody")))
            columns = min(number(cell.get("gridSpan"), 1), len(widths) - column)
            place = Box(lefts[column], top, lefts[column + columns], bottom)
            cells.append(Cell(row, column, text, number(cell.get("rowSpan"), 1), columns, page, place))
        top = bottom
    names = below(table, "a:tblPr")
    is_named = names is not None and names.get("firstRow") in ("1", "true")
    filled = any(cell.text for cell in cells)
    return Block("table", cells=cells if filled else [], head_rows=int(is_named))


def _texts(body: Element | None) -> Iterable[str]:
    return (
        text
        for one in (body if body is not None else ())
        if one.tag == name("a:p") and (text := _text_of(one))
    )
