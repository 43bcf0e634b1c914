"""Finds the tables of a Markdown text and the positions of their cells."""

from __future__ import annotations

import re

from workers.core.places import Map

_RULE = re.compile(r"^ {0,3}\|?(?: *:?-+:? *\|)+ *(?::?-+:? *)?$")  # below the row that names the columns
_BORDER = re.compile(r"(?<!\\)\|")
_FENCE = re.compile(r"^ {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)")


def markdown_tables(text: str) -> Map:
    """Return the tables and cells of a text in the form of `stored_text`, except in code.

    As in GitHub's Markdown, the rule below the names of the columns has a cell for each of them.
    """
    tables: list[list[int]] = []
    cells: list[list[int]] = []
    place, head, fence, row = 0, (-1, ""), "", -1
    for ended in text.split("\n"):
        line = ended.removesuffix("\r")
        was_code, fence = bool(fence), fence_after(line, fence)
        if was_code or fence or "|" not in line:
            row = -1
        elif row >= 0:
            row += 1
            cells += _cells(line, place, row)
            tables[-1][1] = place + len(line)
        elif "|" in head[1] and _RULE.match(line) and _columns(head[1]) == _columns(line):
            row = 0
            cells += _cells(head[1], head[0], 0)
            tables.append([head[0], place + len(line), 1])
        head = (place, line)
        place += len(ended) + 1
    return {"lines": [], "tables": tables, "cells": cells}


def fence_after(line: str, fence: str) -> str:
    """Return the open code fence after a line, "" for none; `fence` is the one before it."""
    found = _FENCE.match(line)
    if not found:
        return fence
    sign, words = found.groups()
    if not fence:
        return sign
    return "" if sign.startswith(fence) and not words.strip() else fence


def _columns(line: str) -> int:
    inner = line.strip().removeprefix("|")
    borders = [found.end() for found in _BORDER.finditer(inner)]
    return len(borders) + (not borders or borders[-1] < len(inner))


def _cells(line: str, place: int, row: int) -> list[list[int]]:
    """Return [start, end, row, column, 0] of each non-empty cell of a line."""
    borders = [found.start() for found in _BORDER.finditer(line)]
    inner = line.strip()
    starts = [0, *(at + 1 for at in borders)] if not inner.startswith("|") else [at + 1 for at in borders]
    ends = [*starts[1:], len(line) + 1]
    found = []
    for column, (start, end) in enumerate(zip(starts, ends, strict=True)):
        said = line[start : end - 1]
        if said.strip():
            begin = place + start + len(said) - len(said.lstrip())
            found.append([begin, begin + len(said.strip()), row, column, 0])
    return found
