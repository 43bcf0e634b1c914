"""Loads packs: folders of tools declared in TOML files, without Python."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from hopline.allowed_values import allowed_in_words
from hopline.errors import InvalidInput, no_toml
from hopline.models.base import Frozen
from hopline.models.jobs import Json
from hopline.models.tools import PackState
from hopline.trees import expanded
from workers.tools.declared import CYPHER_PARAMETER, CypherDeclaration, OwnDeclaration, tool_of, tool_over
from workers.tools.pack import Pack, PackNeeds
from workers.tools.queries import without_comments
from workers.tools.tool import Tool
from workers.tools.toolbox import OWN, Toolbox

_NEEDS = "pack.toml"  # what a graph needs for a shipped pack to switch itself on; every other is a tool
_MOST_CYPHER = 20_000  # characters
_GIVEN = frozenset(("collection", "own"))  # parameters that every tool's Cypher may use

Declaration = TypeVar("Declaration", bound=Frozen)


def load_toolbox(packs: str | None, *configured: Tool[Any]) -> Toolbox:
    """Return hopline's own tools and those of packs.

    Args:
        packs: bundled packs (movies, narrative) or folders, separated by commas. None: the bundled packs,
            each if the graph has what it needs.
        *configured: hopline's own as settings make them, in place of those of the same name.

    Raises:
        InvalidInput: names the file, the field, its value, and what is allowed.
    """
    own = tuple(Toolbox([*OWN, *configured]))
    if packs is None:
        return Toolbox(own, [_pack(_shipped() / name, own) for name in shipped()])
    names = [name.strip() for name in packs.split(",") if name.strip()]
    named = [
        PackState(name=name, on=True, why="HOPLINE_TOOL_PACKS names it.") for name in dict.fromkeys(names)
    ]
    left_out = [name for name in shipped() if name not in names]
    named += [PackState(name=name, on=False, why="HOPLINE_TOOL_PACKS does not name it.") for name in left_out]
    return Toolbox([*own, *_declared(map(_folder, names), own)], named=named)


def shipped() -> list[str]:
    """Return the names of the packs that come with hopline."""
    return sorted(folder.name for folder in _shipped().iterdir() if folder.is_dir())


def _shipped() -> Path:
    return Path(str(files("workers.tools"))) / "packs"


def _pack(folder: Path, own: Iterable[Tool[Any]]) -> Pack:
    path = folder / _NEEDS
    needs = _parsed(PackNeeds, tomllib.loads(path.read_text(encoding="utf-8")), path)
    return Pack(folder.name, tuple(_declared([folder], own)), needs)


def _folder(name: str) -> Path:
    if name in shipped():
        return _shipped() / name
    folder = expanded(name, "tool_packs")
    if not folder.is_dir():
        raise InvalidInput("tool_packs", name, f"a folder, or one of: {', '.join(shipped())}")
    return folder


def _declared(folders: Iterable[Path], own: Iterable[Tool[Any]]) -> list[Tool[Any]]:
    tools: dict[str, tuple[Path, Tool[Any]]] = {}
    for folder in dict.fromkeys(folders):
        paths = sorted(path for path in folder.rglob("*.toml") if path.name != _NEEDS)
        if not paths:
            raise InvalidInput("tool_packs", str(folder), "a folder that holds a .toml file per tool")
        for path in paths:
            tool = load_tool(path, own)
            if tool.name in tools:
                other = tools[tool.name][0]
                raise InvalidInput(f"{path}: name", tool.name, f"a name that {other} does not use")
            tools[tool.name] = (path, tool)
    return [tool for _, tool in tools.values()]


def load_tool(path: Path, tools: Iterable[Tool[Any]] = OWN) -> Tool[Any]:
    """Return the tool that a file declares.

    Args:
        path: path of the file.
        tools: hopline's own, which it may tell again.

    Raises:
        InvalidInput: names the file, the field, its value, and what is allowed.
    """
    try:
        declaration = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise no_toml(path, error) from error
    own = {tool.name: tool for tool in tools}
    if "tool" in declaration:
        over = _parsed(OwnDeclaration, declaration, path)
        if over.tool not in own:
            raise InvalidInput(f"{path}: tool", over.tool, f"one of: {', '.join(own)}")
        return _made(path, tool_over, over, own[over.tool])
    declared = _parsed(CypherDeclaration, declaration, path)
    if declared.name in own:
        raise InvalidInput(f"{path}: name", declared.name, "a name that none of hopline's tools has")
    return _made(path, tool_of, declared, _cypher(path, declared))


def _made(path: Path, make: Any, *parts: Any) -> Tool[Any]:
    """Make a tool; its errors name the file."""
    try:
        tool: Tool[Any] = make(*parts)
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error.field}", error.value, error.allowed) from error
    return tool


def _cypher(path: Path, declared: CypherDeclaration) -> str:
    """Return the tool's Cypher: a file beside its own, that keeps to the collection and to its parameters."""
    field, name = f"{path}: cypher", declared.cypher
    if Path(name).name != name or not (path.parent / name).is_file():
        raise InvalidInput(field, name, "the name of a file beside this one")
    text = without_comments((path.parent / name).read_text(encoding="utf-8"))
    if not 0 < len(text) <= _MOST_CYPHER:
        raise InvalidInput(field, name, f"a file with Cypher, at most {_MOST_CYPHER:,} characters")
    used = set(CYPHER_PARAMETER.findall(text))
    if "collection" not in used:
        rule = "Cypher that keeps to one collection: coalesce(n.collection, $collection) = $collection"
        raise InvalidInput(field, name, rule)
    for name in sorted(_GIVEN & set(declared.parameters)):
        raise InvalidInput(
            f"{path}: parameters.{name}", name, "another name: hopline supplies this parameter"
        )
    known = {*declared.parameters, *_GIVEN}
    if unknown := sorted(used - known):
        raise InvalidInput(
            field, f"${unknown[0]}", "one of: " + ", ".join(f"${parameter}" for parameter in sorted(known))
        )
    return text


def _parsed(kind: type[Declaration], declaration: Json, path: Path) -> Declaration:
    try:
        return kind.model_validate(declaration)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = [str(part) for part in first["loc"]]
        allowed = allowed_in_words(first)
        if first["type"] == "extra_forbidden":
            names = ", ".join(sorted(kind.model_fields))
            allowed = f"one of: {names}" if len(place) == 1 else "left out: there is no such field"
        value = None if first["type"] == "missing" else first["input"]
        raise InvalidInput(f"{path}: {'.'.join(place) or 'tool'}", value, allowed) from error
