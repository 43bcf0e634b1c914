"""Reads source code and configuration: a block for each definition, with its name.

Python is parsed. In other languages, certain lines begin a definition, and indentation ends it.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from typing import NamedTuple

from workers.ingest.reading.blocks import Block, Quality, Reading, count_signs

_PYTHON = (".py", ".pyi")
_NAME = r"[A-Za-z_$][\w$]{0,80}"
_BEFORE = (
    r"(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|override|virtual|inline"
    r"|extern|unsafe|const|open|sealed|data|partial|pub(?:\([\w:]{1,40}\))?|local|suspend|declare|readonly)\s{1,80}){0,6}"
)
_CLASS_WORDS = (
    r"class|interface|trait|struct|enum|union|module|namespace|protocol|extension|record|object|impl|type"
)
_ARROW = rf"(?:function\b|\([^()\n]{{0,300}}\)\s{{0,80}}(?::[^=\n]{{1,100}})?=>|{_NAME}\s{{0,80}}=>)"
_CREATED = (
    r"(?:or {1,9}replace {1,9})?(?:temp(?:orary)? {1,9}|unique {1,9}|materialized {1,9})?"
    r"(?:table|view|function|procedure|trigger|index|type) {1,9}(?:if {1,9}not {1,9}exists {1,9})?"
)
_STATED = r"(?:resource|data|provider|variable|output|module|terraform)"
# (pattern of a line that begins a definition, kind of definition); the first match counts.
_RULES = (
    (
        rf"\s{{0,80}}{_BEFORE}(?:function\*?|def|fn|func|fun|sub|proc)\s{{1,80}}(?:\([^()\n]{{0,200}}\)\s{{0,80}})?(?:self\.)?({_NAME})",
        "function",
    ),
    (
        rf"\s{{0,80}}{_BEFORE}(?:{_CLASS_WORDS})\s{{1,80}}(?:class\s{{1,80}})?(?:<[^<>\n]{{0,100}}>\s{{0,80}})?({_NAME})",
        "class",
    ),
    (
        rf"\s{{0,80}}(?:export\s{{1,80}})?(?:const|let|var)\s{{1,80}}({_NAME})\s{{0,80}}(?::[^=\n]{{1,200}})?=\s{{0,80}}(?:async\s{{0,80}})?{_ARROW}",
        "function",
    ),
    (rf"(?i:[ \t]{{0,80}}create {{1,9}}{_CREATED})[\"`\[]?([\w.$]{{1,100}})", "definition"),
    (rf"[ \t]{{0,80}}({_NAME})[ \t]{{0,9}}\(\)[ \t]{{0,9}}\{{", "function"),
    (rf"{_STATED}\s{{1,80}}\"([^\"\n]{{1,80}}(?:\"\s{{1,80}}\"[^\"\n]{{1,80}})?)\"", "section"),
    (r"\[{1,2}([^\[\]\n]{1,100})\]{1,2}\s{0,80}(?:[#;].*)?$", "section"),
    (r"(?:message|service|rpc)\s{1,80}([A-Za-z]\w{0,80})\s{0,80}[{(]", "definition"),
)
_BEGINS = tuple((re.compile(pattern), kind) for pattern, kind in _RULES)
# C, Java and similar languages: a type, a name, parameters, and no end of a statement.
_TYPED = re.compile(
    rf"\s{{0,80}}{_BEFORE}(?:[A-Za-z_][\w:]{{0,60}}(?:<[^<>\n]{{0,100}}(?:<[^<>\n]{{0,60}}>[^<>\n]{{0,60}})?>)?[\s*&\[\]]{{1,8}}){{1,4}}"
    rf"((?:[A-Za-z_]\w{{0,60}}::)?~?{_NAME})\s{{0,80}}\([^;{{}}\n]{{0,500}}\)?\s{{0,80}}(?:const|noexcept|override|throws\s[^{{\n]{{1,200}})?\s{{0,80}}\{{?\s{{0,80}}$"
)
_TYPED_SUFFIXES = frozenset(
    (".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh", ".java", ".cs", ".m", ".mm", ".dart", ".groovy", ".kt")
)
_NO_NAMES = frozenset(
    ("if", "for", "while", "switch", "return", "else", "catch", "new", "do", "throw", "case", "sizeof")
)
_SECTIONED = frozenset((".ini", ".toml", ".cfg", ".conf", ".properties"))
_KEYED = frozenset((".yaml", ".yml"))
_KEY = re.compile(r"([\w.-]{1,80}|\"[^\"\n]{1,80}\"):(?:\s|$)")
_LEADS = re.compile(
    r"\s{0,80}(?://|#(?!include|define|if|endif|pragma)|/\*|\*|--|;|@|\"\"\"|\[\w|<!--)"
)  # stands above what it is about
_LONGEST_LINE = 2_000  # characters; longer ones begin nothing


class _Begin(NamedTuple):
    """The beginning of a definition."""

    line: int  # from 0
    name: str


def read(data: bytes, options: dict[str, str]) -> Reading:
    """Return the code of a file, with a block for each definition and for the code between them.

    Args:
        data: the code in UTF-8.
        options: the file's `suffix` determines the language.
    """
    text = data.decode()
    lines = text.splitlines()
    suffix = options.get("suffix", "")
    begins = _python(text) if suffix in _PYTHON else None
    if begins is None:
        begins = list(_by_rule(lines, suffix))
    blocks = list(_blocks(lines, begins))
    return Reading(blocks, quality=Quality(signs=count_signs(blocks)))


def _blocks(lines: list[str], begins: list[_Begin]) -> Iterator[Block]:
    starts = [_Begin(0, ""), *begins]
    for (start, name), after in zip(starts, [*begins, _Begin(len(lines), "")], strict=True):
        end = after.line
        while start < end and not lines[start].strip():
            start += 1  # noqa: PLW2901 - the block begins with its first line that says something
        text = "\n".join(lines[start:end]).rstrip()
        if text:
            yield Block("code", text, part=name, line=start + 1)


def _python(text: str) -> list[_Begin] | None:
    """Return where Python definitions begin and the code around them resumes; None if it is not Python."""
    try:
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    lines = text.splitlines()
    begins: list[_Begin] = []

    def add(body: list[ast.stmt], around: str, end: int) -> None:
        for node in body:
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                continue
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)]) - 1
            while first > 0 and lines[first - 1].lstrip().startswith("#"):
                first -= 1
            is_class = isinstance(node, ast.ClassDef)
            path = f"{around}.{node.name}" if around else node.name
            begins.append(_Begin(first, f"{'class' if is_class else 'function'} {path}"))
            last = node.end_lineno or node.lineno
            if is_class:
                add(node.body, path, last)
            if last < end:
                begins.append(_Begin(last, f"class {around}" if around else ""))

    add(tree.body, "", len(lines))
    return sorted(begins, key=lambda begin: begin.line)


def _by_rule(lines: list[str], suffix: str) -> Iterator[_Begin]:
    """Yield where definitions begin; the names of those within a class include the class."""
    open_: list[tuple[int, str, bool]] = []  # indent, name, whether others lie within it
    in_comment = False
    for number, line in enumerate(lines):
        in_comment = (in_comment or line.lstrip().startswith("/*")) and "*/" not in line
        is_lead = _LEADS.match(line) is not None and not (suffix in _SECTIONED and line.startswith("["))
        is_unread = in_comment or is_lead or not line.strip() or len(line) > _LONGEST_LINE
        found = None if is_unread else _defined(line, suffix)
        if found is None:
            continue
        kind, name = found
        indent = len(line) - len(line.lstrip())
        while open_ and open_[-1][0] >= indent:
            open_.pop()
        if any(not holds for _indent, _name, holds in open_):
            continue  # within a function
        open_.append((indent, name, kind in ("class", "section") and suffix not in _KEYED))
        path = ".".join(name for _indent, name, _holds in open_)
        yield _Begin(_with_leads(lines, number), f"{kind} {path}")


def _defined(line: str, suffix: str) -> tuple[str, str] | None:
    """Return the kind and name of the definition that a line begins; None if it begins none."""
    if suffix in _KEYED:
        key = _KEY.match(line)
        return ("section", key[1].strip('"')) if key else None
    for pattern, kind in _BEGINS:
        if (found := pattern.match(line)) and found[1] not in _NO_NAMES:
            return kind, re.sub(r'"\s+"', ".", found[1])
    if suffix in _TYPED_SUFFIXES and (found := _TYPED.match(line)) and found[1] not in _NO_NAMES:
        is_call = line.split(None, 1)[0] in _NO_NAMES
        return None if is_call else ("function", found[1])
    return None


def _with_leads(lines: list[str], number: int) -> int:
    """Return the first line of a definition, including comments and decorators above it."""
    while number > 0 and lines[number - 1].strip() and _LEADS.match(lines[number - 1]):
        number -= 1
    return number
