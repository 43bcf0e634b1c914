"""Names of cells as spreadsheets write them: B7, A3:C3, Rents!B7.

Uses only the standard library: the process that reads a file imports it under a tight memory limit.
"""

from __future__ import annotations

import re
from functools import cache

_LETTERS = 26
_REFERENCE = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")


def range_name(left: int, top: int, right: int, bottom: int) -> str:
    """Return the name of a range of cells; columns and rows are counted from 1."""
    first, last = f"{_letters(left)}{top}", f"{_letters(right)}{bottom}"
    return first if first == last else f"{first}:{last}"


def on_sheet(sheet: str, cells: str) -> str:
    """Return the name of cells, with their sheet's name if the file has sheets."""
    return f"{sheet}!{cells}" if sheet else f"cell {cells}"


def position(reference: str) -> tuple[int, int] | None:
    """Return the row and column, both from 1, of a cell name; None if it is not one."""
    found = _REFERENCE.fullmatch(reference)
    return (int(found[2]), _number(found[1])) if found else None


@cache
def _letters(column: int) -> str:
    text = ""
    while column > 0:
        column, letter = divmod(column - 1, _LETTERS)
        text = chr(ord("A") + letter) + text
    return text


@cache
def _number(letters: str) -> int:
    total = 0
    for letter in letters:
        total = total * _LETTERS + ord(letter) - ord("A") + 1
    return total
