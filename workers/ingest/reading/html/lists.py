"""Numbers the items of an HTML list as a browser shows them."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborNode

from workers.ingest.reading.numerals import letters, roman

_NUMBER = re.compile(r"[+-]?\d{1,9}")
_STYLE = re.compile(
    r"list-style(?:-type)?\s*:[^;]{0,200}?\b(none|(?:lower|upper)-(?:alpha|latin|roman)|decimal)",
    re.IGNORECASE,
)
_STYLES = {"a": "lower-alpha", "A": "upper-alpha", "i": "lower-roman", "I": "upper-roman", "1": "decimal"}


class Numbering:
    """The labels of a list's items, in order."""

    def __init__(self, node: LexborNode) -> None:
        attributes = node.attributes
        self._style = _style_of(attributes) or ("decimal" if node.tag == "ol" else "-")
        self._step = -1 if "reversed" in attributes and node.tag == "ol" else 1
        count = sum(child.tag == "li" for child in node.iter()) if self._step < 0 else 1
        self._next = _number(attributes.get("start"), count)

    def label_of(self, item: LexborNode) -> str:
        """Return the label of the next item: "9.", "b.", "-"; "" if none is shown."""
        attributes = item.attributes
        number = _number(attributes.get("value"), self._next)
        self._next = number + self._step
        style = _style_of(attributes) or self._style
        if style in ("none", "-"):
            return "" if style == "none" else "-"
        return f"{_written(number, style)}."


def _style_of(attributes: dict[str, str | None]) -> str:
    if stated := _STYLE.search(attributes.get("style") or ""):
        return stated[1].lower()
    return _STYLES.get(attributes.get("type") or "", "")


def _number(value: str | None, otherwise: int) -> int:
    return int(value) if value and _NUMBER.fullmatch(value.strip()) else otherwise


def _written(number: int, style: str) -> str:
    """Return a number in letters or Roman numerals if possible, else in digits."""
    written = roman(number) if style.endswith("roman") else str(number)
    if style.endswith(("alpha", "latin")):
        written = letters(number)
    return written.upper() if style.startswith("upper") else written
