"""Bounds the work of reading a page, because parsing time grows with the square of depth and attributes."""

from __future__ import annotations

import re
from collections import Counter

from workers.ingest.reading.blocks import UnreadableError

_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/>]{0,60})")
_QUOTED = re.compile(r"\"[^\"]*+\"|'[^']*+'")
# What holds nothing, and what ends where the next one begins, wherever no other element stands around that.
_FLAT = frozenset(
    (
        *(
            "area",
            "base",
            "br",
            "col",
            "embed",
            "hr",
            "img",
            "input",
            "link",
            "meta",
            "param",
            "source",
            "track",
        ),
        *("wbr", "html", "head", "body", "p", "li", "dt", "dd", "tr", "td", "th", "thead", "tbody", "tfoot"),
    )
)
MOST_NODES = 1_000_000  # elements and texts
_MOST_PLACES = 4_000_000  # that the cells of tables stretch over
_MOST_STEPS = 300_000_000  # over open elements and attributes; a parser does some 100 million a second
_MANY_ATTRIBUTES = 1_000  # below that they cost nothing


class Places:
    """The number of cells that a page's tables may still span."""

    def __init__(self) -> None:
        self._left = _MOST_PLACES

    def take(self, places: int) -> None:
        """Count the area of a cell.

        Raises:
            UnreadableError: there are too many.
        """
        self._left -= places
        if self._left < 0:
            raise UnreadableError(
                f"too large: the cells of its tables span more than {_MOST_PLACES:,} places"
            )


def check_nodes(nodes: int) -> None:
    """Refuse a page with too many elements and texts.

    Raises:
        UnreadableError: there are too many.
    """
    if nodes > MOST_NODES:
        raise UnreadableError(f"too large: more than {MOST_NODES:,} elements; divide the page into several")


def check_markup(text: str) -> None:
    """Refuse a page that would take a parser more than a few seconds, before parsing it.

    Raises:
        UnreadableError: it has too many tags, nesting that is too deep, or a tag with too many attributes.
    """
    opened: Counter[str] = Counter()
    depth = tags = steps = end = 0
    for match in _TAG.finditer(text):
        is_end, name = match[1], match[2].lower()
        tags += 1
        steps += depth + _attribute_steps(text, end, match.start())
        end = match.end()
        if name in _FLAT:
            continue
        if not is_end:
            opened[name] += 1
            depth += 1
        elif opened[name]:
            opened[name] -= 1
            depth -= 1
        if is_end and name == "select":
            depth -= opened.pop("option", 0)
        if steps > _MOST_STEPS:
            break
    steps += _attribute_steps(text, end, len(text))
    if steps > _MOST_STEPS:
        raise UnreadableError(
            "too much markup: its elements are nested too deep or have too many attributes;"
            " save what a browser shows of it as PDF"
        )
    check_nodes(tags // 2)


def _attribute_steps(text: str, start: int, end: int) -> int:
    """Return the number of attribute comparisons that a tag causes, given the text up to the next tag."""
    if end - start < 2 * _MANY_ATTRIBUTES:
        return 0
    count = len(_QUOTED.sub("", text[start:end]).partition(">")[0].split())
    return count * count // 2 if count > _MANY_ATTRIBUTES else 0
