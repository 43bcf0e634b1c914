"""Reads Lua scripts from the packages that run them."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def lua_source(package: str, *names: str) -> str:
    """Return the scripts of a package's folder lua, concatenated, with shared parts first."""
    folder = files(package) / "lua"
    return "\n".join((folder / f"{name}.lua").read_text(encoding="utf-8") for name in names)
