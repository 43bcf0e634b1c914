"""Generates code from other code: the client without asyncio, groups of parameters, and help summaries.

hopline/sync comes from hopline/aio, hopline/models/fields.py from the models whose fields are parameters, and
hopline/commands/summaries.json from the help of the commands.

python -m infra.client_code [--check]
"""

from __future__ import annotations

import ast
import io
import json
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

from hopline.cli import command, command_names

ROOT = Path(__file__).resolve().parent.parent
SOURCE, TARGET = ROOT / "hopline" / "aio", ROOT / "hopline" / "sync"
HEADER = "# Written from hopline/aio by `python -m infra.client_code`: edit it there.\n"

MODELS = ROOT / "hopline" / "models"
FIELDS = MODELS / "fields.py"
SUMMARIES = ROOT / "hopline" / "commands" / "summaries.json"
GROUPS = {  # models by their modules
    "params": ("ChunkSizes", "ReadingOptions", "BulkBounds", "QueryBounds"),
    "schedules": ("SchedulePolicy",),
}
_ABOVE_FIELDS = '''# Written from hopline/models by `python -m infra.client_code`: edit the models.
"""Fields of models as groups of parameters; one that is not given has the model's default."""

from __future__ import annotations

from typing import Annotated, TypedDict

from pydantic import Field
'''

_NAMES = {
    "AsyncBaseTransport": "BaseTransport",
    "AsyncByteStream": "SyncByteStream",
    "AsyncClient": "Client",
    "StopAsyncIteration": "StopIteration",
    "__aenter__": "__enter__",
    "__aexit__": "__exit__",
    "__aiter__": "__iter__",
    "__anext__": "__next__",
    "aclose": "close",
    "aclosing": "closing",
    "aio": "sync",
    "anext": "next",
    "async_transport": "transport",
    "aread": "read",
    "asynccontextmanager": "contextmanager",
}
_RENAMED = re.compile(r"aiter_\w+|Async[A-Z]\w*")
_PROSE = {
    "The client for asyncio.": "The client.",
    "hopline/aio": "hopline/sync",
    "hopline.aio": "hopline.sync",
}
_DROPPED = frozenset(("async", "await"))
_FIRST_PARTY = 'lint.isort.known-first-party=["hopline"]'  # modules that are not written yet, too
_OPEN, _CLOSED = frozenset("(["), frozenset(")]")


def synchronous(source: str) -> str:
    """Return the source of a module without asyncio.

    `Awaitable[X]` becomes X, `asyncio.sleep` becomes `time.sleep`, and names that begin with Async lose that.
    """
    tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    lines, at, pieces = source.splitlines(keepends=True), (1, 0), list[str]()
    skipped = _brackets_of_awaitables(tokens)
    for position, token in enumerate(tokens):
        if token.type in (
            tokenize.INDENT,
            tokenize.DEDENT,
            tokenize.ENDMARKER,
            tokenize.NEWLINE,
            tokenize.NL,
        ):
            continue
        pieces.append(_between(lines, at, token.start))
        at = token.end
        if position in skipped:
            continue
        if token.type == tokenize.NAME and token.string in _DROPPED:
            at = (at[0], at[1] + 1)  # the blank behind it
            continue
        pieces.append(_replaced(token))
    pieces.append(_between(lines, at, (len(lines) + 1, 0)))
    return "".join(pieces)


def _brackets_of_awaitables(tokens: list[tokenize.TokenInfo]) -> set[int]:
    """Return which tokens are `Awaitable`, and the brackets behind it."""
    found = set[int]()
    for position, token in enumerate(tokens):
        if token.string != "Awaitable" or tokens[position + 1].string != "[":
            continue
        depth = 0
        for end in range(position + 1, len(tokens)):
            depth += (tokens[end].string in _OPEN) - (tokens[end].string in _CLOSED)
            if depth == 0:
                found |= {position, position + 1, end}
                break
    return found


def _replaced(token: tokenize.TokenInfo) -> str:
    text = token.string
    if token.type == tokenize.NAME:
        return _name(text)
    if token.type in (tokenize.STRING, tokenize.COMMENT):
        for phrase, other in _PROSE.items():
            text = text.replace(phrase, other)
        text = re.sub(r"\b(async|await) (?=\w)", "", text)
        return re.sub(r"\w+", lambda word: _name(word[0]) if word[0] != "aio" else "aio", text)
    return text


def _name(name: str) -> str:
    if name in _NAMES:
        return _NAMES[name]
    if name == "asyncio":
        return "time"
    if _RENAMED.fullmatch(name):
        return name.removeprefix("Async").removeprefix("a")
    return name


def _between(lines: list[str], start: tuple[int, int], end: tuple[int, int]) -> str:
    if start[0] == end[0]:
        return lines[start[0] - 1][start[1] : end[1]] if start[0] <= len(lines) else ""
    first = lines[start[0] - 1][start[1] :] if start[0] <= len(lines) else ""
    last = lines[end[0] - 1][: end[1]] if end[0] <= len(lines) else ""
    return first + "".join(lines[start[0] : end[0] - 1]) + last


def modules() -> Iterator[tuple[Path, str]]:
    """Yield the path and text of each module of hopline/sync."""
    for path in sorted(SOURCE.glob("*.py")):
        source = path.read_text(encoding="utf-8")
        made = HEADER + synchronous(source) if source else ""
        yield TARGET / path.name, _formatted(made, TARGET / path.name)


def fields_of_models() -> str:
    """Return the module with the fields of `GROUPS` as groups of parameters."""
    imports, groups = list[str](), list[str]()
    for module, names in GROUPS.items():
        source = (MODELS / f"{module}.py").read_text(encoding="utf-8")
        tree = ast.parse(source)
        imports += [ast.unparse(node) for node in tree.body if isinstance(node, ast.ImportFrom)]
        imports += [f"from hopline.models.{module} import {name}" for name in _constants(tree)]
        classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
        groups += [_group(source, classes[name]) for name in names]
    return _formatted("\n".join((_ABOVE_FIELDS, *imports, *groups)), FIELDS)


def _constants(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                yield from (name.id for name in ast.walk(target) if isinstance(name, ast.Name))


def _group(source: str, model: ast.ClassDef) -> str:
    """Return a model's own fields as a TypedDict without required keys."""
    fields = (
        f"    {field.target.id}: {_annotation(source, field)}"
        for field in model.body
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
    )
    head = f'class {model.name}Fields(TypedDict, total=False):\n    """{ast.get_docstring(model)}"""\n'
    return "\n".join((head, *fields, ""))


def _annotation(source: str, field: ast.AnnAssign) -> str:
    """Return a field's type with its bounds and description; the default is for documentation only."""
    options, default = list[str](), field.value
    if isinstance(default, ast.Call) and isinstance(default.func, ast.Name) and default.func.id == "Field":
        given = {each.arg: ast.get_source_segment(source, each.value) for each in default.keywords}
        default_text = given.pop("default", None)
        options = [f"{name}={text}" for name, text in given.items()]
    else:
        default_text = ast.get_source_segment(source, default) if default else None
    if default_text is not None:
        options.append(f"json_schema_extra={{'default': {default_text}}}")
    kind = ast.get_source_segment(source, field.annotation) or ""
    return f"Annotated[{kind}, Field({', '.join(options)})]" if options else kind


def _formatted(text: str, path: Path) -> str:
    """Return a module in the linter's form, with sorted imports and none unused."""
    ruff = (sys.executable, "-m", "ruff")
    own = (
        "--config",
        str(ROOT / "pyproject.toml"),
        "--config",
        _FIRST_PARTY,
        "--stdin-filename",
        str(path),
        "-",
    )
    for step in (("check", "--fix-only", "--quiet", "--select", "F401,F811,I001"), ("format", "--quiet")):
        ran = subprocess.run(  # noqa: S603 - ruff
            [*ruff, *step, *own], input=text, capture_output=True, text=True, check=True
        )
        text = ran.stdout
    return text


def summaries() -> str:
    """Return the first paragraph of each command's help as a JSON object."""
    helps = {name: made.help or "" for name in command_names() if (made := command(name))}
    lines = {name: " ".join(text.split("\n\n")[0].split()) for name, text in helps.items()}
    return json.dumps(lines, indent=2, ensure_ascii=False) + "\n"


def main(arguments: list[str]) -> int:
    """Write the modules; with --check, report those that are not up to date."""
    wanted = {**dict(modules()), FIELDS: fields_of_models(), SUMMARIES: summaries()}
    there = {
        path: path.read_text(encoding="utf-8")
        for path in (*TARGET.glob("*.py"), FIELDS, SUMMARIES)
        if path.exists()
    }
    stale = [path for path in {*wanted, *there} if wanted.get(path) != there.get(path)]
    if "--check" in arguments:
        for path in sorted(stale):
            sys.stderr.write(f"{path.relative_to(ROOT)} is not up to date: `make client`\n")
        return bool(stale)
    TARGET.mkdir(exist_ok=True)
    for path in stale:
        if path in wanted:
            path.write_text(wanted[path], encoding="utf-8")
        else:
            path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
