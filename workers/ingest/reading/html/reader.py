"""Reads a web page: its text as a browser shows it, block by block, without navigation."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode

from workers.ingest.reading.blocks import RAISED, Block, Kind, Quality, Reading, count_signs
from workers.ingest.reading.html import tables
from workers.ingest.reading.html.bounds import check_markup
from workers.ingest.reading.html.left_out import UNREAD, WITHIN, Page, described
from workers.ingest.reading.html.lists import Numbering

# Elements that begin and end a line, unless a style says something else.
_BLOCK_NAMES = (
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption"
    " figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu ol optgroup"
    " option p search section summary table tbody td tfoot th thead tr ul"
)
_BLOCKS = frozenset(_BLOCK_NAMES.split())
_IS_BLOCK = re.compile(r"(?:^|[;\s])display\s*:\s*(?:block|flex|grid|list-item|table)", re.IGNORECASE)
_HEADING = re.compile(r"h[1-6]")
_LISTS = frozenset(("ul", "ol", "menu", "dir"))
_STRUCK = frozenset(("del", "s", "strike"))
_CELLS = ("td", "th")
_VERBATIM = ("pre", "listing", "xmp", "plaintext")
_APART = frozenset(("label", "textarea", *_CELLS))  # browsers show a gap around it
_TYPED = frozenset(
    ("text", "number", "date", "email", "tel", "url", "time", "month", "week", "datetime-local")
)
_BREAK = "\0"  # within a line that is being read; the parser leaves none in a text
_UNSEEN = str.maketrans(dict.fromkeys("\xad\u200b\u2060\ufeff"))  # a place where a word may be divided
_PLAIN = re.compile(r"[\w.+−-]+|\d[\d,–]*|\(?\d{1,3}\)")  # a raised or lowered text that needs no brackets
_ORDINAL = re.compile(r"o|[^\W\d_]{2,3}|[®™℠©]")  # 1st, 2nd, 3ème
_FRACTION = re.compile(rf"(\d?){RAISED}(\d{{1,4}})\s?[/⁄]\s?_(\d{{1,4}})\b")
_DISPLAYED = re.compile(r"^\{\\(?:displaystyle|textstyle)\s*+(.*)\}$", re.DOTALL)
_LONGEST_LINE = 200  # letters
_DEEPEST_MARK = 4  # raised within raised text: each is read again by the one around it
_ROW_NAME = 80  # characters, at most, of a name that stands again above a table of the row
_DEEPEST_TABLE = 8  # tables within cells of tables: below that their cells are lines
_XHTML = re.compile(r"<\?xml|xmlns\s*=\s*[\"']http://www\.w3\.org/1999/xhtml")
_XHTML_WITHIN = 2_000  # characters
_CLOSED = re.compile(
    r"<(?!(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)\b)"
    r"([a-zA-Z][\w:-]{0,60})((?:\s[^<>]{0,2000})?)/>"
)


def read(data: bytes, options: dict[str, str]) -> Reading:
    """Return the visible contents of a page.

    Args:
        data: the page in UTF-8.
        options: not used.

    Raises:
        UnreadableError: it would take too much work.
    """
    del options
    text = data.decode("utf-8")
    if _XHTML.search(text[:_XHTML_WITHIN]):
        text = _with_sections(text)
        text = _CLOSED.sub(r"<\1\2></\1>", text)  # which a parser of HTML takes for one that is open
    check_markup(text)
    tree = LexborHTMLParser(text)
    root = tree.body or tree.root
    if root is None:
        return Reading([])
    page = Page(tree, root)
    walk = _Walk(page, leaves_navigation=True)
    walk.read(root)
    if not walk.blocks:
        walk = _Walk(page, leaves_navigation=False)
        walk.read(root)
    title = tree.css_first("head > title")
    return Reading(
        walk.blocks,
        " ".join(title.text().split()) if title is not None else "",
        walk.left_out,
        Quality(signs=count_signs(walk.blocks)),
    )


def _with_sections(text: str) -> str:
    """Return XHTML with its CDATA sections as texts, because an HTML parser treats them as comments."""
    first, *sections = text.split("<![CDATA[")
    parts = [first]
    for section in sections:
        said, end, behind = section.partition("]]>")
        parts.append(
            said.replace("&", "&amp;").replace("<", "&lt;") + behind if end else f"<![CDATA[{section}"
        )
    return "".join(parts)


@dataclass(slots=True)
class _Frame:
    """An open element, which determines the kind of its lines."""

    kind: Kind
    level: int = 0
    label: str = ""  # of its first line


@dataclass(slots=True)
class _End:
    """The end of an element."""

    node: LexborNode
    tag: str
    is_block: bool
    has_frame: bool = False
    mark: str = ""  # RAISED, "_" or "~~": of what the element holds
    began: int = 0  # parts of the line before it


class _Walk:
    """Walks a page's elements without recursion, because nesting may be very deep."""

    def __init__(self, page: Page, *, leaves_navigation: bool, depth: int = 0) -> None:
        self.blocks: list[Block] = []
        self.left_out: Counter[str] = Counter()
        self._page = page
        self._leaves_navigation = leaves_navigation
        self._depth = depth
        self._line: list[str] = []
        self._frames = [_Frame("paragraph")]
        self._labelled: list[_Frame] = []  # open elements whose labels no line has shown yet
        self._lists: list[Numbering] = []
        self._mains = int(depth > 0)  # open elements whose heads and feet are text; as those of a cell are
        self._marks = 0  # raised, lowered and struck texts that are open
        self._notes = 0  # links to another place of the page that are open
        self._had_note = False  # one ended in the raised text that is being read

    def read(self, root: LexborNode) -> None:
        """Read an element's contents into blocks."""
        waiting: list[LexborNode | _End] = [*_children(root)]
        while waiting:
            step = waiting.pop()
            if isinstance(step, _End):
                self._leave(step)
            elif step.tag == "-text":
                self._line.append(step.text_content or "")
            elif (end := self._enter(step)) is not None:
                waiting.append(end)
                waiting += _children(step)
        self._flush()

    def _enter(self, node: LexborNode) -> _End | None:
        """Begin an element; None if there is nothing (left) to read in it."""
        tag, attributes = node.tag or "-", node.attributes
        if self._is_left_out(node, tag, attributes) or self._is_read_whole(node, tag, attributes):
            return None
        end = _End(node, tag, tag in _BLOCKS or bool(_IS_BLOCK.search(attributes.get("style") or "")))
        if tag in _CELLS and node.parent is not None and self._is_line(node.parent):
            end.is_block = False
        if end.is_block:
            self._flush()
        elif tag in _APART:
            self._line.append(" ")
        if tag in _LISTS:
            self._lists.append(Numbering(node))
        elif frame := self._frame(node, tag, attributes):
            self._frames.append(frame)
            end.has_frame = True
            if frame.label:
                self._labelled.append(frame)
        elif (tag in ("sup", "sub") or tag in _STRUCK or _is_noteref(attributes)) and (
            self._marks < _DEEPEST_MARK
        ):
            self._marks += 1
            end.mark = {"sub": "_"}.get(tag, "~~" if tag in _STRUCK else RAISED)
            end.began = len(self._line)
            self._had_note = self._had_note and tag != "sup"
        elif tag == "q":
            self._line.append("“")
        self._mains += tag in WITHIN
        self._notes += _is_note(tag, attributes)
        return end

    def _leave(self, end: _End) -> None:
        if end.is_block:
            self._flush()
        elif end.tag in _APART:
            self._line.append(" ")
        if end.tag in _LISTS:
            self._lists.pop()
        if end.has_frame:
            frame = self._frames.pop()
            if self._labelled and self._labelled[-1] is frame:
                self._labelled.pop()
        if end.mark:
            self._marks -= 1
            self._mark(end)
        if end.tag == "q":
            self._line.append("”")
        self._mains -= end.tag in WITHIN
        if _is_note(end.tag, end.node.attributes):
            self._notes -= 1
            self._had_note = True

    def _is_left_out(self, node: LexborNode, tag: str, attributes: dict[str, str | None]) -> bool:
        if tag in UNREAD:
            is_read = UNREAD[tag] == "navigation" and not self._leaves_navigation
            return not is_read and self._count(UNREAD[tag])
        if tag.startswith(("-", "!")):
            return True  # a comment
        if self._page.hides(node, attributes):
            return self._count("hidden part")
        if not self._leaves_navigation:
            return False
        is_within = self._mains > 0
        return self._page.is_navigation(node, attributes, within_main=is_within) and self._count("navigation")

    def _count(self, what: str) -> bool:
        if what:
            self.left_out[what] += 1
        return True

    def _is_read_whole(self, node: LexborNode, tag: str, attributes: dict[str, str | None]) -> bool:
        """Read an element as a whole, if it is of such a kind; else return False."""
        if tag == "br":
            self._line.append(_BREAK)
        elif tag == "wbr":
            pass
        elif tag == "img":
            self._picture(attributes)
        elif tag == "input":
            self._line.append(f" {_typed(attributes)} ")
        elif tag == "select":
            self._line.append(f" {_chosen(node)} ")
        elif tag == "math":
            self._line.append(_equation(node))
        elif tag in _VERBATIM:
            self._flush()
            if code := self._verbatim(node).strip("\n"):
                self.blocks.append(Block("code", code))
        elif tag == "table":
            return self._is_table(node)
        else:
            return False
        return True

    def _picture(self, attributes: dict[str, str | None]) -> None:
        said = described(attributes)
        if said is None:
            self._count("picture without text")
        else:
            tex = _DISPLAYED.match(said)
            self._line.append(f"${tex[1].strip()}$" if tex else f" {said} ")

    def _is_table(self, table: LexborNode) -> bool:
        """Read a data table; return False for a layout table, whose contents are walked."""
        rows = tables.rows_of(table, lambda _part: True)
        measure = self._page.measure
        has_tables = measure(table).has_table
        if self._depth >= _DEEPEST_TABLE or tables.is_layout(
            table, rows, lambda cell: not measure(cell).letters, has_tables=has_tables
        ):
            return False
        self._flush()
        for child in table.iter():
            if child.tag == "caption" and (text := _said(self._within(child))):
                self.blocks.append(Block("caption", text))
        beside, names = list[Block](), dict[int, str]()

        def text_of(cell: LexborNode) -> str:
            blocks = self._within(cell)
            text, row = _said(blocks), cell.parent.mem_id if cell.parent is not None else 0
            apart = [block for block in blocks if _is_apart(block)]
            if apart and 0 < len(names.get(row, "")) <= _ROW_NAME:
                beside.append(Block("note", names[row]))
            beside.extend(apart)
            names.setdefault(row, text)
            return text

        rows = tables.rows_of(table, self._is_shown)
        cells, heads = tables.grid_of(rows, text_of, self._page.places)
        if cells:
            self.blocks.append(Block("table", cells=cells, head_rows=heads))
        self.blocks += beside
        return True

    def _is_shown(self, node: LexborNode) -> bool:
        """Return whether an element is visible; count hidden ones."""
        return not (self._page.hides(node, node.attributes) and self._count("hidden part"))

    def _verbatim(self, node: LexborNode) -> str:
        """Return a text with its original white space."""
        parts: list[str] = []
        waiting = _children(node)
        while waiting:
            part = waiting.pop()
            if part.tag == "-text":
                parts.append(part.text_content or "")
            elif part.tag == "br":
                parts.append("\n")
            elif not self._is_left_out(part, part.tag or "-", part.attributes):
                waiting += _children(part)
        return "".join(parts)

    def _is_line(self, row: LexborNode) -> bool:
        """Return whether the cells of a layout row are read as one line, as shown."""
        measure = self._page.measure(row)
        return measure.letters <= _LONGEST_LINE and not measure.has_table

    def _within(self, node: LexborNode) -> list[Block]:
        """Return the visible contents of a cell or caption."""
        if not self._is_shown(node):
            return []
        if all(child.tag == "-text" for child in node.iter(include_text=True)):
            return [Block("paragraph", line) for line in _lines(node.text())]
        walk = _Walk(self._page, leaves_navigation=self._leaves_navigation, depth=self._depth + 1)
        walk.read(node)
        self.left_out += walk.left_out
        return walk.blocks

    def _frame(self, node: LexborNode, tag: str, attributes: dict[str, str | None]) -> _Frame | None:
        if _HEADING.fullmatch(tag):
            return _Frame("heading", int(tag[1]))
        if attributes.get("role") == "heading":
            level = attributes.get("aria-level") or "2"
            return _Frame("heading", int(level) if level in "123456" else 2)
        if tag == "figcaption":
            return _Frame("caption")
        if tag == "li":
            label = self._lists[-1].label_of(node) if self._lists else "-"
            return _Frame("item", max(1, len(self._lists)) - (not label), label)
        return None

    def _mark(self, end: _End) -> None:
        """Mark raised, lowered or struck text, so that it is not mistaken for plain text."""
        inner = " ".join("".join(self._line[end.began :]).replace(_BREAK, " ").split())
        del self._line[end.began :]
        if not inner:
            return
        before = "".join(self._line[-2:])
        is_note = end.mark == RAISED and (self._notes > 0 or self._had_note or inner[0] + inner[-1] == "[]")
        if is_note:
            while self._line and not self._line[-1].strip():
                self._line.pop()  # a mark belongs to the sentence before it
            if self._line:
                self._line[-1] = self._line[-1].rstrip()
            self._line.append(inner if inner[0] in "[(" else f"[{inner}]")
        elif end.mark == "~~":
            self._line.append(inner if inner.startswith("~~") else f"~~{inner}~~")
        elif end.mark == RAISED and _ORDINAL.fullmatch(inner) and before[-1:].isdigit():
            self._line.append(inner)
        else:
            self._line.append(end.mark + (inner if _PLAIN.fullmatch(inner) else f"({inner})"))

    def _flush(self) -> None:
        """End the current line."""
        if not self._line:
            return
        text = "".join(self._line)
        self._line.clear()
        frame = self._frames[-1]
        for part in _lines(text):
            lines = part.replace("\n", " ") if frame.kind == "heading" else part
            label, level = self._label(), frame.level
            if frame.kind == "item":
                level += not label  # goes on below the item's first line
            elif label == "-":
                label = ""
            self.blocks.append(Block(frame.kind, lines, level=level, label=label))

    def _label(self) -> str:
        """Return the labels of the items that begin here, outermost first."""
        labels = " ".join(frame.label for frame in self._labelled)
        self._labelled.clear()
        return labels


def _children(node: LexborNode) -> list[LexborNode]:
    """Return an element's children in reverse order."""
    return [*node.iter(include_text=True)][::-1]


def _lines(text: str) -> Iterator[str]:
    """Yield the paragraphs of a text, separated by several line breaks in a row."""
    lines: list[str] = []
    for line in (*text.translate(_UNSEEN).split(_BREAK), ""):
        words = _FRACTION.sub(_written_fraction, " ".join(line.split()))
        if words:
            lines.append(words)
        elif lines:
            yield "\n".join(lines)
            lines.clear()


def _written_fraction(match: re.Match[str]) -> str:
    whole, above, below = match.groups()
    return f"{whole} {above}/{below}" if whole else f"{above}/{below}"


def _is_apart(block: Block) -> bool:
    """Return whether a block of a cell is placed after the cell's table, such as a table of several rows."""
    return block.kind == "note" or any(cell.row for cell in block.cells)


def _said(blocks: list[Block]) -> str:
    """Return the visible contents of a cell or caption on one line, without blocks placed elsewhere."""
    return " ".join(part for block in blocks if not _is_apart(block) for part in _texts(block))


def _texts(block: Block) -> Iterator[str]:
    """Yield the texts of a block within a cell."""
    if block.kind == "item" and block.label not in ("", "-"):
        yield block.label
    yield block.text.replace("\n", " ")
    yield from (cell.text for cell in block.cells)


def _is_note(tag: str, attributes: dict[str, str | None]) -> bool:
    """Return whether an element is a link within its page, like a footnote mark."""
    return tag == "a" and "#" in (attributes.get("href") or "")


def _is_noteref(attributes: dict[str, str | None]) -> bool:
    """Return whether an element is marked as a note reference, as in e-books."""
    said = f"{attributes.get('role') or ''} {attributes.get('epub:type') or ''}".split()
    return "noteref" in said or "doc-noteref" in said


def _typed(attributes: dict[str, str | None]) -> str:
    """Return the value that a form field shows."""
    kind = (attributes.get("type") or "text").lower()
    if kind in ("checkbox", "radio"):
        return "☑" if "checked" in attributes else "☐"
    return (attributes.get("value") or "") if kind in _TYPED else ""


def _chosen(node: LexborNode) -> str:
    """Return the selected option of a list; an option with an empty value is only a prompt."""
    chosen = (
        option.attributes.get("label") or " ".join(option.text().split())
        for option in node.traverse()
        if option.tag == "option" and "selected" in option.attributes and option.attributes.get("value", "-")
    )
    return ", ".join(filter(None, chosen))


def _equation(node: LexborNode) -> str:
    """Return an equation as TeX if the page has that, else its characters."""
    for note in node.css("annotation"):
        if note.attributes.get("encoding") == "application/x-tex":
            tex = note.text().strip()
            return f"${(found[1] if (found := _DISPLAYED.match(tex)) else tex).strip()}$"
    return node.text()
