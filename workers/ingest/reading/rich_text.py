"""Reads rich text (.rtf): paragraphs, headings, lists, tables and notes (RTF 1.9.1)."""

from __future__ import annotations

import codecs
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from workers.ingest.reading.blocks import (
    Block,
    Cell,
    Quality,
    Reading,
    UnreadableError,
    count_signs,
    in_sections,
    packed,
)
from workers.ingest.reading.docx.line import Line, in_unicode

_MARK = b"{\\rtf"
# A control word, a byte in hexadecimal digits, a control sign, a brace, line ends, letters.
_TOKEN = re.compile(
    rb"\\([a-zA-Z]{1,32})(-?[0-9]{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|[\r\n]+|([^\\{}\r\n]+)"
    rb"|\\"
)
_DEEPEST = 1_000  # groups within one another
_NEAR = 30  # twentieths of a point: edges of cells of one column differ by that in files of some programs
_LEVELS, _OUTLINE = 6, 9  # of headings; of an outline, whose last means none
_TITLE = -1  # in place of a level
_MOST_SKIPPED = 10  # signs behind one in Unicode
_HEADING = re.compile(r"heading (\d)", re.IGNORECASE)
_SIGNS = {
    "emdash": "—", "endash": "–", "bullet": "•", "lquote": "‘", "rquote": "’", "ldblquote": "“",
    "rdblquote": "”",
    "tab": " ", "emspace": " ", "enspace": " ", "qmspace": " ", "line": "\n", "softline": "\n", "lbr": "\n",
}  # fmt: skip
_ESCAPED = {b"~": "\u00a0", b"_": "\u2011", b"\\": "\\", b"{": "{", b"}": "}", b"\t": " "}
_CHARSETS = {
    77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gb18030", 136: "big5", 161: "cp1253",
    162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874",
    238: "cp1250", 254: "cp437", 255: "cp850",
}  # fmt: skip
_SYMBOLS = 2  # the charset of fonts of signs
# Groups that say nothing, and what is counted of them.
_UNREAD = {
    **dict.fromkeys(("colortbl", "filetbl", "fldinst", "nonshppict", "objdata", "revtbl", "shprslt"), ""),
    **dict.fromkeys(("ftnsep", "ftnsepc", "aftnsep", "aftnsepc", "nonesttables", "xe", "tc", "rxe"), ""),
    **dict.fromkeys(
        ("header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf"),
        "header or footer",
    ),
    "pict": "picture",
    "objclass": "embedded object",
}
# Destinations after \* are for programs that know them: these are read, all others are not.
_READ_STARRED = frozenset(
    ("shpinst", "shppict", "annotation", "atnauthor", "footnote", "ud", "nesttableprops")
)
_INFO = ("title", "author")


@dataclass(slots=True)
class _State:
    """State that holds up to the end of a group."""

    target: str = ""  # where its text goes: "" the paragraph, "-" nowhere, else a label, a title, a font …
    font: int = 0
    skipped: int = 1  # signs behind one in Unicode, for programs that do not know it
    is_hidden: bool = False
    raised: str = ""
    is_part: bool = False  # whether the group is a note or a comment


@dataclass(slots=True)
class _Form:
    """The form of a paragraph."""

    style: int = 0
    level: int = 0  # of a heading, from 1
    item: int = 1
    label: str = ""
    is_cell: bool = False


@dataclass(slots=True)
class _Edge:
    """The right edge of a cell, and how it is merged."""

    at: int = 0  # twentieths of a point
    goes_on_above: bool = False  # it is part of the cell above it,
    goes_on_before: bool = False  # or of the one before it


@dataclass(slots=True)
class _Row:
    texts: list[str]
    edges: list[_Edge]
    is_head: bool


@dataclass(slots=True)
class _Part:
    """A text apart: the body, a note, a comment."""

    label: str = ""
    line: Line = field(default_factory=Line)
    form: _Form = field(default_factory=_Form)
    blocks: list[Block] = field(default_factory=list)
    notes: list[Block] = field(default_factory=list)  # of the paragraph that is being read
    cell: list[str] = field(default_factory=list)  # paragraphs of the cell that is being read
    cells: list[str] = field(default_factory=list)  # of the row
    rows: list[_Row] = field(default_factory=list)


def read(data: bytes, options: dict[str, str]) -> Reading:  # noqa: ARG001 - all readers take options
    """Read an RTF file; its notes follow the paragraph that has their mark.

    Raises:
        UnreadableError: the file is not RTF, or its groups are nested too deeply.
    """
    if _MARK not in data[:100]:
        raise UnreadableError("not an .rtf, whatever its name says: its mark {\\rtf is missing")
    text = _Text()
    text.read(data)
    blocks = list(in_sections(text.parts[0].blocks, counts_paragraphs=True))
    author = " ".join(text.info.get("author", "").split())
    return Reading(
        blocks,
        " ".join((text.info.get("title") or text.title).split()),
        +text.left_out,
        Quality(signs=count_signs(blocks)),
        {"author": author} if author else {},
    )


class _Text:
    """The text so far."""

    def __init__(self) -> None:
        self.parts = [_Part()]
        self.left_out: Counter[str] = Counter()
        self.info: dict[str, str] = {}
        self.title = ""  # of a paragraph whose style is called so
        self._state = _State()
        self._around: list[_State] = []
        self._bytes = bytearray()  # of one font, which wait to be decoded
        self._to_skip = 0
        self._starred = False
        self._begins = False  # whether the last token began a group
        self._encoding = "cp1252"
        self._fonts: dict[int, str] = {}  # encodings; of fonts of signs their name behind a colon
        self._font, self._font_name = 0, ""
        self._styles: dict[int, int] = {}  # levels of headings, or _TITLE
        self._style, self._style_name, self._style_level = 0, "", 0
        self._edges: list[_Edge] = []
        self._edge = _Edge()
        self._is_head = False
        self._author = ""  # of the next comment
        self._notes = 0

    @property
    def _part(self) -> _Part:
        return self.parts[-1]

    def read(self, data: bytes) -> None:
        """Read all tokens."""
        at = data.index(_MARK)
        while found := _TOKEN.match(data, at):
            at = found.end()
            word, number, code, escaped, brace, plain = found.groups()
            if word:
                value = None if number is None else int(number)
                if word == b"bin":
                    at += max(0, value or 0)
                else:
                    self._word(word.decode(), value)
            elif plain or code:
                self._plain(plain or bytes.fromhex(code.decode()))
            elif brace:
                self._flush()
                (self._open if brace == b"{" else self._close)()
            elif escaped == b"*":
                self._starred = True
                continue
            elif escaped in (b"\r", b"\n"):
                self._word("par", None)
            elif escaped and escaped in _ESCAPED:
                self._sign(_ESCAPED[escaped])
            self._begins = brace == b"{"
            self._starred = False
        self._flush()
        while len(self.parts) > 1:  # notes that nothing ends
            self._end_part()
        self.end_paragraph()
        self.end_table()

    def _open(self) -> None:
        if len(self._around) > _DEEPEST:
            raise UnreadableError(f"broken: groups are nested more than {_DEEPEST} deep")
        self._around.append(self._state)
        self._state = replace(self._state, is_part=False)
        self._to_skip = 0

    def _close(self) -> None:
        ended = self._state
        if ended.is_part:
            self._end_part()
        elif ended.target == "style":
            self._end_style()
        elif ended.target == "font":
            self._end_font()
        if self._around:
            self._state = self._around.pop()
        self._to_skip = 0

    def _plain(self, data: bytes) -> None:
        if self._to_skip:
            skipped = min(self._to_skip, len(data))
            self._to_skip -= skipped
            data = data[skipped:]
        if self._state.target != "-":
            self._bytes += data

    def _flush(self) -> None:
        """Decode the bytes that wait."""
        if not self._bytes:
            return
        known = self._fonts.get(self._state.font, self._encoding)
        encoding, _, name = known.partition(":")
        if name:
            text = in_unicode(
                "".join(chr(0xF000 + sign) if sign > ord(" ") else " " for sign in self._bytes), name
            )
        else:
            text = self._bytes.decode(encoding, "replace")
        self._bytes.clear()
        self._say(text)

    def _sign(self, text: str) -> None:
        self._flush()
        if self._to_skip:
            self._to_skip -= 1
        else:
            self._say(text)

    def _say(self, text: str) -> None:
        target = self._state.target
        if target == "":
            if self._state.is_hidden:
                self.left_out["hidden text"] += 1
            else:
                self._part.line.add(text, self._state.raised)
        elif target == "label":
            self._part.form.label += text
        elif target in _INFO:
            self.info[target] = self.info.get(target, "") + text
        elif target == "atnauthor":
            self._author += text
        elif target == "font":
            self._font_name += text
        elif target == "style":
            self._style_name += text

    def _word(self, word: str, value: int | None) -> None:
        if word == "u":
            self._unicode(value or 0)
            return
        self._flush()
        if self._to_skip:
            self._to_skip -= 1
            return
        if self._begins and self._is_unread(word):
            self._state.target = "-"
        elif word in _SIGNS:
            self._say(_SIGNS[word])
        elif act := _WORDS.get(word):
            act(self, value)

    def _unicode(self, value: int) -> None:
        if self._to_skip:
            self._to_skip -= 1
            return
        self._flush()
        if self._state.target != "-":
            self._say(chr(value % 0x10000))
        self._to_skip = self._state.skipped

    def _is_unread(self, word: str) -> bool:
        """Return whether a group that begins with a word says nothing."""
        if self._starred and word not in _READ_STARRED:
            return True
        if what := _UNREAD.get(word):
            self.left_out[what] += self._state.target != "-"
        return word in _UNREAD

    def end_paragraph(self, _value: int | None = None) -> None:
        """End a paragraph: it is a block, or one of a cell's."""
        part, form = self._part, self._part.form
        text = part.line.text().encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        part.line = Line()
        label, form.label = " ".join(form.label.split()), ""
        if form.is_cell:
            part.cell += filter(None, [f"{label} {text}".strip()])
            return
        if text:
            self.end_table()
            part.blocks.append(self._block(text, label, form))
        part.blocks += part.notes
        part.notes = []

    def _block(self, text: str, label: str, form: _Form) -> Block:
        style = self._styles.get(form.style, 0)
        level = form.level or style
        if level == _TITLE:
            self.title = self.title or text
            level = 1
        if level:
            return Block("heading", " ".join(text.split()), min(level, _LEVELS), label)
        if label:
            return Block("item", text, form.item, label if any(map(str.isalnum, label)) else "-")
        return Block("paragraph", text)

    def end_table(self) -> None:
        """Make a table of the rows before a paragraph that is none of theirs."""
        part = self._part
        if part.cell or part.cells:
            self.end_row()
        if part.rows:
            part.blocks += [_table(part.rows), *part.notes]
            part.rows, part.notes = [], []

    def raise_letters(self, raised: str) -> None:
        """Set the position of the text that follows: "superscript", "subscript", or "" for the baseline."""
        self._state.raised = raised

    def plain_letters(self, _value: int | None) -> None:
        """Begin letters without properties."""
        self._state.raised, self._state.is_hidden = "", False

    def plain_paragraph(self, _value: int | None) -> None:
        """Begin a paragraph without properties."""
        self._part.form = _Form(label=self._part.form.label)

    def in_cell(self, value: int | None) -> None:
        """Return whether the paragraph lies in a cell."""
        self._part.form.is_cell = value != 0

    def end_inner_cell(self, _value: int | None) -> None:
        """End a cell of a table within a cell, whose cells are paragraphs of it."""
        self._part.form.is_cell = True
        self.end_paragraph()

    def end_cell(self, _value: int | None) -> None:
        """End a cell."""
        self.end_inner_cell(None)
        self._part.cells.append(" ".join(self._part.cell))
        self._part.cell = []

    def end_row(self, _value: int | None = None) -> None:
        """End a row of a table."""
        part = self._part
        if part.cell:
            part.cells.append(" ".join(part.cell))
        if any(part.cells):
            part.rows.append(_Row(part.cells, self._edges, self._is_head))
        part.cell, part.cells = [], []

    def begin_row(self, _value: int | None) -> None:
        """Begin the description of a row."""
        self._edges, self._edge, self._is_head = [], _Edge(), False

    def head_row(self, _value: int | None) -> None:
        """Say that the row names columns."""
        self._is_head = True

    def end_edge(self, value: int | None) -> None:
        """Record where a cell of the row ends."""
        self._edge.at = value or 0
        self._edges.append(self._edge)
        self._edge = _Edge()

    def merge_below(self, _value: int | None) -> None:
        """Merge the cell with the one above it."""
        self._edge.goes_on_above = True

    def merge_beside(self, _value: int | None) -> None:
        """Merge the cell with the one before it."""
        self._edge.goes_on_before = True

    def begin_note(self, _value: int | None) -> None:
        """Begin a note, and leave its mark."""
        if self._state.target == "":
            self._notes += 1
            self._part.line.add(f"[{self._notes}]")
            self._begin_part(f"[{self._notes}]")

    def begin_comment(self, _value: int | None) -> None:
        """Begin a comment."""
        if self._state.target == "":
            author, self._author = " ".join(self._author.split()), ""
            self._begin_part(f"Comment by {author}:" if author else "Comment:")

    def in_unicode_again(self, _value: int | None) -> None:
        """Read the second of two forms of a text, the one in Unicode."""
        if self._state.target == "upr":
            self._state.target = ""

    def begin_box(self, _value: int | None) -> None:
        """Begin the text of a box, which follows the paragraph."""
        if self._state.target == "box":
            self._state.target = ""
            self._begin_part("")

    def _begin_part(self, label: str) -> None:
        self.parts.append(_Part(label))
        self._state.is_part = True
        self._state.raised = ""

    def _end_part(self) -> None:
        self.end_paragraph()
        self.end_table()
        ended = self.parts.pop()
        if not ended.label:
            self._part.notes += ended.blocks
            return
        texts = [block.text or " ".join(cell.text for cell in block.cells) for block in ended.blocks]
        if any(texts):
            self._part.notes.append(Block("note", " ".join(filter(None, texts)), label=ended.label))

    def to(self, target: str) -> None:
        """Set the destination of a group's text."""
        if self._state.target != "-":
            self._state.target = target

    def style_word(self, value: int | None) -> None:
        """Set the style of the paragraph, or the number of the style being defined."""
        if self._state.target == "style":
            self._style = value or 0
        else:
            self._part.form.style = value or 0

    def level_word(self, value: int | None) -> None:
        """Note the level of a heading."""
        level = value + 1 if value is not None and 0 <= value < _OUTLINE else 0
        if self._state.target == "style":
            self._style_level = level
        else:
            self._part.form.level = level

    def _end_style(self) -> None:
        name = self._style_name.strip().rstrip(";")
        named = _HEADING.match(name)
        level = self._style_level or (int(named[1]) if named else _TITLE if name.lower() == "title" else 0)
        if name:
            self._styles[self._style] = level
        self._style, self._style_name, self._style_level = 0, "", 0

    def font_word(self, value: int | None) -> None:
        """Set the font of the text, or the number of the font being defined."""
        if self._state.target == "font":
            self._font = value or 0
            self._fonts.setdefault(self._font, self._encoding)
        else:
            self._state.font = value or 0

    def charset(self, value: int | None) -> None:
        """Note the encoding of a font."""
        if self._state.target == "font":
            self._fonts[self._font] = ":" if value == _SYMBOLS else _CHARSETS.get(value or 0, self._encoding)

    def _end_font(self) -> None:
        if self._fonts.get(self._font, "").startswith(":"):
            self._fonts[self._font] = f":{self._font_name.strip().rstrip(';') or 'symbol'}"
        self._font_name = ""

    def code_page(self, value: int | None) -> None:
        """Note the encoding of the file."""
        try:
            self._encoding = codecs.lookup(
                {65001: "utf-8", 936: "gb18030"}.get(value or 0, f"cp{value}")
            ).name
        except LookupError:
            self.left_out["unknown code page"] += 1

    def mac(self, _value: int | None) -> None:
        """Note that the file comes from an old Macintosh."""
        self._encoding = "mac_roman"

    def skipped(self, value: int | None) -> None:
        """Set how many fallback characters follow each Unicode character."""
        self._state.skipped = max(0, min(value if value is not None else 1, _MOST_SKIPPED))

    def hide(self, value: int | None) -> None:
        """Hide letters, or end this."""
        self._state.is_hidden = value != 0

    def item_level(self, value: int | None) -> None:
        """Note the level of an item."""
        self._part.form.item = 1 + max(0, min(value or 0, 8))


def _targeting(target: str) -> Callable[[_Text, int | None], None]:
    return lambda text, _value: text.to(target)


def _raising(raised: str) -> Callable[[_Text, int | None], None]:
    def act(text: _Text, value: int | None) -> None:
        text.raise_letters("" if value == 0 else raised)

    return act


_WORDS: dict[str, Callable[[_Text, int | None], None]] = {
    **dict.fromkeys(("par", "page", "sect", "column"), _Text.end_paragraph),
    "plain": _Text.plain_letters,
    "pard": _Text.plain_paragraph,
    **dict.fromkeys(("intbl", "itap"), _Text.in_cell),
    "cell": _Text.end_cell,
    "nestcell": _Text.end_inner_cell,
    "row": _Text.end_row,
    "trowd": _Text.begin_row,
    "trhdr": _Text.head_row,
    "cellx": _Text.end_edge,
    "clvmrg": _Text.merge_below,
    "clmrg": _Text.merge_beside,
    "footnote": _Text.begin_note,
    "annotation": _Text.begin_comment,
    "s": _Text.style_word,
    "outlinelevel": _Text.level_word,
    "f": _Text.font_word,
    "fcharset": _Text.charset,
    "ansicpg": _Text.code_page,
    "mac": _Text.mac,
    "uc": _Text.skipped,
    **dict.fromkeys(("v", "deleted"), _Text.hide),
    "ilvl": _Text.item_level,
    "super": _raising("superscript"),
    "sub": _raising("subscript"),
    "nosupersub": _raising(""),
    **dict.fromkeys(("listtext", "pntext"), _targeting("label")),
    "shpinst": _targeting("box"),
    "shptxt": _Text.begin_box,
    "upr": _targeting("upr"),
    "ud": _Text.in_unicode_again,
    "stylesheet": _targeting("style"),
    "fonttbl": _targeting("font"),
    **{name: _targeting(name) for name in (*_INFO, "atnauthor")},
}


def _table(rows: list[_Row]) -> Block:
    """Return the table of some rows, whose cells are in one column where their edges are near."""
    edges: list[int] = []
    for at in sorted({edge.at for row in rows for edge in row.edges}):
        if not edges or at - edges[-1] > _NEAR:
            edges.append(at)
    cells: list[Cell] = []
    above: dict[int, Cell] = {}  # by column: the cell of the row before
    for number, row in enumerate(rows):
        placed: dict[int, Cell] = {}
        column = 0
        for nth, text in enumerate(row.texts):
            edge = row.edges[nth] if nth < len(row.edges) else None
            right = max(column + 1, bisect_left(edges, edge.at - _NEAR) + 1) if edge else column + 1
            before = next(reversed(placed.values()), None)
            if edge and edge.goes_on_above and column in above:
                cell = above[column]
                cell.rows = number + 1 - cell.row
            elif edge and edge.goes_on_before and before and not text:
                cell = before
                cell.columns = right - cell.column
            else:
                cell = Cell(number, column, text, columns=right - column)
                cells.append(cell)
            placed[column] = cell
            column = right
        above = placed
    heads = next((nth for nth, row in enumerate(rows) if not row.is_head), 0)
    return Block("table", cells=packed(cells), head_rows=heads)
