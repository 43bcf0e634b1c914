"""Reads AsciiDoc (.adoc): sections, lists, tables, delimited blocks and notes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

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

_SECTION = re.compile(r"(={1,6}|#{1,6})\s+(\S.*?)(?:\s+\1)?$")
_ATTRIBUTE = re.compile(r":!?([\w-]{1,60})!?:(?:\s+(.*))?$")
_AUTHOR = re.compile(r"([^\W\d][^<:\[\n]{1,80}?)(?:\s+<[^<>\n]{1,100}>)?$")
_REVISION = re.compile(r"v?\d[\w.]{0,20},|\d{4}-\d\d-\d\d")
_DELIMITER = re.compile(r"(-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|/{4,}|`{3}|--|[|,:!]={3,})(.*)$")
_LIST = re.compile(r"\s*(\*{1,5}|-|\.{1,5}|\d{1,9}\.|[a-zA-Z]\.|<(?:\d{1,3}|\.)>)\s+(\S.*)")
_TERM = re.compile(r"\s*(\S.{0,200}?)(:{2,4}|;;)(?:\s+(.*))?$")
_BLOCK_LINE = re.compile(
    r"\[(?:\[[^\[\]\n]{1,200}\]|[^\[\]\n]{0,500}(?:\[[^\[\]\n]{0,100}\][^\[\]\n]{0,100})?)\]$"
)
_BLOCK_TITLE = re.compile(r"\.([^.\s].*)")
_MACRO = re.compile(r"([a-z_]{2,20})::(\S{0,500}?)\[(.*)\]$")
_ADMONITION = re.compile(r"(NOTE|TIP|IMPORTANT|WARNING|CAUTION)(?::\s|$)")
_PICTURE = re.compile(r"image:(?!:)\S{1,500}?\[([^\]\n]{0,500})\]")
_LINKED = re.compile(
    r"(?:link:|xref:|mailto:)(?!:)(\S{1,500}?)\[([^\]\n]{0,500})\]|(https?://[^\s\[\]<>]{1,1000})\[([^\]\n]{0,500})\]"
)
_REFERENCE = re.compile(r"<<([^,<>\n]{1,200})(?:,\s*([^<>\n]{1,300}))?>>")
_NOTE = re.compile(r"footnote(?:ref)?:([\w-]{0,60})\[([^\]\n]{0,2000})\]")
_SHOWN = re.compile(r"(?:kbd|btn|menu|pass|stem|latexmath|asciimath):[\w,]{0,20}\[([^\]\n]{0,500})\]")
_INDEX = re.compile(r"\(\(\(([^()\n]{1,300})\)\)\)")
_TERMED = re.compile(r"\(\(([^()\n]{1,300})\)\)")
_ANCHOR = re.compile(r"\[\[[^\[\]\n]{1,200}\]\]|anchor:\S{1,200}?\[[^\]\n]{0,200}\]")
_NAMED = re.compile(r"\{([\w-]{1,60})\}")
_MARKED = re.compile(r"(?:\[[^\[\]\n]{1,100}\])?(\*\*|__|``|##)(?=\S)([^\n]{1,400}?)\1")
_MARKED_WORD = re.compile(r"(?<![\w\\])(?:\[[^\[\]\n]{1,100}\])?([*_`#+])(?=\S)([^\n]{0,400}?\S)\1(?!\w)")
_RAISED = re.compile(r"([\^~])([^\s^~]{1,40})\1")
_CELL = re.compile(
    r"(?<!\\)(?:(?<=\s)|^)((?:\d{1,3}(?:\.\d{1,3})?|\.\d{1,3})?[+*]?[<^>]?(?:\.[<^>])?[adehlmsv]?)\|"
)
_SPAN = re.compile(r"(\d{1,3})?(?:\.(\d{1,3}))?\+")
_COLUMNS = re.compile(r"cols\s*=\s*[\"']?([^\"'\]]{1,300})")
_SIGNS = {
    "nbsp": " ",
    "zwsp": "",
    "sp": " ",
    "empty": "",
    "plus": "+",
    "asterisk": "*",
    "amp": "&",
    "lt": "<",
    "gt": ">",
}
_LEVELS, _MOST_COLUMNS, _DEEPEST = 6, 100, 20


def read(data: bytes, options: dict[str, str]) -> Reading:  # noqa: ARG001 - all readers take options
    """Read an AsciiDoc file. Included files, macros and raw markup are left out and counted.

    Args:
        data: the file, in UTF-8.
        options: ignored.
    """
    text = _Text(data.decode().splitlines(), {}, LeftOut(), 0)
    blocks = list(in_sections(text.blocks()))
    title = next((block.text for block in blocks if block.kind == "heading"), "")
    author = text.attributes.get("author", "")
    return Reading(
        blocks,
        title,
        +text.left_out,
        Quality(signs=count_signs(blocks)),
        {"author": author} if author else {},
    )


class _Text:
    """The lines of a text or of a block in it."""

    def __init__(
        self,
        lines: list[str],
        attributes: dict[str, str],
        left_out: LeftOut,
        depth: int,
        before: int = 0,
    ) -> None:
        self._lines, self._at, self._depth = lines, 0, depth
        self._before = before  # lines of the file before them
        self._notes: list[Block] = []
        self._markers: list[str] = []  # of the lists that are open
        self._counts: list[int] = []
        self._form = ""  # what a line in brackets says of the next block
        self._is_attached = False  # whether the next block belongs to an item
        self.attributes, self.left_out = attributes, left_out

    def blocks(self) -> Iterator[Block]:
        """Yield the blocks of the text."""
        is_after_gap = True
        while self._at < len(self._lines):
            line = self._lines[self._at].rstrip()
            self._at += 1
            if not line:
                is_after_gap = True
                continue
            number = self._before + self._at
            for block in self._next(line, is_after_gap=is_after_gap):
                block.line = block.line or number
                yield block
            for note in self._notes:
                note.line = number
                yield note
            self._notes = []
            is_after_gap = False

    def _next(self, line: str, *, is_after_gap: bool) -> Iterator[Block]:
        if section := _SECTION.match(line):
            self._markers, self._counts = [], []
            yield Block("heading", self._plain(section[2]), min(len(section[1]), _LEVELS))
            if len(section[1]) == 1 and self._depth == 0:
                self._head()
        elif attribute := _ATTRIBUTE.match(line):
            self.attributes.setdefault(attribute[1].lower(), attribute[2] or "")
        elif line.startswith("//") and not line.startswith("////"):
            self.left_out.add("comment")
        elif delimited := _DELIMITER.match(line):
            yield from self._delimited(delimited[1], delimited[2])
        elif _BLOCK_LINE.match(line):
            self._form = f"{self._form} {line}" if self._form else line
            return
        elif is_after_gap and (titled := _BLOCK_TITLE.match(line)):
            yield Block("caption", self._plain(titled[1]))
            return  # a line in brackets may stand above it, for the block below
        elif macro := _MACRO.match(line):
            yield from self._macro(macro[1], macro[3])
        elif line not in ("'''", "<<<", "+", "---", "***"):
            yield from self._text(line)
        self._form = ""
        self._is_attached = line == "+"

    def _text(self, line: str) -> Iterator[Block]:
        if item := _LIST.match(line):
            yield from self._item(item[1], item[2])
        elif term := _TERM.match(line):
            yield from self._term(term[1], term[3] or "")
        elif self._is_underlined(line):
            level = "=-~^+".index(self._lines[self._at][0]) + 1
            self._at += 1
            yield Block("heading", self._plain(line), level)
        else:
            yield from self._paragraph(line)

    def _is_underlined(self, line: str) -> bool:
        below = self._lines[self._at].rstrip() if self._at < len(self._lines) else ""
        is_rule = below[:1] in tuple("=-~^+") and below == below[:1] * len(below)
        return is_rule and len(below) > 3 and abs(len(below) - len(line)) < 3 and line[0].isalnum()  # noqa: PLR2004 - AsciiDoc's

    def _head(self) -> None:
        """Read the author and the attributes from the lines below the title."""
        if self._at < len(self._lines) and (found := _AUTHOR.match(self._lines[self._at].strip())):
            self.attributes.setdefault("author", found[1].replace("_", " "))
            self._at += 1
            if self._at < len(self._lines) and _REVISION.match(self._lines[self._at].strip()):
                self._at += 1

    def _taken(self, ends: Callable[[str], bool]) -> list[str]:
        """Return the lines before one that ends a block, which is passed over."""
        begin = self._at
        while self._at < len(self._lines) and not ends(self._lines[self._at].rstrip()):
            self._at += 1
        self._at += 1
        return self._lines[begin : self._at - 1]

    def _delimited(self, mark: str, behind: str) -> Iterator[Block]:
        if not self._is_attached:
            self._markers, self._counts = [], []
        before = self._before + self._at
        lines = self._taken(lambda line: line == mark)
        if mark[-2:] == "==" and mark[0] in "|,:!":
            yield from self._table(lines, mark[0], before + 1)
        elif mark[0] == "/" or "comment" in self._form:
            self.left_out.add("comment")
        elif mark[0] == "+":
            self.left_out.add("raw markup")
        elif mark[0] in ".`" or (mark[0] == "-" and len(mark) > 2) or "source" in self._form:  # noqa: PLR2004 - `--` is none
            code = re.sub(r"(?m)[ \t]{0,40}<\d{1,3}>$", "", "\n".join(lines))
            yield from code_block(code, before + 1)
        elif self._depth < _DEEPEST and not behind.strip():
            inner = _Text(lines, self.attributes, self.left_out, self._depth + 1, before)
            kind = _ADMONITION.match(self._form.strip("[]") + ": ")
            yield from _led(kind[1] if kind else "", inner.blocks())

    def _macro(self, name: str, inner: str) -> Iterator[Block]:
        alt = inner.split(",", maxsplit=1)[0].strip().strip('"')
        if name == "image" and alt and "=" not in alt:
            yield Block("caption", self._plain(alt))
        elif name == "image":
            self.left_out.add("picture")
        elif name == "include":
            self.left_out.add("text of another file")
        elif name in ("ifdef", "ifndef", "ifeval", "endif") and inner and name != "ifeval":
            yield Block("paragraph", self._plain(inner))
        else:
            self.left_out.add("macro", name)

    def _continued(self) -> Iterator[str]:
        """Yield the next lines of a paragraph or an item."""
        while self._at < len(self._lines):
            line = self._lines[self._at].rstrip()
            if (
                not line
                or line == "+"
                or _LIST.match(line)
                or _DELIMITER.match(line)
                or _BLOCK_LINE.match(line)
            ):
                return
            if _TERM.match(line) and self._markers:
                return
            self._at += 1
            if line.startswith("//"):
                self.left_out.add("comment")
            else:
                yield line.strip().removesuffix(" +")

    def _paragraph(self, line: str) -> Iterator[Block]:
        is_fixed = line[0].isspace() or any(word in self._form for word in ("source", "listing", "literal"))
        if is_fixed:
            self._at -= 1
            code = "\n".join(self._taken(lambda each: not each))
            self._at -= self._at <= len(self._lines)
            yield Block("code", code.strip("\n"))
            return
        if not self._is_attached:
            self._markers, self._counts = [], []
        if said := self._plain("\n".join([line.strip().removesuffix(" +"), *self._continued()])):
            kind = _ADMONITION.match(self._form.strip("[]") + ": ")
            yield Block("paragraph", f"{kind[1].capitalize()}: {said}" if kind else said)

    def _item(self, marker: str, said: str) -> Iterator[Block]:
        known = marker if marker[0] in "*.-" else marker[0].isdigit() * "1" + marker[0].isalpha() * "a" or "<"
        while self._markers and known in self._markers and self._markers[-1] != known:
            self._markers.pop()
            self._counts.pop()
        if known == "<" or self._markers[:1] == ["<"]:  # remarks on code lie in no list
            self._markers, self._counts = (
                ([known], self._counts[:1]) if self._markers == [known] else ([], [])
            )
        if known not in self._markers:
            self._markers.append(known)
            self._counts = [*self._counts[: len(self._markers) - 1], 0]
        self._counts[-1] += 1
        label = "-"
        if known[0] in ".1a<":
            label = f"{self._counts[-1]}." if marker[0] in ".<" else marker
        text = self._plain(" ".join([said, *self._continued()]))
        if text:
            yield Block("item", text, len(self._markers), label)

    def _term(self, term: str, said: str) -> Iterator[Block]:
        while not said and self._at < len(self._lines):
            said = self._lines[self._at].strip()
            if said and (
                _LIST.match(said) or _DELIMITER.match(said) or _TERM.match(said) or _BLOCK_LINE.match(said)
            ):
                said = ""
                break
            self._at += 1
        self._markers = self._markers or [":"]
        self._counts = self._counts or [0]
        text = " ".join([said, *(self._continued() if said else ())])
        yield Block("paragraph", f"{self._plain(term)}: {self._plain(text)}".strip())

    def _table(self, lines: list[str], separator: str, first: int) -> Iterator[Block]:
        is_apart = len(lines) > 1 and bool(lines[0].strip()) and not lines[1].strip()
        heads = "header" in self._form or (is_apart and "noheader" not in self._form)
        if separator == ",":
            rows = [(nth, line.split(",")) for nth, line in enumerate(lines, first) if line.strip()]
            cells = [
                Cell(row, column, said, line=nth)
                for row, (nth, texts) in enumerate(rows)
                for column, text in enumerate(texts)
                if (said := self._plain(text.strip()))
            ]
        else:
            cells = self._placed(list(self._cells(lines, first)), self._columns(lines))
        if cells:
            yield Block("table", cells=packed(cells), head_rows=int(heads))

    def _placed(self, texts: list[tuple[str, str, int]], columns: int) -> list[Cell]:
        """Return cells in the places that those before them leave."""
        cells, taken, row, column = list[Cell](), set[tuple[int, int]](), 0, 0
        for spec, text, line in texts:
            span = _SPAN.match(spec)
            again = int(spec[: spec.index("*")]) if "*" in spec and spec[0].isdigit() else 1
            for _nth in range(min(again, columns)):
                while (row, column) in taken or column >= columns:
                    row, column = (row, column + 1) if column < columns else (row + 1, 0)
                width = min(int(span[1] or 1) if span else 1, columns - column)
                height = min(int(span[2] or 1) if span else 1, len(texts))
                if said := self._plain(" ".join(text.split())):
                    cells.append(Cell(row, column, said, height, width, line=line))
                taken |= {(row + down, column + right) for down in range(height) for right in range(width)}
                column += width
        last = max((cell.row for cell in cells), default=0) + 1
        return [replace(cell, rows=min(cell.rows, last - cell.row)) for cell in cells]

    def _cells(self, lines: list[str], first: int) -> Iterator[tuple[str, str, int]]:
        """Yield the specification of each cell, its text, and the number of its line."""
        text = "\n".join(lines)
        found = list(_CELL.finditer(text))
        line, at = first, 0
        for one, after in zip(found, [*found[1:], None], strict=True):
            line, at = line + text.count("\n", at, one.end()), one.end()
            said = text[one.end() : after.start() if after else len(text)].replace("\\|", "|")
            yield one[1], said, line

    def _columns(self, lines: list[str]) -> int:
        if stated := _COLUMNS.search(self._form):
            parts = [part.strip() for part in stated[1].replace(";", ",").split(",")]
            count = sum(
                int(part.split("*")[0]) if "*" in part and part.split("*")[0].isdigit() else 1
                for part in parts
                if part
            )
            return max(1, min(count, _MOST_COLUMNS))
        first = next((line for line in lines if line.strip()), "")
        spans = [_SPAN.match(found[1]) for found in _CELL.finditer(first)]
        return max(1, min(sum(int(span[1] or 1) if span else 1 for span in spans), _MOST_COLUMNS))

    def _plain(self, text: str) -> str:
        """Return a text without its marks."""
        text = _NAMED.sub(self._attribute, text)
        text = _NOTE.sub(self._noted, text)
        text = _PICTURE.sub(self._pictured, text)
        text = _LINKED.sub(
            lambda found: (
                (found[2] or found[4] or found[1] or found[3] or "").rstrip("^").split(",")[0].strip('"')
            ),
            text,
        )
        text = _REFERENCE.sub(lambda found: found[2] or found[1], text)
        text = _SHOWN.sub(r"\1", _ANCHOR.sub("", text))
        text = _TERMED.sub(r"\1", _INDEX.sub("", text))
        text = _RAISED.sub(lambda found: f"{RAISED if found[1] == '^' else '_'}{found[2]}", text)
        return _MARKED_WORD.sub(r"\2", _MARKED.sub(r"\2", text)).strip()

    def _attribute(self, found: re.Match[str]) -> str:
        name = found[1].lower()
        said = self.attributes.get(name, _SIGNS.get(name))
        return found[0] if said is None else said

    def _noted(self, found: re.Match[str]) -> str:
        if not found[2]:
            return f"[{found[1]}]" if found[1] else ""
        mark = f"[{found[1] or sum(block.kind == 'note' for block in self._notes) + 1}]"
        self._notes.append(Block("note", found[2], label=mark))
        return mark

    def _pictured(self, found: re.Match[str]) -> str:
        alt = found[1].split(",")[0].strip('"')
        if not alt or "=" in alt:
            self.left_out.add("picture")
            return ""
        return alt


def _led(lead: str, blocks: Iterator[Block]) -> Iterator[Block]:
    """Yield blocks, the first with a word before it."""
    first = next(blocks, None)
    if first is not None:
        is_led = lead and first.kind == "paragraph"
        yield replace(first, text=f"{lead.capitalize()}: {first.text}") if is_led else first
        yield from blocks
