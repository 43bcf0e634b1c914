"""Filters on metadata, as people write them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_JOINED = ("and", "or")


def filter_in_words(tree: Mapping[str, Any]) -> str:
    """Return a filter, as JSON has it, in the language of `--where`."""
    if "not" in tree:
        return f"not {_bracketed(tree['not'])}"
    for name in _JOINED:
        if name in tree:
            return f" {name} ".join(map(_bracketed, tree[name]))
    field, operator = tree["field"], tree["op"]
    if operator == "exists":
        return f"exists({field})"
    if operator == "in":
        return f"{field} in ({', '.join(map(_written, tree['value']))})"
    return f"{field} {operator} {_written(tree['value'])}"


def _bracketed(part: Mapping[str, Any]) -> str:
    words = filter_in_words(part)
    return words if "field" in part else f"({words})"


def _written(value: object) -> str:
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return str(value)
