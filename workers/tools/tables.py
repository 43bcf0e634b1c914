"""Formats the rows of a statement as a table, with the source of each row."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hopline.models.jobs import Json
from hopline.models.tools import ToolItem
from workers.core.graph.cypher import CypherRows, Value
from workers.tools.lines import format_properties, inline, named

_SHOWN = 50  # rows of a table
_NODE = frozenset({"node", "labels", "properties"})
_NAMES = ("name", "title")  # as `telling.name_of` takes them
_RELATIONSHIP = frozenset({"relationship", "type", "start", "end", "properties"})
_NO_TEXT = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")  # but line feeds
_TICKS = re.compile(r"`{3,}")


def row_item(columns: Sequence[str], row: Sequence[Value]) -> ToolItem:
    """Convert a row to an item, with the nodes and relationships it contains."""
    parts = [
        f"{inline(name)}: {cell(value)}"
        for name, value in zip(columns, row, strict=True)
        if not is_void(value)
    ]
    entities = [entity for value in row for entity in _entities(value)]
    return ToolItem(
        text=" · ".join(parts),
        values=tuple(row),
        nodes=tuple(dict.fromkeys(entity["node"] for entity in entities if "node" in entity)),
        relationships=tuple(
            dict.fromkeys(entity["relationship"] for entity in entities if "relationship" in entity)
        ),
    )


def is_entity(value: Mapping[str, Any]) -> bool:
    """Return whether a map from a row is a node, a relationship or a path."""
    return value.keys() in (_NODE, _RELATIONSHIP) or (
        value.keys() == {"path"} and isinstance(value["path"], list)
    )


def is_void(value: Value) -> bool:
    """Return whether a value is empty: null, or a list of empty values; 0 and false are not."""
    return value is None or value == "" or (isinstance(value, list) and all(map(is_void, value)))


def table(rows: CypherRows) -> str:
    """Return rows as a Markdown table, some fifty at most."""
    lines = [_line(rows.columns), _line("---" for _ in rows.columns)]
    lines += [_line(cell(value) for value in row) for row in rows.rows[:_SHOWN]]
    if (more := len(rows.rows) - _SHOWN) > 0:
        lines += ["", f"… and {more} more rows."]
    return "\n".join(lines)


def fenced(statement: str) -> str:
    """Return a statement in a fence that nothing in it can end."""
    text = _NO_TEXT.sub(" ", statement)
    fence = "`" * max([3, *(len(ticks) + 1 for ticks in _TICKS.findall(text))])
    return f"{fence}cypher\n{text}\n{fence}"


def cell(value: Value) -> str:
    """Return a value on one line: nodes by name and kind, relationships by type, paths as chains."""
    return inline(_worded(value))


def _worded(value: Value) -> Any:
    if isinstance(value, list):
        return [_worded(member) for member in value]
    if not isinstance(value, Mapping):
        return value
    if value.keys() == _NODE:
        node = _row(value)
        called = next((name for name in _NAMES if node.get(name) not in (None, "")), "")
        more = format_properties(value["properties"], (called,))
        return f"{named(node)} {{{more}}}" if more else named(node)
    if value.keys() == _RELATIONSHIP:
        more = format_properties(value["properties"])
        return f"{inline(value['type'])} {{{more}}}" if more else inline(value["type"])
    if value.keys() == {"path"} and isinstance(value["path"], list):
        return _chain(value["path"])
    return {key: _worded(member) for key, member in value.items()}


def _chain(path: list[Json]) -> str:
    parts, before = list[str](), ""
    for step in path:
        if not isinstance(step, Mapping):
            parts.append(inline(step))
        elif step.keys() == _RELATIONSHIP:
            kind = inline(step["type"])
            parts.append(f"—{kind}→" if step["start"] == before else f"←{kind}—")
        else:
            parts.append(named(_row(step)) if step.keys() == _NODE else inline(step))
            before = step.get("node", "")
    return " ".join(parts)


def _row(node: Mapping[str, Any]) -> Json:
    """Return a node as `telling` takes it."""
    return {**node["properties"], "labels": node["labels"]}


def _entities(value: Value) -> Iterator[Mapping[str, Any]]:
    """Yield the nodes and relationships within a value."""
    if isinstance(value, list):
        for member in value:
            yield from _entities(member)
    elif isinstance(value, Mapping):
        if value.keys() in (_NODE, _RELATIONSHIP):
            yield value
            return
        for member in value.values():
            yield from _entities(member)


def _line(cells: Any) -> str:
    escaped = (inline(value).replace("\\", "\\\\").replace("|", "\\|") for value in cells)
    return f"| {' | '.join(escaped)} |"
