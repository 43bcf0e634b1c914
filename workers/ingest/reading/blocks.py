"""The blocks into which a reader divides a file, in reading order, each with its place.

It uses only the standard library, because the process that reads a file has tight memory limits.
"""

from __future__ import annotations

import io
import mmap
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, BinaryIO, Literal, NamedTuple

if TYPE_CHECKING:
    from typing_extensions import Buffer

# A file's content; memory-mapped for readers with MAPS_FILE, because it may be large.
FileBytes = bytes | mmap.mmap


class UnreadableError(Exception):
    """A document cannot be read; the text tells its submitter what is wrong and what to do."""


def as_file(data: FileBytes) -> BinaryIO:
    """Return bytes as a seekable file."""
    return io.BytesIO(data) if isinstance(data, bytes) else io.BufferedReader(_MappedFile(data))


class _MappedFile(io.RawIOBase):
    """A memory-mapped file, because `zipfile` does not accept `mmap` itself before Python 3.13."""

    def __init__(self, mapped: mmap.mmap) -> None:
        self._mapped, self._at = mapped, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer, /) -> int:
        target = memoryview(buffer)
        part = self._mapped[self._at : self._at + len(target)]
        target[: len(part)] = part
        self._at += len(part)
        return len(part)

    def seek(self, place: int, whence: int = io.SEEK_SET, /) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: len(self._mapped)}[whence]
        self._at = max(0, start + place)
        return self._at


LONGEST_NAME = 80  # characters of the name of a part of a file

RAISED = "\ufdd0"  # before a raised text; no sign of Unicode, and none of a document that is well-formed

# A sheet's text is its name, "" where it has none: the blocks after it, up to the next one, stand on it.
Kind = Literal["heading", "paragraph", "item", "table", "code", "note", "caption", "furniture", "sheet"]


class Box(NamedTuple):
    """A rectangle on a page, in points (1/72 inch) from the upper left corner of its visible part.

    On a sheet, its first and last columns and rows, from 1.
    """

    left: float
    top: float
    right: float
    bottom: float


class Drawn(NamedTuple):
    """A drawn page."""

    png: bytes
    width: float  # of the page as shown, in points
    height: float


class Spot(NamedTuple):
    """The place of a block's text from an offset up to the next spot."""

    start: int  # offset in the block's text
    page: int  # 1 for the first; of a sheet its number among those that were read
    box: Box


@dataclass(slots=True)
class Cell:
    """A cell of a table; one that spans several rows or columns appears once, at its upper left."""

    row: int  # 0 for the first
    column: int
    text: str
    rows: int = 1  # over how many it reaches
    columns: int = 1
    page: int = 0  # as of a spot; 0 where the format has no pages
    box: Box | None = None
    line: int = 0  # as of a block


def packed(cells: list[Cell]) -> list[Cell]:
    """Return the cells of a table without the rows and columns in which no cell begins."""
    rows = sorted({cell.row for cell in cells})
    columns = sorted({cell.column for cell in cells})

    def moved(cell: Cell) -> Cell:
        row, below = (bisect_left(rows, place) for place in (cell.row, cell.row + cell.rows))
        left, right = (bisect_left(columns, place) for place in (cell.column, cell.column + cell.columns))
        return replace(cell, row=row, column=left, rows=below - row, columns=right - left)

    return [moved(cell) for cell in cells]


@dataclass(slots=True)
class Block:
    """A part of a document, such as a paragraph or a table."""

    kind: Kind
    text: str = ""  # lines as the document breaks them, of a heading one; of a table "", its cells have it
    level: int = 0  # of a heading 1 to 6; of an item 1 for the outermost
    label: str = ""  # number or bullet of a heading or item as shown: "2.1", "(a)", "-"
    spots: list[Spot] = field(default_factory=list)  # in order of `start`; none where there are no pages
    cells: list[Cell] = field(default_factory=list)
    head_rows: int = 0  # of a table: its first rows that name columns, where the file says so; else 0
    part: str = ""  # the named part of the file that it stands in: "cell 4", "function parse_date"
    line: int = 0  # of a file of lines: the number of its first one, from 1; 0 where lines are not kept


def code_block(code: str, line: int) -> list[Block]:
    """Return the block of a program without the empty lines around it; none where it has no others.

    Args:
        code: the program.
        line: number of its first line in the file.
    """
    if not code.strip():
        return []
    return [Block("code", code.strip("\n"), line=line + len(code) - len(code.lstrip("\n")))]


def in_sections(blocks: Iterable[Block], *, counts_paragraphs: bool = False) -> Iterator[Block]:
    """Yield blocks, each in the section that the last heading before it names.

    Args:
        blocks: blocks of a document.
        counts_paragraphs: whether those before the first heading are numbered, for want of lines.
    """
    part = ""
    for number, block in enumerate(blocks, start=1):
        if block.kind == "heading":
            part = f"section {block.text[:LONGEST_NAME]}" if block.text else ""
        yield replace(block, part=part or (f"paragraph {number}" if counts_paragraphs else ""))


def count_signs(blocks: list[Block]) -> int:
    """Return the number of characters in the texts of blocks and cells, including blanks."""
    return sum(len(block.text) + sum(len(cell.text) for cell in block.cells) for block in blocks)


@dataclass(slots=True)
class Quality:
    """Counts that describe how well a document was read."""

    pages: int = 0  # 0 where the format has none
    pages_without_text: int = 0
    signs: int = 0  # letters, digits and other signs that were read
    signs_without_meaning: int = 0  # of a font that does not say which letters they are
    doubtful_tables: int = 0  # rules that look like a table, and were read as lines
    replaced_bytes: int = 0  # which no text of the encoding has
    pictured_pages: int = 0  # pictures that were not recognised, among those without text
    recognised_pages: int = 0
    recognised_lines: int = 0
    doubtful_lines: dict[str, int] = field(default_factory=dict)  # page -> lines recognised with doubt
    unread_lines: dict[str, int] = field(default_factory=dict)  # ... that could not be, and were left out
    transcribed_lines: dict[str, int] = field(default_factory=dict)  # ... that a vision model read


@dataclass(slots=True)
class Reading:
    """The result of reading a document."""

    blocks: list[Block]
    title: str = ""  # that the document states, as a property or in a style; "" where it states none
    left_out: Counter[str] = field(default_factory=Counter)  # what is not in the text: "picture": 3
    quality: Quality = field(default_factory=Quality)
    metadata: dict[str, str | list[str]] = field(default_factory=dict)  # that the document states of itself
    pictured: list[int] = field(default_factory=list)  # numbers of pages that are pictures not recognised yet
