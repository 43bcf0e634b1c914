"""Finds an `allow` that stands where no field of a front matter was read: by mistake it must not be lost."""

from __future__ import annotations

import re
from typing import Any

import yaml

from workers.core.errors import InvalidInput
from workers.core.metadata.fields import is_allow

_TOLD = "a front matter between `---` lines of which `allow` is a field ('*' in quotes)"
_BEGIN = re.compile(r"[\s\ufeff]*(---|\+\+\+)")
_LINE_END = re.compile(r"\r\n?|\n")
_MOST_LINES, _LONGEST = 500, 20_000  # that are looked at where no front matter was recognised
_FENCES = ("---", "...", "+++")
_NAMED = re.compile(r"\ballow\b['\"]?(?:\.[\w\"'-]{1,64})?\s*[:=]", re.IGNORECASE)
_BEGINS_LINE = re.compile(r"^[^\w#\r\n]*allow\b['\"]?\s*[:=]", re.IGNORECASE | re.MULTILINE)
_BROKEN_LINE = re.compile(r"^[^\w\r\n]*allow\W", re.IGNORECASE | re.MULTILINE)


def refuse_unrecognised(text: str) -> None:
    """Refuse a Markdown text without a front matter that begins as one and names `allow` there.

    Looked at is what stands before a closing fence, of the first 500 lines and 20,000 characters.

    Raises:
        InvalidInput: it does.
    """
    begin = _BEGIN.match(text)
    if begin is None:
        return
    lines = _LINE_END.split(text[begin.start(1) : begin.start(1) + _LONGEST], _MOST_LINES)[:_MOST_LINES]
    head: list[str] = []
    for line in lines:
        is_fence = line.rstrip() in _FENCES
        if is_fence and head:
            break
        if not is_fence and line.strip():  # a fence written twice opens, and closes nothing
            head.append(line)
    if found := _NAMED.search("\n".join(head)):
        raise _refused(found[0])


def refuse_unparsed(body: str, error: Exception) -> None:
    """Refuse a front matter that cannot be parsed and names `allow` anywhere.

    Raises:
        InvalidInput: it does.
    """
    if _NAMED.search(body) or _BROKEN_LINE.search(body):
        told = "a front matter that can be parsed, where it has `allow` ('*' in quotes)"
        raise InvalidInput("metadata.allow", str(error)[:200], told) from error


def refuse_misplaced(body: str, tree: Any) -> None:
    """Refuse a front matter without a field `allow` that has it deeper, or where a line begins with it.

    Args:
        body: without its fences.
        tree: what it was parsed to: YAML's nodes, or TOML's tables.

    Raises:
        InvalidInput: it has.
    """
    found = _BEGINS_LINE.search(body)
    if found or _is_within(tree):
        raise _refused(found[0].strip() if found else "allow")


def _is_within(tree: Any) -> bool:
    """Return whether a tree has a key `allow` anywhere; a node with many aliases is visited once."""
    waiting, visited = [tree], set()
    while waiting:
        node = waiting.pop()
        if id(node) in visited:
            continue
        visited.add(id(node))
        if isinstance(node, yaml.MappingNode):
            if any(isinstance(key, yaml.ScalarNode) and is_allow(key.value) for key, _ in node.value):
                return True
            waiting += [part for pair in node.value for part in pair]
        elif isinstance(node, dict):
            if any(map(is_allow, node)):
                return True
            waiting += node.values()
        elif isinstance(node, yaml.SequenceNode | list):
            waiting += node.value if isinstance(node, yaml.SequenceNode) else node
    return False


def _refused(found: str) -> InvalidInput:
    return InvalidInput("metadata.allow", f"{found} outside of what is read", _TOLD)
