"""Refuses an `allow` in a place where front matter is not read, so that it is never lost by mistake.

The rule: if a text begins like front matter, its `allow` is read, or the document is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml

from hopline.errors import InvalidInput
from hopline.models.metadata import is_allow
from hopline.visible import shown_letters

_TOLD = (
    "a front matter between `---` lines of which `allow` is a field ('*' in quotes); of a text that is none, "
    "another first line than `---` or `+++`"
)
_LINE_END = re.compile(r"\r\n?|[\n\v\f\x85\u2028\u2029]")  # as YAML, and editors, see them
_FENCE = r"(?:---|\.\.\.|\+\+\+)[ \t]*+"
# Empty lines and fences, as many as there are, up to the first line with anything else.
_BEGIN = re.compile(rf"\s*+(?:---|\+\+\+)(?:[ \t]*+\n(?:{_FENCE}(?=\n|$))?)*+")
_CLOSED = re.compile(rf"^{_FENCE}$", re.MULTILINE)
_COMMENT = re.compile(r"^[ \t]*+#.*\n?", re.MULTILINE)
_PROSE = re.compile(r"\w[^:={}\[\]\n]*(?:\n|$)")  # a line in which no key can be
_JOINED = re.compile(r"\\\n[ \t]*")
_HEX = "[0-9a-fA-F]"
_ESCAPE = re.compile(rf"\\(?:x({_HEX}{{2}})|u({_HEX}{{4}})|U({_HEX}{{8}})|[tnrvfbe0N_LP ])")
_SLICE = 1_000  # characters
_LAST_SIGN = 0x10FFFF
_WORD = re.compile(r"(?<!\w)allow(?![\w-])", re.IGNORECASE)
# A key, not a word of a sentence: nothing but signs, or a tag or an anchor, before it. Runs of blanks are
# possessive: two that can share one run would take time with its square.
_KEY = re.compile(
    r"(?:^|[^\w\s])[ \t]*+(?:[!&]\S{0,64}[ \t]++){0,3}+(?:['\"][ \t]*+)?allow[ \t\\'\"]{0,8}"
    r"(?:[ \t]*+\.[ \t]*+(?:[\w-]{1,64}|\"[^\"\n]{1,64}\"|'[^'\n]{1,64}')){0,8}\s*+[:=]"
    r"|^[ \t]*+\[(?:[^\]\n]{0,200}[^\w\]])?allow(?!\w)[^\]\n]{0,200}\]",
    re.IGNORECASE | re.MULTILINE,
)


def refuse_unread(text: str) -> None:
    """Refuse a text that begins like front matter and has `allow` there as a key in any spelling.

    Such a beginning ends with the next fence. Without one, a first line without a key means a Markdown rule
    followed by text; otherwise the whole text is checked.

    Args:
        text: the text without parsed front matter.

    Raises:
        InvalidInput: it has one.
    """
    if _first_letter(text) not in ("-", "+"):
        return
    lines = shown_letters(_LINE_END.sub("\n", text))
    begin = _BEGIN.match(lines)
    while begin:
        closed = _CLOSED.search(lines, begin.end())
        _refuse_head(lines[begin.end() : closed.start() if closed else None], is_closed=closed is not None)
        begin = _BEGIN.match(lines, closed.end()) if closed else None


def _refuse_head(lines: str, *, is_closed: bool) -> None:
    head = _COMMENT.sub("", lines)
    if (is_closed or not _PROSE.match(head.lstrip())) and (match := _KEY.search(_spelled_out(head))):
        raise _refused(match[0].strip())


def _first_letter(text: str) -> str:
    slices = (text[first : first + _SLICE] for first in range(0, len(text), _SLICE))
    return next((shown[0] for part in slices if (shown := shown_letters(part).strip())), "")


def refuse_unparsed(body: str, error: Exception) -> None:
    """Refuse a front matter that cannot be parsed and has the word `allow` anywhere, in any spelling.

    Raises:
        InvalidInput: it has one.
    """
    lines = shown_letters(_LINE_END.sub("\n", body))
    if _WORD.search(_spelled_out(_COMMENT.sub("", lines))):
        allowed = "a front matter that can be parsed, where it has `allow` ('*' in quotes)"
        raise InvalidInput("metadata.allow", str(error)[:200], allowed) from error


def refuse_misplaced(body: str, tree: Any) -> None:
    """Refuse a front matter without a field `allow` that has it deeper, or within a value of several lines.

    Args:
        body: without its fences.
        tree: what it was parsed to: YAML's nodes, or TOML's tables.

    Raises:
        InvalidInput: it has one.
    """
    for part in _parts(tree):
        if is_allow(part):
            raise _refused("allow")
        long = _source(part, body)
        if "\n" in long and (match := _KEY.search(_spelled_out(shown_letters(long)))):
            raise _refused(match[0].strip())


def _parts(tree: Any) -> Iterator[Any]:
    """Yield the names of all fields, and every value; a node with many aliases comes once."""
    waiting, visited = [tree], set()
    while waiting:
        node = waiting.pop()
        if id(node) in visited:
            continue
        visited.add(id(node))
        yield node
        if isinstance(node, yaml.MappingNode):
            yield from (key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode))
            waiting += [part for pair in node.value for part in pair]
        elif isinstance(node, dict):
            yield from node
            waiting += node.values()
        elif isinstance(node, yaml.SequenceNode | list):
            waiting += node.value if isinstance(node, yaml.SequenceNode) else node


def _source(part: Any, body: str) -> str:
    """Return a value as written in the source; "" if it is not a string."""
    if isinstance(part, yaml.ScalarNode):
        return _LINE_END.sub("\n", body[part.start_mark.index : part.end_mark.index].strip())
    return part.strip() if isinstance(part, str) else ""


def _spelled_out(text: str) -> str:
    """Replace YAML and TOML escapes by their characters; those that are not letters become blanks."""
    return shown_letters(_ESCAPE.sub(_sign, _JOINED.sub("", text)))


def _sign(escape: re.Match[str]) -> str:
    digits = next(filter(None, escape.groups()), "20")
    sign = chr(min(int(digits, 16), _LAST_SIGN))
    return " " if sign.isspace() or (sign.isprintable() and not sign.isalnum()) else sign


def _refused(key: str) -> InvalidInput:
    return InvalidInput("metadata.allow", f"{key} outside the metadata that is read", _TOLD)
