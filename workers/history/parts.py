"""The Parquet files of history: their names, and which of them hold."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple, Protocol

_NAME = re.compile(r"(history/[a-z]+/)day=(\d{4}-\d{2}-\d{2})/(\d+)-(\d+)\.g(\d+)\.parquet")


class Files(Protocol):
    """Named files of the blob store; each is written whole and never changed."""

    def names(self, folder: str) -> list[str]:
        """Return the names of the files below a folder, in order."""

    def put(self, name: str, content: Path) -> None:
        """Store a file's bytes under a name."""

    @property
    def folders(self) -> tuple[str, ...]:
        """Return the folders of this machine that `local` returns files of, beside the given one."""

    def local(self, name: str, folder: Path) -> Path | None:
        """Return the file on this machine, copied into a folder if necessary; None if it is gone."""

    def delete(self, name: str) -> None:
        """Remove a part, unless it is already gone."""


class Part(NamedTuple):
    """A file with the rows of one day that were sealed under a range of numbers."""

    day: str  # 2026-10-01, UTC
    first: int
    last: int
    generation: int = 0  # raised by each erasure, which writes the file again
    folder: str = "history/jobs/"

    @classmethod
    def of(cls, name: str) -> Part | None:
        """Return the part that a file is; None for any other."""
        match = _NAME.fullmatch(name)
        if match is None:
            return None
        folder, day, first, last, generation = match.groups()
        return cls(day, int(first), int(last), int(generation), folder)

    @property
    def name(self) -> str:
        """The file's name."""
        return f"{self.folder}day={self.day}/{self.first}-{self.last}.g{self.generation}.parquet"

    def covers(self, other: Part) -> bool:
        """Return whether this part contains everything in the other, in no older generation."""
        wider = self.first <= other.first and self.last >= other.last
        same = (self.first, self.last) == (other.first, other.last)
        return self.day == other.day and wider and (not same or self.generation >= other.generation)


def stored_parts(files: Files, folder: str) -> list[Part]:
    """Return all parts in a folder, including outdated ones."""
    parts = (Part.of(name) for name in files.names(folder))
    return [part for part in parts if part is not None]


def holding(parts: Iterable[Part]) -> list[Part]:
    """Return the parts that hold: those that no other covers, in order."""
    kept: list[Part] = []
    for part in sorted(parts, key=lambda each: (each.day, each.first, -each.last, -each.generation)):
        if not kept or not kept[-1].covers(part):
            kept.append(part)
    return kept
