"""Reads reStructuredText (.rst) with docutils; what Sphinx adds to it is read as far as it says something."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from io import StringIO
from typing import Any

from docutils import nodes
from docutils.core import publish_doctree
from docutils.languages import get_language
from docutils.parsers.rst import Directive, directives, roles
from docutils.utils import new_document

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
from workers.ingest.reading.docx.line import Line
from workers.ingest.reading.markup.left_out import LeftOut
from workers.ingest.reading.numerals import letters, roman

_DIRECTIVE = re.compile(
    r"^[ \t]{0,80}\.\. (?:\|[^|\n]{1,80}\| )?([A-Za-z][\w:.+-]{0,60})::(?=\s|$)", re.MULTILINE
)
_ROLE = re.compile(r":([A-Za-z][\w:.+-]{0,60}):`")
_TITLED = re.compile(r"(.*\S)\s*<[^<>]*>$", re.DOTALL)  # :ref:`title <target>`
_DEFINED = re.compile(r"\n[ \t]*\n")
_LONGEST_LINE = 100_000  # characters, of a text that substitutions stand for, too
_LEVELS = 6
_WARNING, _ERROR = 2, 3  # levels of docutils' messages
_CODE = frozenset(
    (
        "code-block",
        "sourcecode",
        "code",
        "highlight",
        "prompt",
        "doctest",
        "testcode",
        "console",
        "parsed-literal",
    )
)
# Directives whose text comes from other files, programs or the built pages.
_OUT_NAMES = (
    "toctree include literalinclude raw automodule autoclass autofunction autodata autoexception "
    "automethod autosummary currentmodule module py:module py:currentmodule index contents tabularcolumns "
    "graphviz digraph graph uml plantuml mermaid plot image-sg sectionauthor codeauthor meta default-role "
    "role highlightlang click program argparse"
)
_OUT = frozenset(_OUT_NAMES.split())
# Directives that describe an object: its signature comes before its description.
_DESCRIBED = re.compile(
    r"(?:\w+:)?(?:function|class|method|data|attribute|exception|decorator|property|staticmethod|classmethod|option"
    r"|envvar|confval|setting|describe|object|macro|type|member|var|struct|enum|enumerator|http|get|post|put|delete"
    r"|cmdoption|directive|role|rubric|tab|tab-item|tab-set|dropdown|versionadded|versionchanged|deprecated)"
)
_SAID_FIRST = {"versionadded": "Added in", "versionchanged": "Changed in", "deprecated": "Deprecated since"}
_SETTINGS = {
    "_disable_config": True, "report_level": _WARNING, "halt_level": 5, "file_insertion_enabled": False,
    "raw_enabled": False, "doctitle_xform": False, "docinfo_xform": False, "sectsubtitle_xform": False,
    "line_length_limit": _LONGEST_LINE, "syntax_highlight": "none", "smart_quotes": False,
    "trim_footnote_reference_space": True,
}  # fmt: skip
_FORMS: dict[str, Callable[[int], str]] = {
    "loweralpha": letters,
    "upperalpha": lambda count: letters(count).upper(),
    "lowerroman": roman,
    "upperroman": lambda count: roman(count).upper(),
}


def read(data: bytes, options: dict[str, str]) -> Reading:  # noqa: ARG001 - all readers take options
    """Read a reStructuredText file. Comments and directives without text are left out and counted.

    Args:
        data: the file, in UTF-8.
        options: ignored.

    Raises:
        UnreadableError: its parts are nested too deep.
    """
    text = data.decode()
    left_out = LeftOut()
    _register(text)
    try:
        document = publish_doctree(text, settings_overrides=_SETTINGS | {"warning_stream": StringIO()})
        blocks = list(in_sections(_Story(left_out, text.splitlines()).blocks(document, 0)))
    except RecursionError as error:
        raise UnreadableError("its lists or quotations are nested too deeply") from error
    title = next((block.text for block in blocks if block.kind == "heading"), "")
    return Reading(blocks, title, +left_out, Quality(signs=count_signs(blocks)))


def _register(text: str) -> None:
    """Tell docutils how directives and roles are read that it does not know, or must not follow."""
    known = new_document("")
    language = get_language("en")
    for name in sorted({found[1] for found in _DIRECTIVE.finditer(text)}):
        lowered = name.lower()
        if lowered in _OUT | _CODE or directives.directive(lowered, language, known)[0] is None:
            directives.register_directive(lowered, _Unknown)
    for name in {found[1] for found in _ROLE.finditer(text)}:
        if roles.role(name, language, 0, known.reporter)[0] is None:
            roles.register_local_role(name, _read_role)


class _AnyOption(dict[str, Callable[[str], str]]):
    def __missing__(self, name: str) -> Callable[[str], str]:
        return str


class _left_out(nodes.Element):  # type: ignore[misc] # noqa: N801 - docutils has no types, and calls its nodes so
    """A directive that says nothing."""


class _Unknown(Directive):  # type: ignore[misc] # docutils has no types
    """A directive that docutils does not know."""

    optional_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec = _AnyOption({"": str})

    def run(self) -> list[nodes.Node]:
        said = self.arguments[0] if self.arguments else ""
        if self.name in _OUT:
            return [_left_out(name=self.name)]
        if self.name in _CODE:
            code = "\n".join(self.content)
            block = nodes.literal_block(code, code)
            block.line = self.content_offset + 1
            return [block]
        parts: list[nodes.Node] = []
        if said and _DESCRIBED.fullmatch(self.name):
            lead = " ".join(filter(None, (_SAID_FIRST.get(self.name, ""), " ".join(said.split()))))
            parts = [nodes.paragraph(lead, lead)]
            parts[0].line = self.lineno
        inner = nodes.container()
        self.state.nested_parse(self.content, self.content_offset, inner)
        parts += inner.children
        return parts or [_left_out(name=self.name)]


def _read_role(
    _name: str, _raw: str, text: str, _line: int, _inliner: Any, _options: Any = None, _content: Any = None
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    titled = _TITLED.match(text)
    said = titled[1] if titled else text.lstrip("!")
    if said.startswith("~"):
        said = said.rpartition(".")[2].lstrip("~")
    return [nodes.Text(said)], []


class _Story:
    def __init__(self, left_out: LeftOut, lines: list[str]) -> None:
        self._left_out, self._lines = left_out, lines
        self._at = 1  # the line of the last node that has one

    def blocks(self, parent: nodes.Node, depth: int) -> Iterator[Block]:
        """Yield the blocks of a part of the tree; `depth` counts the sections around it."""
        for node in parent.children:
            if read := _READ.get(type(node).__name__):
                at = self._at = node.line or self._at
                for block in read(self, node, depth):
                    block.line = block.line or at
                    yield block
            elif isinstance(node, nodes.Admonition) and not isinstance(node, nodes.system_message):
                yield from _led(f"{type(node).__name__.capitalize()}:", self.blocks(node, depth))
            else:
                yield from self.blocks(node, depth)

    def section(self, node: nodes.Element, depth: int) -> Iterator[Block]:
        yield from self.blocks(node, depth + 1)

    def title(self, node: nodes.Element, depth: int) -> Iterator[Block]:
        text = " ".join(self._line(node).split())
        if text:
            yield Block("heading", text, max(1, min(depth, _LEVELS)), line=max(1, self._at - 1))

    def paragraph(self, node: nodes.Element, _depth: int) -> Iterator[Block]:
        if text := self._line(node):
            yield Block("paragraph", text)

    def caption(self, node: nodes.Element, _depth: int) -> Iterator[Block]:
        if text := self._line(node):
            yield Block("caption", text)

    def code(self, node: nodes.Element, _depth: int) -> Iterator[Block]:
        if node.astext().strip():
            code = node.astext().strip("\n")
            yield Block("code", code, line=self._begin_of(code))

    def _begin_of(self, code: str) -> int:
        """Return the line where code begins; docutils states its last line for some directives."""
        first, *others = code.splitlines()
        for at in range(self._at, max(0, self._at - len(others) - 4), -1):
            if at <= len(self._lines) and self._lines[at - 1].strip() == first.strip():
                return at
        return self._at

    def note(self, node: nodes.Element, depth: int) -> Iterator[Block]:
        label = next((child.astext() for child in node.children if isinstance(child, nodes.label)), "")
        texts = [block.text for block in self.blocks(node, depth)]
        if any(texts):
            yield Block("note", " ".join(texts), label=f"[{label}]" if label else "")

    def list(self, node: nodes.Element, depth: int, level: int = 1) -> Iterator[Block]:
        number = int(node.get("start", 1))
        for item in node.children:
            label = "-"
            if isinstance(node, nodes.enumerated_list):
                form = _FORMS.get(node.get("enumtype", ""), str)
                label = f"{node.get('prefix', '')}{form(number)}{node.get('suffix', '.')}"
            number += 1
            for part in item.children:
                if isinstance(part, nodes.bullet_list | nodes.enumerated_list):
                    yield from self.list(part, depth, level + 1)
                    continue
                for block in self._wrapped(part, depth):
                    is_first = bool(label) and block.kind == "paragraph"
                    yield replace(block, kind="item", level=level, label=label) if is_first else block
                    label = "" if is_first else label

    def _wrapped(self, node: nodes.Node, depth: int) -> Iterator[Block]:
        holder = nodes.container()
        holder.children = [node]
        return self.blocks(holder, depth)

    def definition(self, node: nodes.Element, depth: int) -> Iterator[Block]:
        """Yield the term of a definition list item, then its definition."""
        terms = [self._line(child) for child in node.children if not isinstance(child, nodes.definition)]
        if terms:
            yield Block("paragraph", ", ".join(filter(None, terms)))
        for child in node.children:
            if isinstance(child, nodes.definition):
                yield from self.blocks(child, depth)

    def field(self, node: nodes.Element, depth: int) -> Iterator[Block]:
        """Yield a field as a line: "param name: description"."""
        name, body = node.children
        yield from _led(f"{name.astext()}:", self.blocks(body, depth))

    def option(self, node: nodes.Element, _depth: int) -> Iterator[Block]:
        yield Block("paragraph", ": ".join(" ".join(child.astext().split()) for child in node.children))

    def table(self, node: nodes.Element, depth: int) -> Iterator[Block]:
        for child in node.children:
            if isinstance(child, nodes.title):
                yield from self.caption(child, depth)
            elif isinstance(child, nodes.tgroup):
                yield from self._table(child, depth)

    def _table(self, group: nodes.Element, depth: int) -> Iterator[Block]:
        cells: list[Cell] = []
        taken: set[tuple[int, int]] = set()
        heads = sum(len(part.children) for part in group.children if isinstance(part, nodes.thead))
        rows = [
            row
            for part in group.children
            if isinstance(part, nodes.thead | nodes.tbody)
            for row in part.children
        ]
        for number, row in enumerate(rows):
            column = 0
            for entry in row.children:
                while (number, column) in taken:
                    column += 1
                height = min(int(entry.get("morerows", 0)) + 1, len(rows) - number)
                width = int(entry.get("morecols", 0)) + 1
                taken |= {(number + down, column + right) for down in range(height) for right in range(width)}
                said = list(self.blocks(entry, depth))
                if text := " ".join(block.text for block in said):
                    cells.append(Cell(number, column, text, height, width, line=said[0].line))
                column += width
        if cells:
            yield Block("table", cells=packed(cells), head_rows=heads)

    def picture(self, node: nodes.Element, _depth: int) -> Iterator[Block]:
        if node.get("alt"):
            yield Block("caption", str(node["alt"]))
        else:
            self._left_out.add("picture")

    def out(self, node: nodes.Element, _depth: int) -> Iterator[Block]:
        if isinstance(node, _left_out):
            self._left_out.add("directive", str(node["name"]))
        elif isinstance(node, nodes.comment):
            self._left_out.add("comment")
        elif isinstance(node, nodes.system_message) and (
            node["level"] >= _ERROR or "ignoring" in node.astext()
        ):
            self._left_out.add("markup that cannot be read")
        yield from ()

    def _line(self, node: nodes.Node) -> str:
        line = Line()
        self._add(node, line, "")
        return line.text()

    def _add(self, node: nodes.Node, line: Line, raised: str) -> None:
        for child in node.children:
            if isinstance(child, nodes.Text):
                line.add(child.astext(), raised)
            elif isinstance(child, nodes.footnote_reference | nodes.citation_reference):
                line.add(f"[{child.astext().lstrip('#*')}]")
            elif isinstance(child, nodes.image):
                self._left_out["picture"] += not child.get("alt")
                line.add(str(child.get("alt", "")))
            elif isinstance(child, nodes.superscript | nodes.subscript):
                self._add(child, line, type(child).__name__)
            elif not isinstance(child, nodes.target | nodes.system_message):
                self._add(child, line, raised)


def _led(lead: str, blocks: Iterator[Block]) -> Iterator[Block]:
    """Yield blocks with a word before the first of them."""
    first = next(blocks, Block("paragraph"))
    if first.kind == "paragraph":
        yield replace(first, text=f"{lead} {first.text}".strip())
    else:
        yield from (Block("paragraph", lead), first)
    yield from blocks


_Read = Callable[[_Story, Any, int], Iterator[Block]]
_READ: Mapping[str, _Read] = {
    "section": _Story.section,
    "title": _Story.title,
    "subtitle": _Story.title,
    "rubric": _Story.paragraph,
    "paragraph": _Story.paragraph,
    "line": _Story.paragraph,
    "attribution": _Story.paragraph,
    "term": _Story.paragraph,
    "caption": _Story.caption,
    "legend": _Story.blocks,
    **dict.fromkeys(("literal_block", "doctest_block", "math_block"), _Story.code),
    **dict.fromkeys(("footnote", "citation"), _Story.note),
    **dict.fromkeys(("bullet_list", "enumerated_list"), _Story.list),
    "definition_list_item": _Story.definition,
    "field": _Story.field,
    "option_list_item": _Story.option,
    "table": _Story.table,
    "image": _Story.picture,
    **dict.fromkeys(
        (
            "_left_out",
            "comment",
            "substitution_definition",
            "target",
            "system_message",
            "label",
            "raw",
            "pending",
            "topic",
        ),
        _Story.out,
    ),
}
