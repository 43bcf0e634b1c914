"""Reads Org (.org): headlines, lists, tables, blocks of code and footnotes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workers.ingest.reading.blocks import (
    RAISED,
    Block,
    Cell,
    Quality,
    Reading,
    code_block,
    count_signs,
    in_sections,
    packed,
)
from workers.ingest.reading.markup.left_out import LeftOut

_HEADLINE = re.compile(r"(\*{1,40})\s{1,80}(.*)")
_STATE = re.compile(r"(?:TODO|DONE|NEXT|WAITING|CANCELL?ED|STARTED|HOLD)\s{1,80}")
_PRIORITY = re.compile(r"\[#[A-Z]\]\s{0,80}")
_TAGS = re.compile(r"\s{1,80}:[\w@#%:]{1,200}:$")
_KEYWORD = re.compile(r"#\+(\w{1,40})(?:\[[^\]]{0,80}\])?:\s{0,80}(.*)")
_BEGIN = re.compile(r"\s{0,80}#\+begin_(\w{1,30})\b", re.IGNORECASE)
_CODE = ("src", "example", "verbatim")
_UNREAD = ("comment", "export")
_DRAWER = re.compile(r"\s{0,80}:([\w-]{1,40}):\s{0,80}$")
_ITEM = re.compile(
    r"(\s{0,80})([-+]|\d{1,9}[.)]|[A-Za-z][.)](?=\s))(?:\s{1,80}(.*))?$|(\s{1,80})(\*)\s{1,80}(.*)"
)
_TERM = re.compile(r"(.{1,200}?)\s{1,80}::\s{1,80}(.*)")
_NOTE = re.compile(r"\[fn:([\w-]{1,60})\]\s{1,80}(.*)")
_RULE = re.compile(r"\s{0,80}\|[-+]+\|?\s{0,80}$")
_LINK = re.compile(r"\[\[([^\[\]\n]{1,1000})\](?:\[([^\]\n]{1,1000})\])?\]")
_PICTURE = re.compile(r"(?:file:|\./)?\S{1,500}\.(?:png|jpe?g|gif|svg|webp)", re.IGNORECASE)
_MACRO = re.compile(r"\{\{\{[^{}\n]{1,500}\}\}\}")
_MARKED = re.compile(r"(?<![^\s\-('\"{])([*/_=~+])(?=\S)([^\n]{0,400}?\S)\1(?![^\s\-.,:!?;'\")}\[])")
_REFERENCE = re.compile(r"\[fn:([\w-]{1,60})\]")
_INLINE_NOTE = re.compile(r"\[fn:([\w-]{0,60}):([^\[\]\n]{1,1000})\]")
_RAISED = re.compile(r"(?<=\S)([\^_])\{([^{}\n]{1,40})\}")
_LEVELS = 6
_INDENT = 2  # blanks by which a level of a list is usually indented


def read(data: bytes, options: dict[str, str]) -> Reading:  # noqa: ARG001 - all readers take options
    """Read an Org file. Drawers, comments and macros are left out and counted.

    Args:
        data: the file, in UTF-8.
        options: ignored.
    """
    text = _Text(data.decode().splitlines())
    blocks = list(in_sections(text.blocks()))
    author = text.keywords.get("author", "")
    return Reading(
        blocks,
        text.keywords.get("title", ""),
        +text.left_out,
        Quality(signs=count_signs(blocks)),
        {"author": author} if author else {},
    )


class _Text:
    """The lines of a text, read from the first to the last."""

    def __init__(self, lines: list[str], before: int = 0) -> None:
        self._lines, self._at = lines, 0
        self._before = before  # lines of the file before them
        self._indents: list[int] = []  # of the lists that are open
        self._notes: list[Block] = []
        self.keywords: dict[str, str] = {}
        self.left_out = LeftOut()

    def blocks(self) -> Iterator[Block]:
        """Yield the blocks of the text."""
        while self._at < len(self._lines):
            line = self._lines[self._at]
            self._at += 1
            number = self._number
            for block in self._next(line):
                block.line = block.line or number
                yield block
            for note in self._notes:
                note.line = number
                yield note
            self._notes = []

    @property
    def _number(self) -> int:
        """The number in the file of the line that was read last."""
        return self._before + self._at

    def _next(self, line: str) -> Iterator[Block]:
        if found := _HEADLINE.match(line):
            yield from self._headline(found)
        elif begun := _BEGIN.match(line):
            yield from self._block(begun[1].lower())
        elif _DRAWER.match(line) and line.strip().lower() != ":end:":
            self._skip(r"\s{0,80}:end:\s{0,80}$")
            self.left_out.add("drawer")
        elif found := _KEYWORD.match(line.strip()):
            yield from self._keyword(found[1].lower(), found[2].strip())
        elif re.match(r"\s{0,80}#(?:\s|$)", line):
            self.left_out.add("comment")
        else:
            yield from self._text(line)

    def _text(self, line: str) -> Iterator[Block]:
        if line.lstrip().startswith("|"):
            yield from self._table(line)
        elif found := _NOTE.match(line):
            yield Block("note", " ".join([found[2], *self._continued(0)]), label=f"[{found[1]}]")
        elif re.match(r"\s{0,80}:\s", line):
            yield from self._fixed(line)
        elif found := _ITEM.match(line):
            yield from self._item(found)
        elif line.strip() and not re.fullmatch(r"\s{0,80}-{5,}\s{0,80}", line):
            yield from self._paragraph(line)

    def _headline(self, found: re.Match[str]) -> Iterator[Block]:
        self._indents = []
        title = _PRIORITY.sub("", _STATE.sub("", _TAGS.sub("", found[2]), count=1), count=1)
        if title.startswith("COMMENT "):
            depth = len(found[1])
            while self._at < len(self._lines):
                below = _HEADLINE.match(self._lines[self._at])
                if below and len(below[1]) <= depth:
                    break
                self._at += 1
            self.left_out.add("comment")
        elif title.strip():
            yield Block("heading", self._plain(title), min(len(found[1]), _LEVELS))

    def _keyword(self, name: str, value: str) -> Iterator[Block]:
        if name in ("title", "author", "date"):
            said = self._plain(value)
            self.keywords.setdefault(name, said)
            if name == "title" and said:
                yield Block("heading", said, 1)
        elif name == "caption":
            yield Block("caption", self._plain(value))
        elif name not in ("tblfm", "name", "results", "label"):
            self.left_out.add("keyword", name)

    def _skip(self, end: str) -> list[str]:
        """Return the lines before the one that ends a block, which are passed over."""
        pattern, begin, depth = re.compile(end, re.IGNORECASE), self._at, 1
        again = re.compile(end.replace("end", "begin", 1), re.IGNORECASE)
        while self._at < len(self._lines):
            depth += (again.match(self._lines[self._at]) is not None) - (
                pattern.match(self._lines[self._at]) is not None
            )
            if not depth:
                break
            self._at += 1
        self._at += 1
        return self._lines[begin : self._at - 1]

    def _block(self, name: str) -> Iterator[Block]:
        before = self._number
        lines = self._skip(rf"\s*#\+end_{re.escape(name)}\b")
        if name in _CODE:
            indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
            code = "\n".join(line[indent:].removeprefix(",") for line in lines)
            yield from code_block(code, before + 1)
        elif name in _UNREAD:
            self.left_out.add("comment" if name == "comment" else "raw markup")
        else:
            inner = _Text(lines, before)
            inner.left_out = self.left_out
            yield from inner.blocks()

    def _fixed(self, line: str) -> Iterator[Block]:
        lines = [line]
        while self._at < len(self._lines) and re.match(r"\s{0,80}:(?:\s|$)", self._lines[self._at]):
            lines.append(self._lines[self._at])
            self._at += 1
        yield Block("code", "\n".join(each.strip()[2:] for each in lines))

    def _continued(self, indent: int) -> Iterator[str]:
        """Yield the continuation lines that follow: those indented by at least `indent`."""
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if not line.strip() or len(line) - len(line.lstrip()) < indent or self._begins(line):
                return
            self._at += 1
            yield line.strip()

    def _begins(self, line: str) -> bool:
        """Return whether a line begins a new element."""
        begins = (_HEADLINE, _BEGIN, _DRAWER, _NOTE, _ITEM)
        return line.lstrip().startswith(("|", "#")) or any(pattern.match(line) for pattern in begins)

    def _paragraph(self, line: str) -> Iterator[Block]:
        if not line.startswith(" "):
            self._indents = []
        text = "\n".join([line.strip(), *self._continued(0)])
        if said := self._plain(text):
            yield Block("paragraph", said)

    def _item(self, found: re.Match[str]) -> Iterator[Block]:
        indent, label, said = (
            len(found[1] or found[4] or ""),
            found[2] or found[5],
            found[3] or found[6] or "",
        )
        while self._indents and self._indents[-1] > indent:
            self._indents.pop()
        if not self._indents or self._indents[-1] < indent:
            self._indents.append(indent)
        text = " ".join([said, *self._continued(indent + 1)])
        if term := _TERM.match(text):
            text = f"{term[1]}: {text[term.start(2) :]}"
        shown = label if label[0].isalnum() else "-"
        if said := self._plain(text):
            yield Block("item", said, len(self._indents), shown)

    def _table(self, line: str) -> Iterator[Block]:
        rows, heads, cells = 0, 0, list[Cell]()
        self._at -= 1
        while self._at < len(self._lines) and self._lines[self._at].lstrip().startswith("|"):
            line = self._lines[self._at].strip()
            self._at += 1
            if _RULE.match(line):
                heads = heads or rows
                continue
            texts = line.strip().removeprefix("|").removesuffix("|").split("|")
            if all(re.fullmatch(r"(?:<[lcr]?\d{0,4}>)?", text.strip()) for text in texts):
                continue
            for column, text in enumerate(texts):
                if said := self._plain(text.strip()):
                    cells.append(Cell(rows, column, said, line=self._number))
            rows += 1
        if cells:
            yield Block("table", cells=packed(cells), head_rows=heads if heads < rows else 0)

    def _plain(self, text: str) -> str:
        """Return a text without its marks."""
        for macro in _MACRO.findall(text):
            self.left_out.add("macro", macro.strip("{}").partition("(")[0])
        text = _INLINE_NOTE.sub(self._noted, _MACRO.sub("", text))
        text = _LINK.sub(self._linked, text)
        text = _REFERENCE.sub(r"[\1]", text)
        text = _RAISED.sub(lambda found: f"{RAISED if found[1] == '^' else '_'}{found[2]}", text)
        return _MARKED.sub(r"\2", text).replace("\\\\", "").strip()

    def _noted(self, found: re.Match[str]) -> str:
        mark = f"[{found[1] or sum(block.kind == 'note' for block in self._notes) + 1}]"
        self._notes.append(Block("note", found[2].strip(), label=mark))
        return mark

    def _linked(self, found: re.Match[str]) -> str:
        if not found[2] and _PICTURE.fullmatch(found[1]):
            self.left_out.add("picture")
            return ""
        return found[2] or found[1].removeprefix("file:").removeprefix("*")
