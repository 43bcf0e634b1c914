"""Values and labels of charts and diagrams, which Word keeps in parts of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta

from workers.ingest.reading.blocks import Block, Cell
from workers.ingest.reading.docx.names import Element, below, name, number

_DAY_ZERO = date(1899, 12, 30)  # of Excel's count of days
_DAYS = 2_958_466  # to the end of the year 9999
_NUMBER = re.compile(r"-?\d{1,30}(?:\.\d{0,30})?(?:[eE][+-]?\d{1,2})?")
_QUOTED = re.compile(r"\"[^\"]{0,255}\"|\[[^\]]{0,255}\]|\\.")  # words, colours and signs in a format
_FORMAT = 255  # characters of a number format; Excel takes no more
_SERIES = 255  # of one chart; Office takes no more


def chart_blocks(root: Element) -> list[Block]:
    """Return a chart's title and values: a table with a row for each category, a column for each series."""
    blocks = []
    title = below(root, "c:chart", "c:title")
    if title is not None and (text := _title(title)):
        blocks.append(Block("caption", text))
    groups: dict[tuple[tuple[int, str], ...], list[tuple[str, dict[int, str]]]] = {}
    for series in [*root.iter(name("c:ser"))][:_SERIES]:
        values = _first(series, "c:val", "c:yVal", "c:bubbleSize")
        categories = _first(series, "c:cat", "c:xVal")
        called = " ".join(_points(below(series, "c:tx")).values())
        groups.setdefault(tuple(categories.items()), []).append((called, values))
    blocks += [_table(dict(categories), series) for categories, series in groups.items()]
    return [block for block in blocks if block.text or block.cells]


def diagram_blocks(root: Element) -> list[Block]:
    """Return the labels of a diagram (SmartArt), each as an item."""
    return [
        Block("item", text, level=1, label="-")
        for point in root.iter(name("dgm:pt"))
        if (text := " ".join(_paragraphs(point)))
    ]


def _title(title: Element) -> str:
    return " ".join(_paragraphs(title)) or " ".join(_points(title).values())


def _paragraphs(element: Element) -> Iterator[str]:
    for paragraph in element.iter(name("a:p")):
        text = "".join(run.text or "" for run in paragraph.iter(name("a:t")))
        if text.strip():
            yield " ".join(text.split())


def _first(series: Element, *parts: str) -> dict[int, str]:
    return next((found for part in parts if (found := _points(below(series, part)))), {})


def _points(element: Element | None) -> dict[int, str]:
    """Return the cached values below an element, by index, with labels of several levels joined."""
    if element is None:
        return {}
    form = "".join(code.text or "" for code in element.iter(name("c:formatCode")))[:_FORMAT]
    texts: dict[int, list[str]] = {}
    for point in element.iter(name("c:pt")):
        stated = below(point, "c:v")
        if stated is not None and stated.text:
            texts.setdefault(number(point.get("idx")), []).insert(0, _shown(stated.text.strip(), form))
    if not texts:  # a name that is written, not taken from a sheet
        literal = below(element, "c:v")
        return {0: literal.text.strip()} if literal is not None and literal.text else {}
    return {index: " ".join(parts) for index, parts in sorted(texts.items())}


def _shown(value: str, form: str) -> str:
    """Return a value as a date or a percentage if its format is one, else with 15 digits as in Excel."""
    if not _NUMBER.fullmatch(value):
        return value
    quantity = float(value)
    letters = _QUOTED.sub("", form).lower()
    if "%" in letters:
        return f"{quantity * 100:.10g}%"
    if "y" in letters and 0 <= quantity < _DAYS:
        return str(_DAY_ZERO + timedelta(days=int(quantity)))
    return f"{quantity:.15g}"


def _table(categories: dict[int, str], series: list[tuple[str, dict[int, str]]]) -> Block:
    indexes = sorted({*categories, *(index for _, values in series for index in values)})
    cells = [Cell(0, column, called) for column, (called, _) in enumerate(series, 1) if called]
    for row, index in enumerate(indexes, 1):
        cells.append(Cell(row, 0, categories.get(index, str(index + 1))))
        cells += [
            Cell(row, column, values[index])
            for column, (_, values) in enumerate(series, 1)
            if index in values
        ]
    heads = any(called for called, _ in series)
    return Block("table", cells=cells if len(cells) > len(indexes) else [], head_rows=int(heads))
