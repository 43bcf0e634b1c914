"""Reads LaTeX (.tex): sections, lists, tables, listings and notes; formulas are kept as source."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from pylatexenc.latex2text import LatexNodes2Text
from pylatexenc.latex2text import get_default_latex_context_db as texts_of_macros
from pylatexenc.latexwalker import (
    LatexCharsNode,
    LatexCommentNode,
    LatexEnvironmentNode,
    LatexGroupNode,
    LatexMacroNode,
    LatexMathNode,
    LatexSpecialsNode,
    LatexWalker,
    LatexWalkerParseError,
    get_default_latex_context_db,
)
from pylatexenc.macrospec import EnvironmentSpec, MacroSpec

from workers.ingest.reading.blocks import (
    Block,
    Cell,
    Quality,
    Reading,
    UnreadableError,
    code_block,
    count_signs,
    in_sections,
    packed,
)
from workers.ingest.reading.docx.line import Line
from workers.ingest.reading.markup.left_out import LeftOut

_Node = Any  # pylatexenc has no types
_SECTIONS = {
    "part": 1, "chapter": 1, "section": 2, "frametitle": 2, "subsection": 3, "framesubtitle": 3,
    "subsubsection": 4, "paragraph": 5, "subparagraph": 6,
}  # fmt: skip
# pylatexenc knows one environment whose text is no LaTeX: others are read as that.
_CODE = re.compile(
    r"\\begin\{(?:lstlisting|minted|[BL]?Verbatim|alltt|verbatim)\*?\}(?:\[[^\]\n]{0,500}\])?(?:\{[^}\n]{0,100}\})?"
    r"|\\end\{(?:lstlisting|minted|[BL]?Verbatim|alltt|verbatim)\*?\}"
)
_UNREAD = re.compile(r"\\begin\{(comment|filecontents\*?)\}")
_LISTS = ("itemize", "enumerate", "description", "thebibliography", "compactitem", "compactenum")
_TABLES = (
    "tabular",
    "tabular*",
    "tabularx",
    "tabulary",
    "longtable",
    "longtabu",
    "tabu",
    "supertabular",
    "array",
)
_DRAWINGS = ("tikzpicture", "picture", "pspicture", "axis", "pgfpicture", "forest", "circuitikz", "asy")
_FORMULAS = re.compile(
    r"(?:equation|align|gather|multline|eqnarray|displaymath|math|flalign|alignat|IEEEeqnarray)\*?"
)
_CITED = re.compile(
    r"(?:[a-zA-Z]{0,20}cite[a-zA-Z]{0,20}\*?|ref|eqref|pageref|autoref|cref|Cref|nameref|vref)"
)
_RULES = ("hline", "toprule", "bottomrule", "cline", "cmidrule", "hhline", "endfoot", "endlastfoot")
_NAMES = {"LaTeX": "LaTeX", "TeX": "TeX", "LaTeXe": "LaTeX2e", "BibTeX": "BibTeX", "XeLaTeX": "XeLaTeX"}
_RAISED = {"textsuperscript": "superscript", "textsubscript": "subscript"}
# What shows nothing, and what of it is counted.
_SILENT_NAMES = (
    "label index thanks centering vspace hspace vspace* hspace* noindent newpage clearpage pagebreak "
    "bigskip medskip smallskip maketitle tableofcontents pagestyle thispagestyle setlength setcounter "
    "addtolength selectfont protect item par usepackage documentclass bibliographystyle hyphenation null "
    "strut phantom hphantom vphantom linebreak nolinebreak raggedright raggedleft small footnotesize "
    "scriptsize tiny normalsize large Large LARGE huge Huge bf it sl tt sf rm em bfseries itshape "
    "ttfamily sffamily rmfamily mdseries upshape appendix frontmatter mainmatter backmatter listoffigures "
    "listoftables columnbreak rowcolor cellcolor arraybackslash relax title author date endhead "
    "endfirsthead midrule markboth pagenumbering nopagebreak onehalfspacing doublespacing singlespacing "
    "hfill vfill addcontentsline addtocounter fontsize hrule rule color"
)
_SILENT = frozenset((*_SILENT_NAMES.split(), *_RULES))
_COUNTED = {
    **dict.fromkeys(("includegraphics", "includesvg"), "picture"),
    **dict.fromkeys(
        ("input", "include", "import", "subfile", "bibliography", "printbibliography"), "text of another file"
    ),
    **dict.fromkeys(("addbibresource", "lstinputlisting", "verbatiminput"), "text of another file"),
    **dict.fromkeys(("newcommand", "renewcommand", "providecommand", "def", "let"), "definition of a macro"),
    **dict.fromkeys(("newenvironment", "renewenvironment", "newtheorem"), "definition of a macro"),
    "DeclareMathOperator": "definition of a macro",
}
_MORE_MACROS = {
    "multicolumn": "{{{", "multirow": "{[{[{", "bibitem": "[{", "frametitle": "{", "framesubtitle": "{",
    "href": "{{", "title": "[{", "author": "[{", "date": "{", "caption": "*[{", "subcaption": "{",
    "captionof": "{{", "endnote": "{", "sidenote": "{", "marginpar": "[{", "thanks": "{",
    "footnotetext": "[{", "autoref": "{", "cref": "{", "Cref": "{", "eqref": "{", "nameref": "{",
    "vref": "{", "label": "{", "index": "{", "vspace": "*{", "hspace": "*{", "cline": "{", "cmidrule": "{",
    "color": "{", "textcolor": "{{", "colorbox": "{{", "rowcolor": "[{", "cellcolor": "[{",
    "setlength": "{{", "setcounter": "{{", "addtolength": "{{", "addtocounter": "{{",
    "addcontentsline": "{{{", "pagestyle": "{", "thispagestyle": "{", "pagenumbering": "{",
    "markboth": "{{", "fontsize": "{{", "rule": "[{{", "input": "{", "include": "{", "import": "{{",
    "subfile": "{", "bibliography": "{", "addbibresource": "{", "bibliographystyle": "{",
    "lstinputlisting": "[{", "verbatiminput": "{", "printbibliography": "[", "textsuperscript": "{",
    "textsubscript": "{", "newtheorem": "*{[{[", "let": "", "hhline": "{", "url": "{",
    "DeclareMathOperator": "*{{", "newenvironment": "*{[[{{", "renewenvironment": "*{[[{{",
    "acknowledgments": "",
}  # fmt: skip
_PARAGRAPH_END = re.compile(r"\n[ \t]*\n\s*")
_MOST_EXPANDED = 10_000  # uses of macros that the text defines itself
_DEEPEST = 8


def read(data: bytes, options: dict[str, str]) -> Reading:  # noqa: ARG001 - all readers take options
    """Read a LaTeX file. Unknown macros and the text of other files are left out and counted.

    Args:
        data: the file, in UTF-8.
        options: ignored.

    Raises:
        UnreadableError: its groups are nested too deep, or it cannot be told what belongs together.
    """
    left_out = LeftOut()
    source = _prepared(data.decode(), left_out)
    text = _Text(left_out, [found.start() for found in re.finditer("\n", source)])
    try:
        nodes, _at, _length = LatexWalker(
            source, latex_context=_context(), tolerant_parsing=True
        ).get_latex_nodes()
        text.read(_body(nodes, text))
        text.end_paragraph()
    except RecursionError as error:
        raise UnreadableError("its groups are nested too deeply") from error
    except LatexWalkerParseError as error:
        raise UnreadableError(f"not LaTeX, or broken: {str(error)[:200]}") from error
    blocks = list(in_sections([*text.head(), *text.blocks]))
    author = text.said("author")
    return Reading(
        blocks,
        text.said("title"),
        +text.left_out,
        Quality(signs=count_signs(blocks)),
        {"author": author} if author else {},
    )


def _prepared(source: str, left_out: LeftOut) -> str:
    """Return a text without comments that are environments, and with one kind of environment for code.

    Its lines keep their numbers.
    """
    parts, at = [], 0
    while found := _UNREAD.search(source, at):
        end = source.find(f"\\end{{{found[1]}}}", found.end())
        parts.append(source[at : found.start()])
        at = len(source) if end < 0 else end + len(f"\\end{{{found[1]}}}")
        parts.append("%\n" * source.count("\n", found.start(), at))
        left_out.add("comment")
    parts.append(source[at:])
    return _CODE.sub(
        lambda found: r"\begin{verbatim}" if found[0].startswith(r"\begin") else r"\end{verbatim}",
        "".join(parts),
    )


def _context() -> Any:
    context = get_default_latex_context_db()
    context.add_context_category(
        "hopline",
        prepend=True,
        macros=[MacroSpec(name, args) for name, args in _MORE_MACROS.items()],
        environments=[
            *(
                EnvironmentSpec(name, "[{")
                for name in ("longtable", "longtabu", "tabu", "supertabular", "tabular")
            ),
            *(EnvironmentSpec(name, "{[{") for name in ("tabular*", "tabularx", "tabulary")),
            EnvironmentSpec("thebibliography", "{"),
            EnvironmentSpec("frame", "[{"),
            EnvironmentSpec("minipage", "[{"),
            EnvironmentSpec("multicols", "{"),
        ],
    )
    return context


def _body(nodes: Sequence[_Node], text: _Text) -> Sequence[_Node]:
    """Return the nodes of the document environment; read macros and the author from the preamble."""
    for number, node in enumerate(nodes):
        if isinstance(node, LatexEnvironmentNode) and node.environmentname == "document":
            text.prepare(nodes[:number])
            return list(node.nodelist)
    text.prepare(nodes)
    return nodes


def _arguments(node: _Node) -> list[_Node]:
    return [] if node.nodeargd is None else [one for one in node.nodeargd.argnlist or () if one is not None]


def _inner(node: _Node | None) -> list[_Node]:
    """Return the nodes of an argument."""
    if node is None:
        return []
    return list(node.nodelist) if isinstance(node, LatexGroupNode) else [node]


class _Text:
    """The blocks so far, and the paragraph that is being read."""

    def __init__(self, left_out: LeftOut, breaks: Sequence[int] | None = None) -> None:
        self.blocks: list[Block] = []
        self.left_out = left_out
        self._breaks = breaks  # offsets of line ends; None where lines are not counted
        self._here = 0  # the line of the node that is being read
        self._began = 0  # the line in which the paragraph began; 0 before it
        self._is_defined = False  # whether nodes stand in the definition of a macro
        self._line = Line()
        self._notes: list[Block] = []
        self._heads: dict[str, list[_Node]] = {}
        self._defined: dict[str, list[_Node]] = {}
        self._expanded = 0
        self._lists: list[list[Any]] = []  # kind and count of each list that is open
        self._label: tuple[str, int] | None = None  # of the item that begins, and its level
        self._known = texts_of_macros()
        self._letters = LatexNodes2Text(latex_context=self._known, math_mode="verbatim", keep_comments=False)

    def prepare(self, nodes: Iterable[_Node]) -> None:
        """Record the title, the author, the date and the macros that the preamble defines."""
        for node in nodes:
            if not isinstance(node, LatexMacroNode):
                continue
            if node.macroname in ("title", "author", "date"):
                self._heads.setdefault(
                    node.macroname, _inner(_arguments(node)[-1] if _arguments(node) else None)
                )
            elif node.macroname in ("newcommand", "renewcommand", "providecommand"):
                self._define(node)

    def _define(self, node: _Node) -> None:
        parts = _arguments(node)
        names = [one for part in parts[:2] for one in _inner(part) if isinstance(one, LatexMacroNode)]
        if len(parts) == 2 and names:  # it takes no arguments  # noqa: PLR2004 - its name, and what it stands for
            self._defined[names[0].macroname] = _inner(parts[-1])

    def head(self) -> Iterator[Block]:
        """Yield the title, the author and the date."""
        for name in ("title", "author", "date"):
            if said := self.said(name):
                is_title, line = name == "title", self._line_of(self._heads[name][0])
                yield Block("heading" if is_title else "paragraph", said, int(is_title), line=line)

    def said(self, name: str) -> str:
        """Return a title or an author in one line."""
        return " ".join(self._text_of(self._heads.get(name, [])).split())

    def read(self, nodes: Iterable[_Node], depth: int = 0) -> None:
        """Read nodes into blocks."""
        for node in nodes:
            self._reach(node)
            if isinstance(node, LatexCharsNode):
                self._letters_of(node)
            elif isinstance(node, LatexGroupNode):
                self.read(node.nodelist, depth)
            elif isinstance(node, LatexMathNode):
                self._formula(node)
            elif isinstance(node, LatexSpecialsNode):
                self._specials(node)
            elif isinstance(node, LatexMacroNode):
                self._macro(node, depth)
            elif isinstance(node, LatexEnvironmentNode):
                self._environment(node, depth)
            elif isinstance(node, LatexCommentNode) and _PARAGRAPH_END.search(node.comment_post_space):
                self.end_paragraph()

    def _reach(self, node: _Node) -> None:
        """Note the line of a node, and that of a paragraph which begins with it."""
        if not self._is_defined:
            self._here = self._line_of(node)
        if isinstance(node, LatexMacroNode | LatexMathNode | LatexSpecialsNode):
            self._began = self._began or self._here

    def _line_of(self, node: _Node) -> int:
        """Return the number of the line in which the words of a node begin; 0 if lines are not counted."""
        chars = node.chars if isinstance(node, LatexCharsNode) else ""
        return self._line_at(node.pos + len(chars) - len(chars.lstrip()))

    def _line_at(self, offset: int) -> int:
        return 0 if self._breaks is None else 1 + bisect_left(self._breaks, offset)

    def _letters_of(self, node: _Node) -> None:
        chars, at = node.chars, 0
        for end in (*_PARAGRAPH_END.finditer(chars), None):
            part = chars[at : end.start() if end else len(chars)]
            if part.strip() and not self._began:
                blanks = len(part) - len(part.lstrip())
                self._began = self._here if self._is_defined else self._line_at(node.pos + at + blanks)
            self._line.add(part.replace("\n", " "))
            if end:
                self.end_paragraph()
                at = end.end()

    def end_paragraph(self, kind: str = "paragraph") -> None:
        """End a paragraph; it becomes a list item if one was begun."""
        text, self._line = " ".join(self._line.text().split()), Line()
        line, self._began = self._began or self._here, 0
        if text and self._label:
            label, level = self._label
            self.blocks.append(Block("item", text, level, label, line=line))
            self._label = None
        elif text:
            self.blocks.append(Block(kind, text, line=line))  # type: ignore[arg-type] # one of the kinds
        self.blocks += self._notes
        self._notes = []

    def _text_of(self, nodes: Iterable[_Node]) -> str:
        """Return what nodes say, in a line of their own."""
        apart = _Text(self.left_out)
        apart._defined, apart._expanded = self._defined, self._expanded
        apart.read(nodes)
        apart.end_paragraph()
        self._expanded = apart._expanded
        self._notes += [replace(block, line=self._here) for block in apart.blocks if block.kind == "note"]
        parts = [
            block.text or " ".join(cell.text for cell in block.cells)
            for block in apart.blocks
            if block.kind != "note"
        ]
        return " ".join(parts)

    def _formula(self, node: _Node) -> None:
        source = "".join(one.latex_verbatim() for one in node.nodelist)
        source = " ".join(source.split())
        if node.displaytype == "display":
            self.end_paragraph()
            self._line.add(f"$${source}$$")
            self.end_paragraph()
        else:
            self._line.add(f"${source}$")

    def _specials(self, node: _Node) -> None:
        if "\n" in node.specials_chars:
            self.end_paragraph()
        else:
            self._line.add(self._letters.nodelist_to_text([node]))

    def _macro(self, node: _Node, depth: int) -> None:
        name, arguments = node.macroname, _arguments(node)
        last = _inner(arguments[-1]) if arguments else []
        if act := _MACROS.get(name.removesuffix("*")):
            act(self, name.removesuffix("*"), arguments, depth)
        elif name in _RAISED:
            self._line.add(self._text_of(last), _RAISED[name])
        elif _CITED.fullmatch(name) and arguments:
            self._line.add(f"[{''.join(one.latex_verbatim() for one in last).strip('{}')}]")
        elif name in _NAMES:
            self._line.add(_NAMES[name])
        elif name in _COUNTED:
            self.left_out.add(_COUNTED[name])
            self.prepare([node])
        elif name == "verb":
            self._line.add(str(getattr(node.nodeargd, "verbatim_text", "")))
        elif name in self._defined and self._expanded < _MOST_EXPANDED and depth < _DEEPEST:
            self._expanded += 1
            is_inner, self._is_defined = self._is_defined, True
            self.read(self._defined[name], depth + 1)
            self._is_defined = is_inner
        elif name in _SILENT:
            self.prepare([node])
            self._line.add(" " if node.macro_post_space else "")
        else:
            self._other(node, arguments, depth)

    def section(self, name: str, arguments: Sequence[_Node], _depth: int) -> None:
        """Begin a section."""
        self.end_paragraph()
        if text := self._text_of(_inner(arguments[-1] if arguments else None)):
            self.blocks.append(Block("heading", text, _SECTIONS[name], line=self._here))

    def note(self, _name: str, arguments: Sequence[_Node], _depth: int) -> None:
        """Read a note, which follows its paragraph."""
        mark = f"[{sum(block.kind == 'note' for block in self.blocks + self._notes) + 1}]"
        self._line.add(mark)
        self._notes.append(
            Block(
                "note",
                self._text_of(_inner(arguments[-1] if arguments else None)),
                label=mark,
                line=self._here,
            )
        )

    def caption(self, _name: str, arguments: Sequence[_Node], depth: int) -> None:
        """Read the caption of a figure or table."""
        self.end_paragraph()
        self.read(_inner(arguments[-1] if arguments else None), depth + 1)
        self.end_paragraph("caption")

    def break_line(self, name: str, _arguments: Sequence[_Node], _depth: int) -> None:
        """End a line, or a paragraph."""
        if name == "par":
            self.end_paragraph()
        self._line.add(" ")

    def last_argument(self, _name: str, arguments: Sequence[_Node], depth: int) -> None:
        """Read the last argument of a macro."""
        self.read(_inner(arguments[-1] if arguments else None), depth + 1)

    def address(self, _name: str, arguments: Sequence[_Node], _depth: int) -> None:
        """Read an address as written."""
        self._line.add("".join(one.latex_verbatim() for one in _inner(arguments[-1] if arguments else None)))

    def _other(self, node: _Node, arguments: Sequence[_Node], depth: int) -> None:
        """Read a macro as the characters that it stands for, else read its arguments."""
        spec = self._known.get_macro_spec(node.macroname)
        is_known = spec is not None and spec.macroname == node.macroname
        if is_known and not any(isinstance(one, LatexGroupNode) for one in arguments):
            self._line.add(
                self._letters.nodelist_to_text([node]) + node.macro_post_space.replace("\n", " ")[:1]
            )
            return
        if is_known and spec.simplify_repl not in ("%s", "") and len(node.macroname) == 1:  # an accent
            self._line.add(self._letters.nodelist_to_text([node]))
            return
        if not is_known:
            self.left_out.add("macro", node.macroname)
        for one in arguments:
            if isinstance(one, LatexGroupNode) and one.delimiters[0] == "{":
                self.read(one.nodelist, depth + 1)

    def item(self, name: str, arguments: Sequence[_Node], _depth: int) -> None:
        """Begin an item of a list."""
        self.end_paragraph()
        kind, count = self._lists[-1] if self._lists else ("itemize", 0)
        if self._lists:
            self._lists[-1][1] = count + 1
        given = self._text_of(_inner(arguments[0])) if arguments else ""
        if name == "bibitem":
            given = f"[{self._text_of(_inner(arguments[-1])) if arguments else count + 1}]"
        label = given or (f"{count + 1}." if "enum" in kind else "-")
        self._label = (label, max(1, len(self._lists)))

    def _environment(self, node: _Node, depth: int) -> None:
        name = node.environmentname
        self.end_paragraph()
        if name == "verbatim":
            code = str(getattr(node.nodeargd, "verbatim_text", ""))
            self.blocks += code_block(code, self._here)
        elif name in _DRAWINGS:
            self.left_out.add("picture")
        elif _FORMULAS.fullmatch(name):
            inner = "".join(one.latex_verbatim() for one in node.nodelist)
            self._line.add(f"$${' '.join(inner.split())}$$")
        elif name in _TABLES:
            self._table(node.nodelist)
        else:
            self._lists += [[name, 0]] if name in _LISTS else []
            if title := self._title_of(node):
                self.blocks.append(Block("heading", title, 2, line=self._here))
            self.read(node.nodelist, depth)
        self.end_paragraph()
        if name in _LISTS:
            self._lists.pop()
            self._label = None

    def _title_of(self, node: _Node) -> str:
        if node.environmentname == "frame":
            titles = [one for one in _arguments(node) if getattr(one, "delimiters", ("",))[0] == "{"]
            return self._text_of(_inner(titles[0])) if titles else ""
        return "Abstract" if node.environmentname == "abstract" else ""

    def _table(self, nodes: Sequence[_Node]) -> None:
        table = _Table(self._text_of, self._line_of, self._here)
        for node in nodes:
            macro = node.macroname if isinstance(node, LatexMacroNode) else ""
            if macro == "caption":
                self.read([node])
            else:
                table.add(node, macro)
        self.blocks += table.blocks()


class _Table:
    """The cells of a table so far."""

    def __init__(
        self, text_of: Callable[[Iterable[_Node]], str], line_of: Callable[[_Node], int], line: int
    ) -> None:
        self._text_of, self._line_of, self._line = text_of, line_of, line
        self._cells: list[Cell] = []
        self._row = self._column = self._heads = 0
        self._nodes: list[_Node] = []  # of the cell that is being read
        self._height = self._width = 1
        self._skips = False  # what stands in later heads and in feet

    def add(self, node: _Node, macro: str) -> None:
        """Read a node of the table; `macro` is its name if it is a macro."""
        if isinstance(node, LatexSpecialsNode) and node.specials_chars == "&":
            self._end_cell()
        elif macro in ("\\", "tabularnewline", "cr"):
            self._end_cell()
            self._row, self._column = self._row + (not self._skips), 0
        elif macro in ("endfirsthead", "endhead"):
            self._heads, self._skips = self._heads or self._row, macro == "endfirsthead"
        elif macro in ("endfoot", "endlastfoot"):
            self._skips = False
        elif macro == "midrule":
            self._heads = self._heads or self._row
        elif macro in ("multicolumn", "multirow") and len(_arguments(node)) > 1:
            count = _whole(_arguments(node)[0])
            self._width = count if macro == "multicolumn" else self._width
            self._height = count if macro == "multirow" else self._height
            self._nodes += _inner(_arguments(node)[-1])
        elif macro not in _RULES:
            self._nodes.append(node)

    def _end_cell(self) -> None:
        text = self._text_of(self._nodes)
        if text and not self._skips:
            line = next((self._line_of(node) for node in self._nodes if _is_said(node)), 0)
            self._cells.append(
                Cell(self._row, self._column, text, self._height, self._width, line=line or self._line)
            )
        self._column += self._width
        self._nodes, self._width, self._height = [], 1, 1

    def blocks(self) -> list[Block]:
        """Return the table; none if it says nothing."""
        self._end_cell()
        last = max((each.row for each in self._cells), default=0) + 1
        for each in self._cells:
            each.rows = min(each.rows, last - each.row)
        if not self._cells:
            return []
        return [Block("table", cells=packed(self._cells), head_rows=self._heads, line=self._line)]


def _is_said(node: _Node) -> bool:
    return not isinstance(node, LatexCharsNode) or bool(node.chars.strip())


_Act = Callable[[_Text, str, Sequence[_Node], int], None]
_MACROS: dict[str, _Act] = {
    **dict.fromkeys(_SECTIONS, _Text.section),
    **dict.fromkeys(("footnote", "footnotetext", "marginpar", "endnote", "sidenote"), _Text.note),
    **dict.fromkeys(("caption", "subcaption", "captionof"), _Text.caption),
    **dict.fromkeys(("item", "bibitem"), _Text.item),
    **dict.fromkeys(("\\", "newline", "par"), _Text.break_line),
    **dict.fromkeys(("href", "textcolor", "colorbox"), _Text.last_argument),
    "url": _Text.address,
}


def _whole(node: _Node) -> int:
    digits = "".join(one.latex_verbatim() for one in _inner(node)).strip()
    return min(int(digits), 100) if digits.isascii() and digits.isdigit() and int(digits[:4]) > 0 else 1
